import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { type VideoValues, videoForm } from '~/forms/videos.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { createFilm, type FilmColumns } from '../films/create-film.server.ts'
import { newUid, parseInput } from '../input.ts'
import { saveVideo } from './save-video.server.ts'
import { getVideo, type Video } from './videos.server.ts'

export type NewVideo = z.input<typeof videoForm> & { uid?: string }

/**
 * Creates a video, for staff. With a `uid` made by the client, a repeated request creates only one video. What has been
 * typed since the first request, whose answer was lost, is saved as a change of that video.
 */
export async function createVideo(ctx: Ctx, input: NewVideo): Promise<Video> {
  requireStaff(ctx, 'write')
  const values = parseInput(videoForm, input)
  const uid = newUid(input.uid)
  const insert = (ctx: Ctx, columns: FilmColumns) => insertVideo(ctx, values, columns)
  if (await createFilm(ctx, { kind: 'video', uid, values, insert })) return getVideo(ctx, { videoUid: uid })
  return (await saveVideo(ctx, { ...input, status: values.status, videoUid: uid, revision: 0 })).video
}

/** Returns false if a video with this uid exists. */
async function insertVideo(ctx: Ctx, values: VideoValues, columns: FilmColumns): Promise<boolean> {
  const video = await ctx.db
    .insertInto('videos')
    .values({
      ...columns,
      category: values.category,
      position: values.position ?? lastPosition(ctx),
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  return video !== undefined
}

/** The end of the Video Library. Videos with the same position are sorted by name. */
function lastPosition(ctx: Ctx): RawBuilder<number> {
  return sql`(select coalesce(max(position) + 1, 0) from videos where site_id = ${ctx.site.id})`
}
