import type { MouseEvent } from 'react'
import type { Film } from '~/config/home.ts'
import { IconFrame } from '../ui/icon.tsx'

export type Watch = (film: Film, opener: HTMLElement) => void

type Props = { film: Film; label: string; className: string; onWatch: Watch; isIconOnly?: boolean }

/** Plays a film. Without JavaScript the surrounding form requests the page with the film inside it. */
export function WatchButton({ film, label, className, onWatch, isIconOnly = false }: Props) {
  const watch = (event: MouseEvent<HTMLButtonElement>) => {
    event.preventDefault()
    onWatch(film, event.currentTarget)
  }
  return (
    <button
      type="submit"
      name="watch"
      value={film.key}
      className={className}
      aria-label={isIconOnly ? label : undefined}
      onClick={watch}
    >
      <IconFrame>
        <path d="M8 5.2v13.6L19 12z" fill="currentColor" />
      </IconFrame>
      {!isIconOnly && label}
    </button>
  )
}
