import { z } from 'zod'
import { isStorable, tidyLine, tidyText } from '~/lib/text.ts'
import { durationField } from './durations.ts'
import { listField } from './lists.ts'
import { emptyAsNull, fileNameField, tick, tickOr } from './optional-fields.ts'
import { tagsField } from './tags.ts'
import { showsTermsLabel } from './terms.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

/** Limits and texts of the module form. */
export const moduleLimits = { name: 65, description: 250, coverImgDesc: 250, tags: 50 }

const zipRequired = 'Please upload a CMI5 zip file'
/** Shown for a saved module that is Coming Soon and has no zip yet. */
export const noPackageToPreview = "Can't preview the module - no CMI5 zip file has been uploaded"

export function packageProblemToPublish(status: string | null | undefined): string | null {
  if (status === 'parsed') return null
  if (status === 'error') return "Can't publish the module - the zip file cannot be used. Please upload another one."
  return "Can't publish the module - the zip file hasn't been processed"
}

const groupsRequired = 'Please select one or more groups'

const chapterRequired = 'Please choose a chapter of this section: a module belongs to a section by its chapter.'

const description = z.preprocess((value) => value ?? '', textField({ max: moduleLimits.description, tidy: tidyText }))

const tags = z
  .preprocess((value) => value ?? undefined, tagsField())
  .refine((list) => list.length <= moduleLimits.tags, `At most ${moduleLimits.tags} tags`)

const fields = {
  name: textField({ max: moduleLimits.name, required: 'Module name is required' }),
  coverImg: textField({ max: 300, required: 'Cover image is required' }),
  coverImgDesc: textField({ max: moduleLimits.coverImgDesc, required: 'Cover image description is required' }),
  accessPlanUids: listField(uidField('There is no such group'), {
    max: 100,
    tooMany: 'At most 100 groups',
    required: groupsRequired,
  }),
  tags,
  chapterUid: z.preprocess(emptyAsNull, uidField('There is no such chapter').nullable()),
  durationMinutes: durationField,
  cmi5Zip: fileNameField,
}

export const moduleStatus = z.enum(['draft', 'published'], {
  errorMap: () => ({ message: 'The status must be draft or published' }),
})

/** A whole module, for the dialog and createModule. "Add to Modules page" is on unless the input turns it off. */
export const moduleForm = z
  .object({
    ...fields,
    description,
    inSelfStudy: tickOr(true),
    comingSoon: tickOr(false),
    showsTerms: tickOr(true),
    /**
     * Sent by the dialog, where the section narrows down the chapters. It is not stored, so a section without a chapter
     * is refused.
     */
    section: z.string().max(100).nullish(),
  })
  .superRefine((module, issues) => {
    if (module.cmi5Zip === null && !module.comingSoon)
      issues.addIssue({ code: 'custom', path: ['cmi5Zip'], message: zipRequired })
    if (module.section && module.chapterUid === null)
      issues.addIssue({ code: 'custom', path: ['chapterUid'], message: chapterRequired })
  })
  .transform(({ section: _, ...module }) => module)

/** Changes to a module. Each field is checked as above. Missing fields stay unchanged. */
export const moduleChanges = z.object({
  name: fields.name.optional(),
  coverImg: fields.coverImg.optional(),
  coverImgDesc: fields.coverImgDesc.optional(),
  accessPlanUids: fields.accessPlanUids.optional(),
  description: description.optional(),
  tags: tags.optional(),
  chapterUid: fields.chapterUid.optional(),
  durationMinutes: fields.durationMinutes.optional(),
  inSelfStudy: tick,
  comingSoon: tick,
  showsTerms: tick,
  cmi5Zip: textField({ max: 300, required: zipRequired }).optional(),
})

/** An import, which names its module. Old modules may have longer names than the dialog accepts today. */
export const moduleImport = z.object({
  name: importText({ min: 1, max: 200, tidy: tidyLine }, 'The name must have 1 to 200 characters.'),
  description: z.preprocess(
    (value) => value ?? '',
    importText({ min: 0, max: 10_000, tidy: tidyText }, 'The description must have at most 10,000 characters.'),
  ),
  /** The name that completeUpload returned. */
  cmi5Zip: textField({ max: 300, required: zipRequired }),
  planName: textField({ max: 200, required: 'An access plan is required' }),
  chapterName: z.preprocess(emptyAsNull, textField({ max: 200 }).nullable()),
  /** Publishes the version as soon as the package is parsed. */
  publish: tickOr(false),
})

type ImportText = { min: number; max: number; tidy: (value: string) => string }

function importText({ min, max, tidy }: ImportText, problem: string) {
  return z
    .string({ errorMap: () => ({ message: problem }) })
    .refine(isStorable, problem)
    .transform(tidy)
    .refine((value) => value.length >= min && value.length <= max, problem)
}

export type ModuleStatus = z.output<typeof moduleStatus>
export type ModuleImport = z.output<typeof moduleImport>
export type ModuleValues = z.output<typeof moduleForm>
export type ModuleChanges = z.output<typeof moduleChanges>
export type ModuleField = keyof ModuleValues

export const moduleFieldLabels: Record<ModuleField, string> = {
  name: 'Name',
  coverImg: 'Cover image',
  coverImgDesc: 'Cover image description',
  accessPlanUids: 'Groups with access',
  description: 'Description',
  tags: 'Topics/tags',
  chapterUid: 'Chapter',
  durationMinutes: 'Duration in minutes',
  inSelfStudy: 'Add to Modules page',
  comingSoon: 'Coming Soon',
  showsTerms: showsTermsLabel,
  cmi5Zip: 'CMI5 zip file',
}

/** Returns the name of the dialog's form. Each stored state has its own name. */
export function moduleFormId(module: string, revision: string | number): string {
  return `module-${module}-${revision}`
}

/** The form's file fields and the kind of upload for each. */
export const moduleFileKinds = { coverImg: 'cover_img', cmi5Zip: 'cmi5_zip' } as const

/** Reads the fields of the dialog's form as input for the service. */
export function moduleFormInput(form: FormData): z.input<typeof moduleForm> {
  const text = (name: string) => {
    const value = form.get(name)
    return typeof value === 'string' ? value : ''
  }
  return {
    name: text('name'),
    coverImg: text('coverImg'),
    coverImgDesc: text('coverImgDesc'),
    accessPlanUids: form.getAll('accessPlanUids'),
    description: text('description'),
    tags: text('tags'),
    section: text('section'),
    chapterUid: text('chapterUid'),
    durationMinutes: text('durationMinutes'),
    inSelfStudy: form.has('inSelfStudy'),
    comingSoon: form.has('comingSoon'),
    showsTerms: form.has('showsTerms'),
    cmi5Zip: text('cmi5Zip'),
  }
}
