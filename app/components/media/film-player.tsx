import { type MutableRefObject, useCallback, useEffect, useRef, useState } from 'react'
import { readFilmAddress } from '~/lib/film-address.ts'
import type { Cue } from '~/lib/webvtt.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { startOf } from './film-clock.ts'
import type { FilmHandle, FilmHandlers } from './use-film-tracking.ts'
import { VimeoFrame } from './vimeo-frame.tsx'
import { storedVolume, storeVolume } from './volume.ts'

/** Captions in a language: the address of a file, or in a preview what is written there. */
export type FilmTrack = { language: string; label: string } & ({ address: string } | { cues: Cue[] })

const noTracks: FilmTrack[] = []

type FilmPlayerProps = Partial<FilmHandlers> & {
  /** The address of a file, or at Vimeo. */
  src: string
  /** In a preview, the film is an uploaded file of a form. */
  isFile?: boolean
  title: string
  poster?: string
  /** For native films only: Vimeo has its own captions. The first are shown by default. */
  tracks?: FilmTrack[]
  /** The progress from the last visit. */
  saved?: { percent: number; positionSeconds: number }
  initialVolume?: number
  /** Plays as soon as possible, if the browser allows it. */
  autoPlay?: boolean
  handle?: MutableRefObject<FilmHandle | null>
}

const documentedVolume = 0.2

/** A film with its cover and play button. Without JavaScript it is a plain video element or a link to Vimeo. */
export function FilmPlayer(props: FilmPlayerProps) {
  if (props.isFile) return <NativeFilm {...props} />
  const film = readFilmAddress(props.src)
  if (!film) return <p className="film film--none">This film cannot be played.</p>
  return film.player === 'vimeo' ? <VimeoFilm {...props} src={film.address} /> : <NativeFilm {...props} />
}

function NativeFilm({ src, title, poster, tracks = noTracks, autoPlay, handle, ...props }: FilmPlayerProps) {
  const video = useRef<HTMLVideoElement>(null)
  const isHydrated = useHydrated()
  const [hasBegun, setBegun] = useState(false)
  const wantsFocus = useRef(false)
  const latest = useRef(props)
  latest.current = props
  const moveTo = useCallback((seconds: number) => {
    const { current } = video
    if (current) current.currentTime = seconds
  }, [])

  useEffect(() => {
    const { current } = video
    if (!current) return
    current.volume = storedVolume(latest.current.initialVolume ?? documentedVolume)
    // The film may play already, if somebody pressed play before this script ran or before the length was known.
    // `begin` then reports the play.
    if (!current.paused) setBegun(true)
    const begin = () => {
      const { saved, onPlay } = latest.current
      const start = saved && current.currentTime === 0 ? startOf(saved, current.duration) : 0
      if (start > 0) current.currentTime = start
      if (!current.paused) onPlay?.(start, current.duration)
    }
    // The metadata may have loaded before this script ran.
    if (current.readyState >= 1) begin()
    else current.addEventListener('loadedmetadata', begin, { once: true })
    return () => current.removeEventListener('loadedmetadata', begin)
  }, [])
  useEffect(() => {
    if (!handle) return
    handle.current = {
      seek: (seconds) => {
        moveTo(seconds)
        video.current?.play().catch(() => {})
      },
      toggle: () => {
        if (video.current?.paused) video.current.play().catch(() => {})
        else video.current?.pause()
      },
    }
  }, [handle, moveTo])
  useEffect(() => {
    const [first] = tracks
    // A film forgets such a track only with its element, so this runs once.
    if (!video.current || !first || !('cues' in first) || video.current.textTracks.length >= tracks.length) return
    const written = video.current.addTextTrack('captions', first.label, first.language)
    for (const { from, to, text } of first.cues) written.addCue(new VTTCue(from, to, text))
    written.mode = 'showing'
  }, [tracks])
  // The play button disappears when pressed, so the film takes the focus.
  useEffect(() => {
    if (hasBegun && wantsFocus.current) video.current?.focus()
  }, [hasBegun])

  const report = (name: keyof FilmHandlers) => () => {
    const { current } = video
    if (current) latest.current[name]?.(current.currentTime, current.duration)
  }
  return (
    <div className="film">
      {/* biome-ignore lint/a11y/useMediaCaption: films with captions get a track */}
      <video
        ref={video}
        src={src}
        poster={poster}
        aria-label={title}
        // Before the first play, the big button replaces the controls.
        controls={hasBegun || !isHydrated}
        playsInline
        preload="metadata"
        autoPlay={autoPlay}
        onPlay={() => {
          setBegun(true)
          report('onPlay')()
        }}
        onPause={report('onPause')}
        onEnded={report('onEnded')}
        onTimeUpdate={report('onTime')}
        onSeeking={report('onSeek')}
        onVolumeChange={(event) => storeVolume(event.currentTarget.muted ? 0 : event.currentTarget.volume)}
      >
        {tracks.map((track, index) =>
          'address' in track ? (
            <track
              key={track.language}
              kind="captions"
              src={track.address}
              srcLang={track.language}
              label={track.label}
              default={index === 0}
            />
          ) : null,
        )}
      </video>
      {isHydrated && !hasBegun && (
        <button
          className="play"
          type="button"
          aria-label={`Play ${title}`}
          onClick={() => {
            wantsFocus.current = true
            setBegun(true)
            video.current?.play().catch(() => {})
          }}
        >
          <Icon name="play" />
        </button>
      )}
    </div>
  )
}

/** A film at Vimeo. The page makes no request to Vimeo before somebody presses play. */
function VimeoFilm({
  src,
  title,
  poster,
  tracks: _,
  saved,
  initialVolume,
  autoPlay = false,
  handle,
  ...handlers
}: FilmPlayerProps) {
  const isHydrated = useHydrated()
  const [start, setStart] = useState<number | null>(autoPlay ? 0 : null)
  const inner = useRef<FilmHandle | null>(null)
  useEffect(() => {
    if (!handle) return
    handle.current = {
      seek: (seconds) => (inner.current ? inner.current.seek(seconds) : setStart(seconds)),
      toggle: () => (inner.current ? inner.current.toggle() : setStart(0)),
    }
  }, [handle])
  if (start !== null) {
    return (
      <div className="film">
        <VimeoFrame
          {...handlers}
          address={src}
          title={title}
          saved={start > 0 ? { percent: 0, positionSeconds: start } : saved}
          volume={storedVolume(initialVolume ?? documentedVolume)}
          handle={inner}
        />
      </div>
    )
  }
  return (
    <div className="film">
      {poster && <img src={poster} alt="" />}
      {isHydrated ? (
        <button className="play" type="button" aria-label={`Play ${title}`} onClick={() => setStart(0)}>
          <Icon name="play" />
        </button>
      ) : (
        <a className="play" href={src} aria-label={`Play ${title} at Vimeo`}>
          <Icon name="play" />
        </a>
      )}
    </div>
  )
}
