import { type MutableRefObject, type ReactNode, useEffect, useRef } from 'react'
import { readFilmAddress } from '~/lib/film-address.ts'
import { FilmPlayer } from '../../media/film-player.tsx'
import type { FilmHandle } from '../../media/use-film-tracking.ts'

export type PlayerHandle = { position: () => number; seek: (seconds: number) => void; toggle: () => void }

type Props = {
  src: string | null
  title: string
  handle: MutableRefObject<PlayerHandle | null>
  onTime: (seconds: number) => void
  /** Buttons that stay in view with the film. */
  children: ReactNode
}

/** The film beside its transcript. It tracks nothing. */
export function EditorPlayer({ src, title, handle, onTime, children }: Props) {
  const video = useRef<HTMLVideoElement>(null)
  const vimeo = useRef<FilmHandle | null>(null)
  const seconds = useRef(0)
  useEffect(() => {
    handle.current = {
      position: () => video.current?.currentTime ?? seconds.current,
      seek: (to) => {
        vimeo.current?.seek(to)
        const { current } = video
        if (!current) return
        current.currentTime = to
        current.play().catch(() => {})
      },
      toggle: () => {
        vimeo.current?.toggle()
        const { current } = video
        if (current?.paused) current.play().catch(() => {})
        else current?.pause()
      },
    }
  }, [handle])
  const note = (position: number) => {
    seconds.current = position
    onTime(position)
  }
  const buttons = <div className="flex flex-wrap gap-2 mt-2">{children}</div>
  if (src === null) {
    return (
      <div>
        <p className="muted">Enter the address of the film, or upload it, to play it here.</p>
        {buttons}
      </div>
    )
  }
  if (readFilmAddress(src)?.player === 'vimeo') {
    return (
      <div className="editorfilm">
        <FilmPlayer key={src} src={src} title={title} handle={vimeo} onTime={note} />
        {buttons}
      </div>
    )
  }
  return (
    <div className="editorfilm">
      <div className="film">
        {/* biome-ignore lint/a11y/useMediaCaption: its captions are written here */}
        <video
          key={src}
          ref={video}
          src={src}
          controls
          playsInline
          preload="metadata"
          aria-label={title}
          onTimeUpdate={(event) => note(event.currentTarget.currentTime)}
        />
      </div>
      {buttons}
    </div>
  )
}
