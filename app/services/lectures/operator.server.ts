/** A whole lecture by whoever owns the installation, for seeds: one transaction, by the rules of the form. Safe to repeat. */
import { sql } from 'kysely'
import { type LectureValues, lectureForm } from '~/forms/lectures.ts'
import { searchKey } from '~/lib/text.ts'
import { setPlans, setTags, unknownPlan } from '../access/parts-writes.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { type FilmFiles, type GivenFilmFiles, recordFilmFiles, withFilmFiles } from '../storage/film-files.server.ts'
import { ensureTags } from '../tags/tags.server.ts'

export type OperatorLecture = Omit<LectureValues, 'coverImg'> &
  GivenFilmFiles & {
    /** Decides whether the lecture is there already; then nothing of it is changed. */
    uid: string
    chapterName: string
  }

export async function createLectureAsOperator(ctx: Ctx, input: OperatorLecture): Promise<{ lectureUid: string }> {
  const isThere = await ctx.db.selectFrom('lectures').select('id').where('uid', '=', input.uid).executeTakeFirst()
  // Asked first only to spare the work: the insert decides.
  if (isThere) return { lectureUid: input.uid }
  await withFilmFiles(ctx, input, (ctx, files) => write(ctx, input, files))
  return { lectureUid: input.uid }
}

/** False when it was there already. */
async function write(ctx: Ctx, input: OperatorLecture, files: FilmFiles): Promise<boolean> {
  const { cover: _cover, captions: _captions, ...rest } = input
  const values = parseInput(lectureForm, { ...rest, coverImg: `${files.cover.originalUid}.png` })
  const lecture = await ctx.db
    .insertInto('lectures')
    .values({
      uid: input.uid,
      site_id: ctx.site.id,
      name: values.name,
      search_key: searchKey(`${values.name} ${values.presenter}`),
      description: values.description,
      presenter: values.presenter,
      status: values.status,
      questions_markdown: values.questionsMarkdown,
      in_lectures_page: values.inLecturesPage,
      coming_soon: values.comingSoon,
      phases: values.phases,
      cover_img_desc: values.coverImgDesc,
      video_url: values.videoUrl,
      duration: values.duration,
      transcript: files.transcript,
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!lecture) return false
  await ctx.db
    .updateTable('lectures')
    .set(await recordFilmFiles(ctx, files))
    .where('id', '=', lecture.id)
    .execute()
  const owner = { kind: 'lectures', uid: input.uid } as const
  if (!(await setPlans(ctx, owner, values.accessPlanUids))) throw unknownPlan()
  await setTags(ctx, owner, await ensureTags(ctx, { texts: values.tags }))
  await attachChapter(ctx, lecture.id, input.chapterName)
  await recordAudit(ctx, { action: 'lecture.created', entity: 'lecture', entityUid: input.uid, after: values })
  await queueIndexing(ctx, { kind: 'lecture', uids: [input.uid] })
  return true
}

/** At the end of its chapter. */
async function attachChapter(ctx: Ctx, lectureId: number, name: string): Promise<void> {
  const chapter = await ctx.db
    .selectFrom('chapters')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst()
  if (!chapter) throw new Invalid(`There is no chapter "${name}".`)
  await ctx.db
    .insertInto('lecture_chapters')
    .values({
      site_id: ctx.site.id,
      lecture_id: lectureId,
      chapter_id: chapter.id,
      position: sql<number>`(select coalesce(max(position) + 1, 0) from lecture_chapters where chapter_id = ${chapter.id})`,
    })
    .execute()
}
