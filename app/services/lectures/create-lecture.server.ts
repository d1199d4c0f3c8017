import { sql } from 'kysely'
import type { z } from 'zod'
import { type LectureValues, lectureForm } from '~/forms/lectures.ts'
import { searchKey } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { setPlans, setTags, unknownPlan } from '../access/parts-writes.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { Invalid } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { fileIdOf } from '../storage/files.server.ts'
import type { Derivative } from '../storage/images.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { readUploadedCaptions } from '../uploads/captions.server.ts'
import { prepareCover, recordCover } from '../uploads/covers.server.ts'
import { getLecture, type Lecture } from './lectures.server.ts'

type NewLecture = z.input<typeof lectureForm> & { uid?: string }

/** Creates a lecture, for staff. With a `uid` made by the client, a repeated request creates only one lecture. */
export async function createLecture(ctx: Ctx, input: NewLecture): Promise<Lecture> {
  requireStaff(ctx, 'write')
  const values = parseInput(lectureForm, input)
  const uid = newUid(input.uid)
  const cover = await prepareCover(ctx, { name: values.coverImg })
  await inTransaction(ctx, (ctx) => insertWhole(ctx, uid, values, cover))
  return getLecture(ctx, { lectureUid: uid })
}

/** Inserts the lecture with everything that belongs to it, unless a lecture with this uid exists. */
async function insertWhole(ctx: Ctx, uid: string, values: LectureValues, cover: Derivative): Promise<void> {
  const coverUid = await recordCover(ctx, { name: values.coverImg, prepared: cover })
  const captions = values.captions === null ? null : await readUploadedCaptions(ctx, { name: values.captions })
  const lecture = await ctx.db
    .insertInto('lectures')
    .values({
      uid,
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
      cover_file_id: fileIdOf(ctx, coverUid),
      cover_img_desc: values.coverImgDesc,
      video_url: values.videoUrl,
      duration: values.duration,
      captions_file_id: fileIdOf(ctx, captions?.fileUid ?? null),
      transcript: captions?.transcript ?? null,
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!lecture) return
  const owner = { kind: 'lectures', uid } as const
  if (!(await setPlans(ctx, owner, values.accessPlanUids))) throw unknownPlan()
  await setTags(ctx, owner, await ensureTags(ctx, { texts: values.tags }))
  if (values.chapterUid !== null) await addToChapter(ctx, lecture.id, values.chapterUid)
  await recordAudit(ctx, { action: 'lecture.created', entity: 'lecture', entityUid: uid, after: values })
  await queueIndexing(ctx, { kind: 'lecture', uids: [uid] })
}

/** Adds the lecture to the end of a chapter. */
async function addToChapter(ctx: Ctx, lectureId: number, chapterUid: string): Promise<void> {
  const chapter = await ctx.db
    .selectFrom('chapters')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', chapterUid)
    .forUpdate()
    .executeTakeFirst()
  if (!chapter) throw new Invalid('There is no such chapter.', { chapterUid: 'There is no such chapter.' })
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
