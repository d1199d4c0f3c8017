import { type ReactNode, useEffect, useRef, useState } from 'react'

/**
 * A list of names of limited height, so that what stands below it stays in view. It can be reached by keyboard while it
 * scrolls.
 */
export function NameBox({ label, children }: { label: string; children: ReactNode }) {
  const box = useRef<HTMLElement>(null)
  const [doesScroll, setScrolls] = useState(true)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () => setScrolls(element.scrollHeight > element.clientHeight)
    const watch = new ResizeObserver(measure)
    for (const one of [element, ...element.children]) watch.observe(one)
    return () => watch.disconnect()
  }, [])
  return (
    <section ref={box} className="namebox" tabIndex={doesScroll ? 0 : undefined} aria-label={label}>
      <ul className="namelist">{children}</ul>
    </section>
  )
}
