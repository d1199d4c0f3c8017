import { z } from 'zod'
import { withChangedMedia, withFilmMedia } from './film-media.ts'
import {
  changedStatus,
  type FormFields,
  filmChanges,
  filmDialogFields,
  filmFieldLabels,
  filmFormInput,
  filmLimits,
  newFilmFields,
  textIn,
} from './films.ts'
import { textField } from './text.ts'

export const videoCategories = ['expert', 'case_study', 'animation'] as const
export type VideoCategory = (typeof videoCategories)[number]

export const categoryNames: Record<VideoCategory, string> = {
  expert: 'Expert',
  case_study: 'Case study',
  animation: 'Animation',
}

const fields = {
  name: textField({ max: filmLimits.name, required: 'Video name is required' }),
  category: z.enum(videoCategories, {
    errorMap: (_, { data }) => ({ message: data ? 'There is no such category' : 'Category is required' }),
  }),
}

/** A whole new video. Without a position it is at the end of the Video Library. */
export const videoForm = withFilmMedia(
  z.object({
    ...newFilmFields,
    ...fields,
    position: z.number().int().min(0).max(1_000_000).nullish(),
  }),
)

export const videoDialogForm = withFilmMedia(z.object({ ...filmDialogFields, ...fields }))

/** Changes to a video. Missing fields stay as they are. */
export const videoChanges = withChangedMedia(
  z
    .object({ ...filmChanges, ...fields })
    .partial()
    .extend({ status: changedStatus }),
)

export const videoFieldLabels = { ...filmFieldLabels, category: 'Category' }

export type VideoValues = z.output<typeof videoForm>
export type VideoFields = z.output<typeof videoDialogForm>

/** Reads the fields of the dialog's form as input for the service. */
export function videoFormInput(form: FormFields): z.input<typeof videoDialogForm> {
  return { ...filmFormInput(form), category: textIn(form, 'category') as VideoCategory }
}
