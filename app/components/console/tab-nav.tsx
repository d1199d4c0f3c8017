import { type ReactNode, useEffect, useRef } from 'react'

type Props = { label: string; className?: string; current: string; children: ReactNode }

/** Tabs that are links. On a narrow screen, where they scroll sideways, the chosen one is scrolled into view. */
export function TabNav({ label, className = '', current, children }: Props) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const tab = nav.current?.querySelector('[aria-current]')
    if (!tab || current === '') return
    scrollToTab(tab)
    // The site's font may arrive after the scripts and widen the tabs.
    document.fonts.ready.then(() => scrollToTab(tab))
  }, [current])
  return (
    <nav ref={nav} className={`tabs ${className}`} aria-label={label}>
      {children}
    </nav>
  )
}

/** scrollIntoView would also scroll the page. */
function scrollToTab(tab: Element): void {
  const nav = tab.closest('nav')
  if (!nav) return
  const [own, around] = [tab.getBoundingClientRect(), nav.getBoundingClientRect()]
  // Browsers round positions of scrolling down to whole pixels, which would cut off a part of one.
  nav.scrollLeft += Math.max(0, Math.ceil(own.right - around.right)) || Math.min(0, Math.floor(own.left - around.left))
}
