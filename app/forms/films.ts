/** Fields that the forms of lectures and videos share. */
import { z } from 'zod'
import { tidyText } from '~/lib/text.ts'
import { filmMediaFields, filmMediaFiles, filmMediaInput } from './film-media.ts'
import { listField } from './lists.ts'
import { tick, tickOr } from './optional-fields.ts'
import { tagsField } from './tags.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

export const filmPhases = ['Discover', 'Develop', 'Deliver'] as const
export type FilmPhase = (typeof filmPhases)[number]

export const filmStatuses = ['draft', 'published'] as const
export type FilmStatus = (typeof filmStatuses)[number]

export const filmLimits = { name: 100, presenter: 50, description: 250, coverImgDesc: 150, tags: 50 }

export const filmFields = {
  presenter: z.preprocess((value) => value ?? '', textField({ max: filmLimits.presenter })),
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
  status: z.enum(filmStatuses, { errorMap: () => ({ message: 'The status must be draft or published' }) }),
  showsTerms: tickOr(true),
  /** In seconds; null if it is unknown. A film that is an uploaded file says it itself. */
  duration: z.preprocess((value) => value ?? null, z.number().int().min(0).max(86_400).nullable()),
  ...filmMediaFields,
}

/** A new film is a draft unless the input says otherwise. */
export const newFilmFields = { ...filmFields, status: z.preprocess((value) => value ?? 'draft', filmFields.status) }

/** The fields that the dialogs have. */
const { duration: _, ...dialogFields } = filmFields
export const filmDialogFields = dialogFields
/** The same for changes: a tick that is missing stays as it is. */
export const filmChanges = { ...dialogFields, showsTerms: tick }

/** Programs may send null for a status that stays. */
export const changedStatus = filmFields.status.nullish().transform((status) => status ?? undefined)

/** Shown when somebody wants to preview a film without an address. */
export function previewNeedsUrl(kind: FilmKindName): string {
  return `Can't preview ${kind} - please make sure that video embed code is entered`
}

export type FilmKindName = 'lecture' | 'video'

/** The text of a refusal to publish what is not saved. */
export function filmUnsaved(kind: FilmKindName): string {
  return `${kind === 'lecture' ? 'Lecture' : 'Video'} needs to be saved before publishing/unpublishing`
}

/** The form's file fields and the kind of upload for each. */
export const filmFileKinds = { coverImg: 'cover_img', ...filmMediaFiles } as const

/** Returns the name of the dialog's form. Each stored state has its own name. */
export function filmFormId(kind: FilmKindName, film: string, revision: string | number): string {
  return `${kind}-${film}-${revision}`
}

export type FormFields = {
  get(name: string): FormDataEntryValue | null
  getAll(name: string): unknown[]
  keys(): Iterable<string>
}

export function textIn(form: FormFields, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/** Reads the fields that both dialogs have as input for the services. */
export function filmFormInput(form: FormFields) {
  const text = (name: string) => textIn(form, name)
  return {
    name: text('name'),
    status: text('status') as FilmStatus,
    presenter: text('presenter'),
    description: text('description'),
    coverImg: text('coverImg'),
    coverImgDesc: text('coverImgDesc'),
    accessPlanUids: form.getAll('accessPlanUids'),
    phases: form.getAll('phases'),
    tags: text('tags'),
    showsTerms: form.get('showsTerms') !== null,
    ...filmMediaInput(form),
  }
}

/** What the fields are called, for the history and its refusals. */
export const filmFieldLabels = {
  name: 'Name',
  status: 'Status',
  coverImg: 'Cover image',
  coverImgDesc: 'Cover image description',
  presenter: 'Presenter',
  phases: 'Phases',
  tags: 'Topics/tags',
  accessPlanUids: 'Groups with access',
  description: 'Description',
  videoUrl: 'Video URL',
  videoFile: 'Video file',
  captions: 'Captions',
  transcript: 'Transcript',
  transcriptLanguage: 'Language of the transcript',
  transcriptAsCaptions: 'Use the transcript as captions',
  showsTerms: 'Show glossary definitions',
}
