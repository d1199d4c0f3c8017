import { useLoaderData } from '@remix-run/react'
import { useState } from 'react'
import { filmMediaForm } from '~/forms/film-media.ts'
import { ConsoleForm } from '../console-form.tsx'
import { FilmMediaFields } from '../films/film-media-fields.tsx'
import { type FilmMediaView, filmMediaDefaults } from '../films/view.ts'
import { SubmitButton } from '../submit-button.tsx'
import { Received } from './received.tsx'

const formId = 'part-film-media'

/** Shows the fields for the media of a film. The server checks the files, and saves nothing. */
export function FilmMediaExample() {
  const { media } = useLoaderData<{ media: FilmMediaView }>()
  const [isBusy, setBusy] = useState(false)
  return (
    <div className="max-w-3xl">
      <h1 className="mb-6">Media of a film</h1>
      <Received />
      <ConsoleForm
        id={formId}
        schema={filmMediaForm}
        defaults={filmMediaDefaults(media)}
        encType="multipart/form-data"
        isWaiting={isBusy}
        className="formstack"
      >
        <FilmMediaFields formId={formId} media={media} title="Example" onBusyChange={setBusy} />
        <p>
          <SubmitButton className="btn--primary" intent="save" busyWord="Saving">
            Save
          </SubmitButton>
        </p>
      </ConsoleForm>
    </div>
  )
}
