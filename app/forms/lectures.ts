import { z } from 'zod'
import { tidyText } from '~/lib/text.ts'
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
import { emptyAsNull, tick, tickOr } from './optional-fields.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

/** Limits and texts of the lecture form. */
export const lectureLimits = { ...filmLimits, questionsMarkdown: 20_000 }

const fields = {
  name: textField({ max: lectureLimits.name, required: 'Lecture name is required' }),
  questionsMarkdown: textField({
    max: lectureLimits.questionsMarkdown,
    required: 'Guiding questions are required',
    tidy: tidyText,
  }),
}

const chapterUid = z.preprocess(emptyAsNull, uidField('There is no such chapter').nullable())

/** A whole new lecture. */
export const lectureForm = withFilmMedia(
  z.object({
    ...newFilmFields,
    ...fields,
    chapterUid,
    inLecturesPage: tickOr(false),
    comingSoon: tickOr(false),
  }),
)

/** The dialog. It has no chapter. */
export const lectureDialogForm = withFilmMedia(
  z.object({
    ...filmDialogFields,
    ...fields,
    inLecturesPage: tickOr(false),
    comingSoon: tickOr(false),
  }),
)

/** Changes to a lecture. Missing fields stay as they are. */
export const lectureChanges = withChangedMedia(
  z
    .object({ ...filmChanges, ...fields, chapterUid, inLecturesPage: tick, comingSoon: tick })
    .partial()
    .extend({ status: changedStatus }),
)

export const lectureFieldLabels = {
  ...filmFieldLabels,
  questionsMarkdown: 'Guiding questions',
  chapterUid: 'Chapter',
  inLecturesPage: 'Add to Lectures page',
  comingSoon: 'Coming Soon',
}

export type LectureValues = z.output<typeof lectureForm>
/** The fields that can be changed. */
export type LectureFields = z.output<typeof lectureDialogForm> & { chapterUid: string | null }

/** Reads the fields of the dialog's form as input for the service. */
export function lectureFormInput(form: FormFields): z.input<typeof lectureDialogForm> {
  return {
    ...filmFormInput(form),
    questionsMarkdown: textIn(form, 'questionsMarkdown'),
    inLecturesPage: form.get('inLecturesPage') !== null,
    comingSoon: form.get('comingSoon') !== null,
  }
}
