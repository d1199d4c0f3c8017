import { type ReactNode, useEffect, useRef } from 'react'

type Props = { label: string; className?: string; current: string; children: ReactNode }

/** Tabs that are links. On a narrow screen, where they scroll sideways, the chosen one is scrolled into view. */
export function TabNav({ label, className = '', current, children }: Props) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const tab = nav.current?.querySelector(`[aria-current]`)
    if (!nav.current || !tab || current === '') return
    // scrollIntoView would also scroll the page.
    const [own, around] = [tab.getBoundingClientRect(), nav.current.getBoundingClientRect()]
    const beyond = Math.max(0, own.right - around.right) || Math.min(0, own.left - around.left)
    nav.current.scrollLeft += beyond
  }, [current])
  return (
    <nav ref={nav} className={`tabs ${className}`} aria-label={label}>
      {children}
    </nav>
  )
}
