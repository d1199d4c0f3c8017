import type { z } from 'zod'
import { type VideoValues, videoForm } from '~/forms/videos.ts'
import { searchKey } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { setPlans, setTags, unknownPlan } from '../access/parts-writes.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { newUid, parseInput } from '../input.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { fileIdOf } from '../storage/files.server.ts'
import type { Derivative } from '../storage/images.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { readUploadedCaptions } from '../uploads/captions.server.ts'
import { prepareCover, recordCover } from '../uploads/covers.server.ts'
import { getVideo, type Video } from './videos.server.ts'

type NewVideo = z.input<typeof videoForm> & { uid?: string }

/** Creates a video, for staff. With a `uid` made by the client, a repeated request creates only one video. */
export async function createVideo(ctx: Ctx, input: NewVideo): Promise<Video> {
  requireStaff(ctx, 'write')
  const values = parseInput(videoForm, input)
  const uid = newUid(input.uid)
  const cover = await prepareCover(ctx, { name: values.coverImg })
  await inTransaction(ctx, (ctx) => insertWhole(ctx, uid, values, cover))
  return getVideo(ctx, { videoUid: uid })
}

/** Inserts the video with everything that belongs to it, unless a video with this uid exists. */
async function insertWhole(ctx: Ctx, uid: string, values: VideoValues, cover: Derivative): Promise<void> {
  const coverUid = await recordCover(ctx, { name: values.coverImg, prepared: cover })
  const captions = values.captions === null ? null : await readUploadedCaptions(ctx, { name: values.captions })
  const video = await ctx.db
    .insertInto('videos')
    .values({
      uid,
      site_id: ctx.site.id,
      name: values.name,
      search_key: searchKey(values.name),
      description: values.description,
      category: values.category,
      status: values.status,
      phases: values.phases,
      position: values.position,
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
  if (!video) return
  const owner = { kind: 'videos', uid } as const
  if (!(await setPlans(ctx, owner, values.accessPlanUids))) throw unknownPlan()
  await setTags(ctx, owner, await ensureTags(ctx, { texts: values.tags }))
  await recordAudit(ctx, { action: 'video.created', entity: 'video', entityUid: uid, after: values })
  await queueIndexing(ctx, { kind: 'video', uids: [uid] })
}
