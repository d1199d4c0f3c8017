import { Link, useLocation } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { formatDuration } from '~/lib/duration.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'

type Line = { from: number; text: string }

export type TranscriptView = {
  language: string
  lines: Line[]
  /** All languages in which there is a transcript. */
  languages: { language: string; label: string }[]
}

/**
 * The transcript, line by line. It follows the film, and a click on a line moves the film there. Without JavaScript it
 * is text.
 */
export function Transcript({
  language,
  lines,
  languages,
  current,
  onJump,
}: TranscriptView & {
  current: number
  onJump: (seconds: number) => void
}) {
  const isHydrated = useHydrated()
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    const box = list.current
    const line = box?.children[current] as HTMLElement | undefined
    // The list does not scroll while somebody uses it. It never moves the page or the focus.
    if (!box || !line || box.matches(':hover') || box.contains(document.activeElement)) return
    box.scrollTop = line.offsetTop - box.clientHeight / 3
  }, [current])
  if (languages.length === 0 || (lines.length === 0 && languages.length === 1)) return null
  return (
    <details className="fold" open>
      <summary>
        Transcript
        <Icon name="chevron" className="i--turn" />
      </summary>
      {languages.length > 1 && <Languages language={language} languages={languages} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach everything that scrolls */}
      <ol ref={list} className="transcript" tabIndex={0} aria-label="Transcript lines" lang={language}>
        {lines.map(({ from, text }, index) => (
          // Two lines may be the same.
          <li key={`${language} ${index}`} aria-current={index === current ? 'true' : undefined}>
            {isHydrated ? (
              <button type="button" onClick={() => onJump(from)}>
                <time>{formatDuration(from)}</time>
                <span>{text}</span>
              </button>
            ) : (
              <p>
                <time>{formatDuration(from)}</time>
                <span>{text}</span>
              </p>
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}

/** Links, so that the choice works without JavaScript too. The film plays on. */
function Languages({ language, languages }: Pick<TranscriptView, 'language' | 'languages'>) {
  const { search } = useLocation()
  const addressOf = (code: string) => {
    const params = new URLSearchParams(search)
    params.set('transcript', code)
    return `?${params}`
  }
  return (
    <nav className="flex flex-wrap gap-x-4 px-5 pb-3" aria-label="Language of the transcript">
      {languages.map((one) => (
        <Link
          key={one.language}
          to={addressOf(one.language)}
          replace
          preventScrollReset
          className="inline-flex min-h-[var(--tap)] items-center aria-[current]:font-semibold aria-[current]:no-underline"
          aria-current={one.language === language ? 'true' : undefined}
        >
          {one.label}
        </Link>
      ))}
    </nav>
  )
}
