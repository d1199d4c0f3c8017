import { z } from 'zod'
import { uidField } from './uids.ts'

export const studyUnitTypes = ['module', 'course', 'video', 'lecture'] as const
export type StudyUnitType = (typeof studyUnitTypes)[number]

/** What a press on Save says, absolutely: said twice it means the same (L-165, L-166). */
export const favouriteForm = z.object({
  action: z.enum(['ADD', 'REMOVE'], { errorMap: () => ({ message: 'The action is ADD or REMOVE' }) }),
  studyUnitType: z.enum(studyUnitTypes, {
    errorMap: () => ({ message: 'The type is module, course, video or lecture' }),
  }),
  uid: uidField('There is no such item'),
})

export type FavouriteChange = z.output<typeof favouriteForm>
