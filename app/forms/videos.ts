import { z } from 'zod'
import { withFilmMedia } from './film-media.ts'
import { filmFields, filmLimits } from './films.ts'
import { textField } from './text.ts'

export const videoCategories = ['expert', 'case_study', 'animation'] as const
export type VideoCategory = (typeof videoCategories)[number]

export const videoForm = withFilmMedia(
  z.object({
    name: textField({ max: filmLimits.name, required: 'Video name is required' }),
    category: z.enum(videoCategories, { errorMap: () => ({ message: 'There is no such category' }) }),
    position: z.number().int().min(0).max(1_000_000),
    ...filmFields,
  }),
)

export type VideoValues = z.output<typeof videoForm>
