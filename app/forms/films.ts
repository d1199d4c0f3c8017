/** Fields that the forms of lectures and videos share. */
import { z } from 'zod'
import { tidyText } from '~/lib/text.ts'
import { filmMediaFields, videoUrlLimit } from './film-media.ts'
import { listField } from './lists.ts'
import { tagsField } from './tags.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

export const filmPhases = ['Discover', 'Develop', 'Deliver'] as const
export type FilmPhase = (typeof filmPhases)[number]

export const filmLimits = { name: 100, description: 250, coverImgDesc: 150, videoUrl: videoUrlLimit, tags: 50 }

export const filmFields = {
  description: textField({ max: filmLimits.description, required: 'Description is required', tidy: tidyText }),
  coverImg: textField({ max: 300, required: 'Cover image is required' }),
  coverImgDesc: textField({ max: filmLimits.coverImgDesc, required: 'Cover image description is required' }),
  accessPlanUids: listField(uidField('There is no such access plan'), {
    max: 100,
    tooMany: 'At most 100 access plans',
    required: 'At least one access plan is required',
  }),
  phases: listField(z.enum(filmPhases, { errorMap: () => ({ message: 'There is no such phase' }) }), {
    max: filmPhases.length,
    tooMany: 'There are three phases',
  }),
  tags: z
    .preprocess((value) => value ?? undefined, tagsField())
    .refine((list) => list.length <= filmLimits.tags, `At most ${filmLimits.tags} tags`),
  status: z.enum(['draft', 'published'], { errorMap: () => ({ message: 'The status must be draft or published' }) }),
  /** In seconds; null if it is unknown. A film that is an uploaded file says it itself. */
  duration: z.number().int().min(0).max(86_400).nullable(),
  ...filmMediaFields,
}
