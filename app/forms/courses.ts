import { z } from 'zod'
import { tidyText } from '~/lib/text.ts'
import { readOutline } from './course-outline.ts'
import { durationField } from './durations.ts'
import { listField } from './lists.ts'
import { emptyAsNull, fileNameField, tick, tickOr } from './optional-fields.ts'
import { tagsField } from './tags.ts'
import { showsTermsLabel } from './terms.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

/** Limits and texts of the course form. We chose the sizes of the lists. */
export const courseLimits = {
  name: 100,
  description: 5000,
  synopsis: 1000,
  objective: 300,
  objectives: 30,
  coverImgDesc: 250,
  sections: 50,
  /** Of all sections together, as the modules. */
  chapters: 200,
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

export const unreadableSections = 'The sections could not be read. Reload the page and try again.'

/** The uid of a section or chapter; it gets a new one if the field is missing. */
const partUid = z.preprocess(emptyAsNull, uidField('This is not a part of the course').nullable())

const chapter = z.object({
  uid: partUid,
  name: textField({ max: courseLimits.name, required: 'Chapter name is required' }),
  description: optionalText(courseLimits.description),
  moduleUids: listField(uidField('There is no such module'), {
    max: courseLimits.modules,
    tooMany: `At most ${courseLimits.modules} modules`,
  }),
})

const section = z.object({
  uid: partUid,
  name: textField({ max: courseLimits.name, required: 'Section name is required' }),
  description: optionalText(courseLimits.description),
  chapters: z.preprocess((value) => value ?? [], z.array(chapter)),
})

/** How many entries the lists of this name have in all parts together. */
function countIn(parts: unknown[], name: string): number {
  const lists = parts.map((part) => (part as Record<string, unknown> | null | undefined)?.[name])
  return lists.reduce<number>((count, list) => count + (Array.isArray(list) ? list.length : 0), 0)
}

const chaptersOf = (sections: unknown[]) =>
  sections.flatMap((section) => (section as { chapters?: unknown[] } | null | undefined)?.chapters ?? [])

/** Counted before anything else is checked, so that a list of any length is refused at once. */
const someSections = z
  .array(z.unknown(), { required_error: unreadableSections, invalid_type_error: unreadableSections })
  .max(courseLimits.sections, `At most ${courseLimits.sections} sections`)
  .refine((list) => countIn(list, 'chapters') <= courseLimits.chapters, `At most ${courseLimits.chapters} chapters`)
  .refine(
    (list) => countIn(chaptersOf(list), 'moduleUids') <= courseLimits.modules,
    `At most ${courseLimits.modules} modules`,
  )

const isUnique = (list: (string | null)[]) => {
  const known = list.filter((uid) => uid !== null)
  return new Set(known).size === known.length
}

/** Each part and each module can be in a course only once. */
const checkedSections = z
  .array(section)
  .refine(
    (list) => isUnique(list.flatMap(({ chapters }) => chapters.flatMap(({ moduleUids }) => moduleUids))),
    'A module can be in a course only once',
  )
  .refine(
    (list) =>
      isUnique(list.map(({ uid }) => uid)) && isUnique(list.flatMap(({ chapters }) => chapters.map(({ uid }) => uid))),
    'A section or chapter can be in a course only once',
  )

const sections = someSections.pipe(checkedSections)

const accessPlanUids = listField(uidField('There is no such group'), { max: 100, tooMany: 'At most 100 groups' })
const tags = z.preprocess((value) => value ?? undefined, tagsField())
const name = textField({ max: courseLimits.name, required: 'Course name is required' })

/** A whole course. Learners do not see a course without access plans. */
export const courseForm = z.object({
  name,
  description: optionalText(courseLimits.description),
  synopsis: optionalText(courseLimits.synopsis),
  learningObjectives: objectives,
  bannerImg: fileNameField,
  coverImg: fileNameField,
  coverImgDesc: optionalLine(courseLimits.coverImgDesc),
  durationMinutes: durationField,
  showsTerms: tickOr(true),
  tags,
  accessPlanUids,
  sections: z.preprocess((value) => value, sections),
})

/** Changes to a course. Missing fields stay as they are; null clears a field that may be empty. */
export const courseChanges = z.object({
  name: name.optional(),
  description: optionalText(courseLimits.description).optional(),
  synopsis: optionalText(courseLimits.synopsis).optional(),
  learningObjectives: objectives.optional(),
  bannerImg: fileNameField.optional(),
  coverImg: fileNameField.optional(),
  coverImgDesc: optionalLine(courseLimits.coverImgDesc).optional(),
  durationMinutes: durationField.optional(),
  showsTerms: tick,
  tags: tags.optional(),
  accessPlanUids: accessPlanUids.optional(),
  sections: z.preprocess((value) => value ?? [], sections).optional(),
})

export type CourseValues = z.output<typeof courseForm>
export type CourseField = keyof CourseValues

export const courseFieldLabels: Record<CourseField, string> = {
  name: 'Name',
  description: 'Description',
  synopsis: 'Synopsis',
  learningObjectives: 'Learning objectives',
  bannerImg: 'Banner image',
  coverImg: 'Cover image',
  coverImgDesc: 'Cover image description',
  durationMinutes: 'Duration in minutes',
  showsTerms: showsTermsLabel,
  tags: 'Topics/tags',
  accessPlanUids: 'Groups with access',
  sections: 'Sections',
}

/** The form's file fields and the kind of upload for each. The banner follows the rules of covers. */
export const courseFileKinds = { coverImg: 'cover_img', bannerImg: 'cover_img' } as const

/** The field of the builder's picker, which holds the modules to add to a chapter. */
export const pickedModules = 'modules'

/** How many modules can be added to a chapter at once. */
export const mostPickedModules = 100

/** Returns the name of the dialog's form. Each stored state has its own name. */
export function courseFormId(course: string, revision: string | number): string {
  return `course-${course}-${revision}`
}

type FormFields = { get(name: string): FormDataEntryValue | null; getAll(name: string): unknown[] }

/** Reads the fields of the dialog's form as input for the service. */
export function courseFormInput(form: FormFields): z.input<typeof courseForm> {
  const text = (name: string) => {
    const value = form.get(name)
    return typeof value === 'string' ? value : ''
  }
  return {
    name: text('name'),
    description: text('description'),
    synopsis: text('synopsis'),
    learningObjectives: text('learningObjectives').split(/\r\n?|\n/),
    bannerImg: text('bannerImg'),
    coverImg: text('coverImg'),
    coverImgDesc: text('coverImgDesc'),
    durationMinutes: text('durationMinutes'),
    showsTerms: form.get('showsTerms') !== null,
    tags: text('tags'),
    accessPlanUids: form.getAll('accessPlanUids'),
    // An outline that cannot be read is refused like a missing one.
    sections: readOutline(form) ?? undefined,
  }
}

/** The dialog's form as the browser checks it: the fields as they are posted. */
export const courseDialogForm = z.preprocess((values) => {
  const fields = (values ?? {}) as Record<string, unknown>
  return courseFormInput({
    get: (name) => (typeof fields[name] === 'string' ? (fields[name] as string) : null),
    getAll: (name) => [fields[name] ?? []].flat(),
  })
}, courseForm)
