import { type FilmKindName, filmLimits } from '~/forms/films.ts'
import { lectureLimits } from '~/forms/lectures.ts'
import { TextField } from '../../ui/fields.tsx'
import { MarkdownField } from '../markdown-field.tsx'

/** The names of the fields, for the tab. */
export const contentFields = ['videoUrl', 'questionsMarkdown']

/** The tab "Content" of the dialog of a lecture or video. */
export function FilmContent({ kind }: { kind: FilmKindName }) {
  return (
    <>
      <TextField
        name="videoUrl"
        label="Video URL"
        hint="A Vimeo address or embed code, or the https address of an mp4 or webm file."
        maxLength={filmLimits.videoUrl}
      />
      {kind === 'lecture' && (
        <MarkdownField
          name="questionsMarkdown"
          label="Guiding questions"
          hint="Shown beside the film."
          maxLength={lectureLimits.questionsMarkdown}
        />
      )}
    </>
  )
}
