/** A whole video by whoever owns the installation, for seeds: one transaction, by the rules of the form. Safe to repeat. */
import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { type VideoValues, videoForm } from '~/forms/videos.ts'
import { searchKey } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { discardFilmFiles, type FilmFiles, receiveFilmFiles, recordFilmFiles } from '../storage/film-files.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { findPlanIds } from './queries.server.ts'

export type OperatorVideo = Omit<VideoValues, 'coverImg'> & {
  /** Decides whether the video is there already; then nothing of it is changed. */
  uid: string
  /** A PNG. */
  cover: Readable
  /** A WebVTT file's text; the transcript is made of it. */
  captions: string | null
}

export async function createVideoAsOperator(ctx: Ctx, input: OperatorVideo): Promise<{ videoUid: string }> {
  const isThere = await ctx.db.selectFrom('videos').select('id').where('uid', '=', input.uid).executeTakeFirst()
  // Asked first only to spare the work: the insert decides.
  if (isThere) return { videoUid: input.uid }
  const files = await receiveFilmFiles(ctx, input)
  try {
    const isNew = await inTransaction(ctx, (ctx) => write(ctx, input, files))
    if (!isNew) await discardFilmFiles(files)
  } catch (error) {
    await discardFilmFiles(files)
    throw error
  }
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
  await recordFilmFiles(ctx, files)
  await attach(ctx, video.id, files, values.accessPlanUids)
  await attachTags(ctx, video.id, await ensureTags(ctx, { texts: values.tags }))
  await recordAudit(ctx, { action: 'video.created', entity: 'video', entityUid: input.uid, after: values })
  await queueIndexing(ctx, { kind: 'video', uids: [input.uid] })
  return true
}

async function attach(ctx: Ctx, videoId: number, files: FilmFiles, planUids: string[]): Promise<void> {
  const file = (uid: string | null) =>
    sql<number | null>`(select id from stored_files where site_id = ${ctx.site.id} and uid = ${uid}::uuid)`
  await ctx.db
    .updateTable('videos')
    .set({ cover_file_id: file(files.cover.originalUid), captions_file_id: file(files.captions?.uid ?? null) })
    .where('id', '=', videoId)
    .execute()
  const planIds = await findPlanIds(ctx, planUids)
  if (planIds.length !== planUids.length) throw new Invalid('One of the access plans does not exist.')
  await ctx.db
    .insertInto('video_access_plans')
    .values(planIds.map((access_plan_id) => ({ site_id: ctx.site.id, video_id: videoId, access_plan_id })))
    .execute()
}

async function attachTags(ctx: Ctx, videoId: number, tagUids: string[]): Promise<void> {
  await ctx.db
    .insertInto('video_tags')
    .columns(['site_id', 'video_id', 'tag_id'])
    .expression((eb) =>
      eb
        .selectFrom('tags')
        .select(['tags.site_id', sql<number>`${videoId}::bigint`.as('video_id'), 'tags.id'])
        .where('tags.site_id', '=', ctx.site.id)
        .where(sql<boolean>`tags.uid = any(${tagUids}::uuid[])`),
    )
    .execute()
}
