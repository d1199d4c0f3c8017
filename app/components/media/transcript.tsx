import { useEffect, useRef } from 'react'
import { formatDuration } from '~/lib/duration.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'

type Line = { from: number; text: string }

/** What is said, line by line; it follows the film and jumps in it on a click. Without JavaScript it is there to be read. */
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
    // Whoever reads or walks through it is not pulled along; only the list moves, never the page or the focus.
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
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
