/** SQL of the lectures domain: lectures and their plans, tags and chapters. Ids stay inside this folder. */
import { type RawBuilder, sql } from 'kysely'
import type { FilmPhase } from '~/forms/films.ts'
import { isListed, isOpenable } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'
import { filmFileNameOf } from '../films/watch-media.server.ts'
import { pictureUidOf } from '../storage/files.server.ts'

export const columns = [
  'lectures.id',
  'lectures.uid',
  'lectures.name',
  'lectures.description',
  'lectures.presenter',
  'lectures.status',
  'lectures.questions_markdown as questionsMarkdown',
  'lectures.in_lectures_page as inLecturesPage',
  'lectures.coming_soon as comingSoon',
  'lectures.shows_terms as showsTerms',
  'lectures.phases',
  'lectures.cover_img_desc as coverImgDesc',
  'lectures.video_url as videoUrl',
  'lectures.vimeo_full_url as vimeoFullUrl',
  'lectures.duration',
  'lectures.thumbnail_url as thumbnailUrl',
  'lectures.updated_at as updatedAt',
] as const

export function selectLectures(ctx: Ctx) {
  return ctx.db
    .selectFrom('lectures')

    .select([
      ...columns,
      filmFileNameOf('lecture').as('videoFileName'),
      sql<boolean>`(lectures.status = 'published' and not lectures.coming_soon)`.as('isOpenable'),
    ])
}

export type LectureRow = Awaited<ReturnType<ReturnType<typeof selectLectures>['executeTakeFirstOrThrow']>>

/** Selects lectures with their cover and their step of the process. */
export function selectCards(ctx: Ctx) {
  return selectLectures(ctx)
    .leftJoin('stored_files', 'stored_files.id', 'lectures.cover_file_id')
    .leftJoin('lecture_chapters', 'lecture_chapters.lecture_id', 'lectures.id')
    .leftJoin('chapters', 'chapters.id', 'lecture_chapters.chapter_id')
    .leftJoin('sections', 'sections.id', 'chapters.section_id')
    .select([
      pictureUidOf('stored_files.id').as('coverImageUid'),
      'chapters.name as step',
      'sections.frontend_id as frontendId',
    ])
}

export type CardRow = Awaited<ReturnType<ReturnType<typeof selectCards>['executeTakeFirstOrThrow']>>

/**
 * Selects the lectures with "Add to Lectures page". `pageOrder` sorts them by section, chapter and position, then by
 * name.
 */
export function inPageOrder(ctx: Ctx, input: { phase: FilmPhase | null; only?: 'openable' }) {
  const visible: RawBuilder<boolean> = sql`${input.only ? isOpenable(ctx, 'lectures') : isListed(ctx, 'lectures')}`
  const query = ctx.db
    .selectFrom('lectures')
    .leftJoin('lecture_chapters', 'lecture_chapters.lecture_id', 'lectures.id')
    .leftJoin('chapters', 'chapters.id', 'lecture_chapters.chapter_id')
    .leftJoin('sections', 'sections.id', 'chapters.section_id')
    .where('lectures.in_lectures_page', '=', true)
    .where(visible)
  return input.phase ? query.where(sql<boolean>`${input.phase} = any(lectures.phases)`) : query
}

export const pageOrder = sql`sections.position nulls last, chapters.position nulls last, lecture_chapters.position nulls last,
  lectures.name, lectures.id`
