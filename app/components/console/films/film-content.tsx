import { filmMediaFields, filmMediaFiles } from '~/forms/film-media.ts'
import type { FilmKindName } from '~/forms/films.ts'
import { lectureLimits } from '~/forms/lectures.ts'
import { useFormField } from '../../ui/fields.tsx'
import { MarkdownField } from '../markdown-field.tsx'
import { FilmMediaFields } from './film-media-fields.tsx'
import type { FilmMediaView } from './view.ts'

/** The names of the fields, for the tab. */
export const contentFields = [
  'videoSource',
  ...Object.keys(filmMediaFields),
  ...Object.keys(filmMediaFiles),
  'captionsNewLanguage',
  'captionsFirst',
  'questionsMarkdown',
]

type Props = {
  kind: FilmKindName
  formId: string
  media: FilmMediaView
  onBusyChange: (isBusy: boolean) => void
}

/** The tab "Content" of the dialog of a lecture or video. */
export function FilmContent({ kind, formId, media, onBusyChange }: Props) {
  const name = String(useFormField('name').defaultValue ?? '')
  return (
    <>
      <FilmMediaFields formId={formId} media={media} title={name || 'The film'} onBusyChange={onBusyChange} />
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
