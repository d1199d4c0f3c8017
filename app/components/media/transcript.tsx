import { useEffect, useRef } from 'react'
import { formatDuration } from '~/lib/duration.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'

type Line = { from: number; text: string }

/**
 * The transcript, line by line. It follows the film, and a click on a line moves the film there. Without JavaScript it
 * is text.
 */
export function Transcript({
  lines,
  current,
  onJump,
}: {
  lines: Line[]
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
  if (lines.length === 0) return null
  return (
    <details className="fold" open>
      <summary>
        Transcript
        <Icon name="chevron" className="i--turn" />
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach everything that scrolls */}
      <ol ref={list} className="transcript" tabIndex={0} aria-label="Transcript lines">
        {lines.map(({ from, text }, index) => (
          <li key={`${from} ${text}`} aria-current={index === current ? 'true' : undefined}>
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
