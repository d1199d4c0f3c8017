import { z } from 'zod'
import { tidyText } from '~/lib/text.ts'
import { withFilmMedia } from './film-media.ts'
import { filmFields, filmLimits } from './films.ts'
import { emptyAsNull, tickOr } from './optional-fields.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

/** Limits and texts of the lecture form. */
const lectureLimits = { ...filmLimits, presenter: 50, questionsMarkdown: 20_000 }

export const lectureForm = withFilmMedia(
  z.object({
    name: textField({ max: lectureLimits.name, required: 'Lecture name is required' }),
    presenter: z.preprocess((value) => value ?? '', textField({ max: lectureLimits.presenter })),
    questionsMarkdown: textField({
      max: lectureLimits.questionsMarkdown,
      required: 'Guiding questions are required',
      tidy: tidyText,
    }),
    chapterUid: z.preprocess(emptyAsNull, uidField('There is no such chapter').nullable()),
    inLecturesPage: tickOr(false),
    comingSoon: tickOr(false),
    ...filmFields,
  }),
)

export type LectureValues = z.output<typeof lectureForm>
