/** SQL of the videos domain: videos and their plans and tags. Ids stay inside this folder. */
import { type RawBuilder, sql } from 'kysely'
import type { FilmPhase } from '~/forms/films.ts'
import type { VideoCategory } from '~/forms/videos.ts'
import { isListed, isOpenable } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'
import { filmFileNameOf } from '../films/watch-media.server.ts'
import { pictureUidOf } from '../storage/files.server.ts'

export function selectVideos(ctx: Ctx) {
  return ctx.db
    .selectFrom('videos')
    .leftJoin('stored_files', 'stored_files.id', 'videos.cover_file_id')
    .select([
      'videos.id',
      'videos.uid',
      'videos.name',
      'videos.description',
      'videos.presenter',
      'videos.category',
      'videos.status',
      'videos.phases',
      'videos.shows_terms as showsTerms',
      'videos.video_url as videoUrl',
      'videos.duration',
      'videos.cover_img_desc as coverImgDesc',
      'videos.updated_at as updatedAt',
      filmFileNameOf('video').as('videoFileName'),
      pictureUidOf('stored_files.id').as('coverImageUid'),
    ])
}

export type VideoRow = Awaited<ReturnType<ReturnType<typeof selectVideos>['executeTakeFirstOrThrow']>>

export type VideoFilter = { phase?: FilmPhase | null; category?: VideoCategory | null }

/** Selects the Video Library, filtered or not. */
export function inLibrary(ctx: Ctx, filter: VideoFilter, only?: 'openable') {
  const visible: RawBuilder<boolean> = sql`${only ? isOpenable(ctx, 'videos') : isListed(ctx, 'videos')}`
  let query = ctx.db.selectFrom('videos').where(visible)
  if (filter.phase) query = query.where(sql<boolean>`${filter.phase} = any(videos.phases)`)
  if (filter.category) query = query.where('videos.category', '=', filter.category)
  return query
}

export const libraryOrder = sql`videos.position, videos.name, videos.id`
