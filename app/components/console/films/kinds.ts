import { lecturesTable, videosTable } from '~/forms/film-tables.ts'
import type { FilmKindName } from '~/forms/films.ts'
import { lectureDialogForm } from '~/forms/lectures.ts'
import { videoDialogForm } from '~/forms/videos.ts'

/** What the pages of lectures and videos differ in. */
export const filmKinds = {
  lecture: {
    noun: 'lecture',
    title: 'Lecture',
    plural: 'Lectures',
    path: '/dashboard/lectures/',
    source: '/dashboard/lectures-rows/',
    table: lecturesTable,
    schema: lectureDialogForm,
  },
  video: {
    noun: 'video',
    title: 'Video',
    plural: 'Videos',
    path: '/dashboard/videos/',
    source: '/dashboard/videos-rows/',
    table: videosTable,
    schema: videoDialogForm,
  },
} as const satisfies Record<FilmKindName, object>
