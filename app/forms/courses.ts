import { z } from 'zod'
import { tidyText } from '~/lib/text.ts'
import { durationField } from './durations.ts'
import { listField } from './lists.ts'
import { fileNameField } from './optional-fields.ts'
import { tagsField } from './tags.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

/** Limits and texts of the course form. We chose the sizes of the lists. */
const courseLimits = {
  name: 100,
  description: 5000,
  synopsis: 1000,
  objective: 300,
  objectives: 30,
  coverImgDesc: 250,
  sections: 50,
  chapters: 50,
  modules: 200,
}

const optionalLine = (max: number) => z.preprocess((value) => value ?? '', textField({ max }))
const optionalText = (max: number) => z.preprocess((value) => value ?? '', textField({ max, tidy: tidyText }))

/** Trims the objectives, drops blank ones, and refuses duplicates. */
const objectives = z
  .preprocess((value) => value ?? [], z.array(textField({ max: courseLimits.objective })))
  .transform((list) => list.filter((objective) => objective !== ''))
  .refine((list) => list.length <= courseLimits.objectives, `At most ${courseLimits.objectives} learning objectives`)
  .refine((list) => new Set(list).size === list.length, 'Learning objectives must be unique')

const chapter = z.object({
  name: textField({ max: courseLimits.name, required: 'Chapter name is required' }),
  description: optionalText(courseLimits.description),
  moduleUids: listField(uidField('There is no such module'), {
    max: courseLimits.modules,
    tooMany: `At most ${courseLimits.modules} modules`,
  }),
})

const section = z.object({
  name: textField({ max: courseLimits.name, required: 'Section name is required' }),
  description: optionalText(courseLimits.description),
  chapters: z.array(chapter).max(courseLimits.chapters, `At most ${courseLimits.chapters} chapters`),
})

/** A module can be in a course only once. */
const sections = z
  .array(section)
  .max(courseLimits.sections, `At most ${courseLimits.sections} sections`)
  .refine((list) => {
    const uids = list.flatMap(({ chapters }) => chapters.flatMap(({ moduleUids }) => moduleUids))
    return new Set(uids).size === uids.length
  }, 'A module can be in a course only once')

/** A whole course. Learners do not see a course without access plans. */
export const courseForm = z.object({
  name: textField({ max: courseLimits.name, required: 'Course name is required' }),
  description: optionalText(courseLimits.description),
  synopsis: optionalText(courseLimits.synopsis),
  learningObjectives: objectives,
  coverImg: fileNameField,
  coverImgDesc: optionalLine(courseLimits.coverImgDesc),
  durationMinutes: durationField,
  tags: z.preprocess((value) => value ?? undefined, tagsField()),
  accessPlanUids: listField(uidField('There is no such group'), {
    max: 100,
    tooMany: 'At most 100 groups',
  }),
  sections,
})

export type CourseValues = z.output<typeof courseForm>
