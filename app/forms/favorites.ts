import { z } from 'zod'
import { uidField } from './uids.ts'

export const studyUnitTypes = ['module', 'course', 'video', 'lecture'] as const
export type StudyUnitType = (typeof studyUnitTypes)[number]

/** What a Save button sends. It names the wanted state, so that sending it twice changes nothing (L-165, L-166). */
export const favoriteForm = z.object({
  action: z.enum(['ADD', 'REMOVE'], { errorMap: () => ({ message: 'The action must be ADD or REMOVE' }) }),
  studyUnitType: z.enum(studyUnitTypes, {
    errorMap: () => ({ message: 'The type must be module, course, video or lecture' }),
  }),
  uid: uidField('There is no such item'),
})

export type FavoriteChange = z.output<typeof favoriteForm>
