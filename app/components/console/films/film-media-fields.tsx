import { useRef, useState } from 'react'
import { useRefusal } from '../console-form.tsx'
import { keptFile } from '../kept-file.tsx'
import { CaptionsField } from './captions-field.tsx'
import { FilmSourceField, sourceAddress } from './film-source-field.tsx'
import { TranscriptEditor } from './transcript-editor.tsx'
import type { FilmMediaView } from './view.ts'

type Props = {
  formId: string
  media: FilmMediaView
  title: string
  /** The form must not be sent while this is true. */
  onBusyChange: (isBusy: boolean) => void
}

/** The source, the captions and the transcript of a lecture or video. */
export function FilmMediaFields({ formId, media, title, onBusyChange }: Props) {
  const refusal = useRefusal(formId)
  const [src, setSrc] = useState(() =>
    refusal
      ? sourceAddress({
          source: refusal.values.videoSource,
          file: keptFile(refusal.values, 'videoFile'),
          url: refusal.values.videoUrl ?? '',
        })
      : sourceAddress({ source: media.videoFile ? 'file' : 'address', file: media.videoFile, url: media.videoUrl }),
  )
  const busy = useRef(new Set<string>())
  const note = (field: string) => (isBusy: boolean) => {
    if (isBusy) busy.current.add(field)
    else busy.current.delete(field)
    onBusyChange(busy.current.size > 0)
  }
  return (
    <>
      <FilmSourceField formId={formId} media={media} onBusyChange={note('source')} onSourceChange={setSrc} />
      <CaptionsField formId={formId} captions={media.captions} onBusyChange={note('captions')} />
      <TranscriptEditor formId={formId} src={src} title={title} onBusyChange={note('transcript')} />
    </>
  )
}
