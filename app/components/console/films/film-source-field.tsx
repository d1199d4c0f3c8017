import { useState } from 'react'
import { videoUrlLimit } from '~/forms/film-media.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { readFilmAddress } from '~/lib/film-address.ts'
import { RadioGroup } from '../../ui/choice-fields.tsx'
import { TextField, useFormField } from '../../ui/fields.tsx'
import { useRefusal } from '../console-form.tsx'
import { FormFileField } from '../form-file-field.tsx'
import { keptFile } from '../kept-file.tsx'
import type { SentFile } from '../send-file.ts'
import type { FilmMediaView } from './view.ts'

type Props = {
  formId: string
  media: Pick<FilmMediaView, 'videoUrl' | 'videoFile' | 'maxVideoBytes'>
  onBusyChange: (isBusy: boolean) => void
  /** Called with the address that the film can be played from now, null if there is none. */
  onSourceChange?: (address: string | null) => void
}

/** Where a film is: at an address, or in a file that is uploaded. What is not chosen stays, and is not sent. */
export function FilmSourceField({ formId, media, onBusyChange, onSourceChange }: Props) {
  const refusal = useRefusal(formId)
  const initial = useFormField('videoSource').defaultValue
  const [source, setSource] = useState(initial === 'file' ? 'file' : 'address')
  const [file, setFile] = useState<SentFile | null>(refusal ? keptFile(refusal.values, 'videoFile') : media.videoFile)
  const [url, setUrl] = useState(String(useFormField('videoUrl').defaultValue ?? media.videoUrl))
  // An error shows the field that it is about, also if the other one is chosen.
  const { error: urlError } = useFormField('videoUrl')
  const { error: fileError } = useFormField('videoFile')
  const report = (next: { source?: string; file?: SentFile | null; url?: string }) =>
    onSourceChange?.(sourceAddress({ source, file, url, ...next }))
  return (
    <div
      // The choice hides the other field without a script, too.
      className="group formstack"
      onChange={({ target }) => {
        const { name, value } = target as HTMLInputElement
        if (name === 'videoSource') {
          setSource(value)
          report({ source: value })
        }
        if (name === 'videoUrl') {
          setUrl(value)
          report({ url: isComplete(value) ? value : '' })
        }
      }}
    >
      <RadioGroup
        name="videoSource"
        label="Where is the film?"
        options={[
          { value: 'address', label: 'At an address', hint: 'A film at Vimeo, or an MP4 or WebM file on the web.' },
          {
            value: 'file',
            label: 'In a file that I upload',
            hint: `MP4 or WebM, at most ${formatFileSize(media.maxVideoBytes)}. Only people who may open the film can fetch it.`,
          },
        ]}
      />
      <div className={urlError ? undefined : 'group-has-[[value=file]:checked]:hidden'}>
        <TextField
          name="videoUrl"
          label="Video URL"
          hint="An address, or the embed code that Vimeo gives you."
          maxLength={videoUrlLimit}
        />
      </div>
      <div className={fileError ? undefined : 'group-has-[[value=address]:checked]:hidden'}>
        <FormFileField
          name="videoFile"
          kind="video"
          label="Video file"
          maxBytes={media.maxVideoBytes}
          formId={formId}
          value={media.videoFile}
          onBusyChange={onBusyChange}
          onFileChange={(next) => {
            setFile(next)
            report({ file: next })
          }}
        />
      </div>
    </div>
  )
}

/** While an address is typed, its beginning would make the player ask for a film that is not there. */
function isComplete(url: string): boolean {
  const film = readFilmAddress(url)
  return film !== null && (film.player === 'vimeo' || /\.(mp4|webm|m3u8)([?#]|$)/i.test(film.address))
}

/** The address from which a film of a form can be played, saved or not. */
export function sourceAddress(given: { source: unknown; file: SentFile | null; url: string }): string | null {
  if (given.source === 'file') return given.file?.url ?? null
  return readFilmAddress(given.url)?.address ?? null
}
