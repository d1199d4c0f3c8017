import { useEffect, useRef, useState } from 'react'
import type { Film } from '~/config/home.ts'
import { Icon, IconFrame } from '../ui/icon.tsx'
import { useModal } from '../ui/modal.ts'
import { FilmPlayer } from './film-player.tsx'
import { lockScroll } from './scroll-lock.ts'

/** `onNext` is null if this is the last film. */
type Props = { film: Film; onNext: (() => void) | null; onClose: () => void }

/** Plays a film over the page. The page loads this dialog when somebody opens the first film. */
export function FilmDialog({ film, onNext, onClose }: Props) {
  const dialog = useModal()
  const video = useRef<HTMLVideoElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<'playing' | 'ended' | 'failed'>('playing')

  useEffect(() => {
    const unlock = lockScroll()
    video.current?.focus()
    return unlock
  }, [])
  const isReplaying = useRef(false)
  // A film without controls cannot take the focus, so this waits until the controls are back.
  useEffect(() => {
    if (state === 'playing' && isReplaying.current) video.current?.focus()
    isReplaying.current = false
  }, [state])
  // When the controls disappear, the group takes the focus. A Space meant for the film would press a button.
  useEffect(() => {
    if (state !== 'playing') end.current?.focus()
  }, [state])

  const finish = () => {
    if (document.fullscreenElement) document.exitFullscreen()
    setState('ended')
  }
  const replay = () => {
    const player = video.current
    if (!player) return
    setState('playing')
    if (state === 'failed') player.load()
    player.currentTime = 0
    player.play().catch(() => undefined)
    isReplaying.current = true
  }
  const playNext = () => {
    setState('playing')
    onNext?.()
    dialog.current?.focus()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is for pointers; Escape closes the dialog by keyboard
    <dialog
      ref={dialog}
      className="dlg filmdlg"
      aria-labelledby="film-title"
      tabIndex={-1}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <header>
        <h2 id="film-title">{film.title}</h2>
        <button type="button" className="iconbtn" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </header>
      <div className="film">
        <FilmPlayer
          ref={video}
          film={film}
          hasControls={state === 'playing'}
          onEnded={finish}
          onError={() => setState('failed')}
        />
        {state !== 'playing' && (
          <div className="filmend on-deep" ref={end} role="group" aria-labelledby="film-end" tabIndex={-1}>
            <p id="film-end">
              {state === 'ended'
                ? 'The video has ended.'
                : 'The film could not be loaded. Check your connection and try again.'}
            </p>
            <div className="acts">
              <button type="button" className="btn btn--deep-line" onClick={() => dialog.current?.close()}>
                CLOSE
              </button>
              <button type="button" className="btn btn--deep-line" onClick={replay}>
                <IconFrame>
                  <path d="M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.5 4v4.5H15" />
                </IconFrame>
                REPLAY
              </button>
              <button type="button" className="btn btn--deep" disabled={!onNext} onClick={playNext}>
                NEXT
              </button>
            </div>
          </div>
        )}
      </div>
    </dialog>
  )
}
