/** A whole video by whoever owns the installation, for seeds: one transaction, by the rules of the form. Safe to repeat. */
import { type VideoValues, videoForm } from '~/forms/videos.ts'
import { searchKey } from '~/lib/text.ts'
import { setPlans, setTags, unknownPlan } from '../access/parts-writes.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { parseInput } from '../input.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { type FilmFiles, type GivenFilmFiles, recordFilmFiles, withFilmFiles } from '../storage/film-files.server.ts'
import { ensureTags } from '../tags/tags.server.ts'

export type OperatorVideo = Omit<VideoValues, 'coverImg'> &
  GivenFilmFiles & {
    /** Decides whether the video is there already; then nothing of it is changed. */
    uid: string
  }

export async function createVideoAsOperator(ctx: Ctx, input: OperatorVideo): Promise<{ videoUid: string }> {
  const isThere = await ctx.db.selectFrom('videos').select('id').where('uid', '=', input.uid).executeTakeFirst()
  // Asked first only to spare the work: the insert decides.
  if (isThere) return { videoUid: input.uid }
  await withFilmFiles(ctx, input, (ctx, files) => write(ctx, input, files))
  return { videoUid: input.uid }
}

/** False when it was there already. */
async function write(ctx: Ctx, input: OperatorVideo, files: FilmFiles): Promise<boolean> {
  const { cover: _cover, captions: _captions, ...rest } = input
  const values = parseInput(videoForm, { ...rest, coverImg: `${files.cover.originalUid}.png` })
  const video = await ctx.db
    .insertInto('videos')
    .values({
      uid: input.uid,
      site_id: ctx.site.id,
      name: values.name,
      search_key: searchKey(values.name),
      description: values.description,
      category: values.category,
      status: values.status,
      phases: values.phases,
      position: values.position,
      cover_img_desc: values.coverImgDesc,
      video_url: values.videoUrl,
      duration: values.duration,
      transcript: files.transcript,
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!video) return false
  await ctx.db
    .updateTable('videos')
    .set(await recordFilmFiles(ctx, files))
    .where('id', '=', video.id)
    .execute()
  const owner = { kind: 'videos', uid: input.uid } as const
  if (!(await setPlans(ctx, owner, values.accessPlanUids))) throw unknownPlan()
  await setTags(ctx, owner, await ensureTags(ctx, { texts: values.tags }))
  await recordAudit(ctx, { action: 'video.created', entity: 'video', entityUid: input.uid, after: values })
  await queueIndexing(ctx, { kind: 'video', uids: [input.uid] })
  return true
}
