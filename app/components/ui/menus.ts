import { useLocation, useMatches, useNavigationType } from '@remix-run/react'
import { useEffect, useRef } from 'react'

const open = 'details.menu[open]'

/**
 * What menus do beyond opening: Escape closes and gives the focus back, a click or the focus elsewhere closes, and so does
 * going to another page. Without JavaScript they are plain <details>.
 */
export function useMenus(): void {
  const { pathname } = useLocation()
  // Another page is the reason to close them; one that was opened before the scripts ran stays open.
  const closedFor = useRef(pathname)
  useEffect(() => {
    if (closedFor.current === pathname) return
    closedFor.current = pathname
    closeMenus(() => true)
  }, [pathname])
  useEffect(() => {
    const onOutside = (event: Event) => closeMenus((menu) => !menu.contains(event.target as Node))
    const onEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      closeMenus((menu) => {
        if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus()
        return true
      })
    }
    document.addEventListener('click', onOutside)
    document.addEventListener('focusin', onOutside)
    document.addEventListener('keydown', onEscape)
    return () => {
      document.removeEventListener('click', onOutside)
      document.removeEventListener('focusin', onOutside)
      document.removeEventListener('keydown', onEscape)
    }
  }, [])
}

function closeMenus(which: (menu: HTMLDetailsElement) => boolean): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>(open)) if (which(menu)) menu.open = false
}

/** After a client navigation the focus goes to the new page's beginning, as a document load would put it there. */
export function useFocusOnNavigation(): void {
  const { pathname, search } = useLocation()
  const type = useNavigationType()
  const place = placeInList(search)
  const before = useRef({ pathname, place, isDialog: false })
  // A dialog over its page takes the focus itself, and gives it back where it came from.
  const isDialog = useMatches().some(({ handle }) => (handle as { isDialog?: boolean } | undefined)?.isDialog)
  useEffect(() => {
    const { pathname: last, place: lastPlace, isDialog: wasDialog } = before.current
    before.current = { pathname, place, isDialog }
    if (isDialog || wasDialog || type === 'POP') return
    if (last !== pathname) document.getElementById('main')?.focus({ preventScroll: true })
    else if (lastPlace !== place) focusOnList()
  }, [pathname, place, type, isDialog])
}

/** Which part of a list an address shows. */
function placeInList(search: string): string {
  const params = new URLSearchParams(search)
  return `${params.get('page') ?? 1} ${params.get('after') ?? ''}`
}

/** Its pager is another one then, or gone: reading goes on where the page's list begins. */
function focusOnList(): void {
  const heading = document.querySelector<HTMLElement>('#main h1')
  if (!heading || heading.closest('.console')) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}
