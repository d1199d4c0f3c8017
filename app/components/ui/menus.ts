import { useLocation, useMatches, useNavigationType } from '@remix-run/react'
import { useEffect, useRef } from 'react'

const open = 'details.menu[open]'

/**
 * Closes open menus: on Escape, which also returns the focus, on a click or focus elsewhere, and when another page
 * opens. Without JavaScript menus are plain <details>.
 */
export function useMenus(): void {
  const { pathname } = useLocation()
  // Closes menus only when the path changes, so that a menu opened before hydration stays open.
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

/** Moves the focus to the beginning of the new page after a client navigation, as a document load does. */
export function useFocusOnNavigation(): void {
  const { pathname, search } = useLocation()
  const type = useNavigationType()
  const listPage = listPageOf(search)
  const before = useRef({ pathname, listPage, isDialog: false })
  // A dialog takes the focus itself, and returns it when it closes.
  const isDialog = useMatches().some(({ handle }) => (handle as { isDialog?: boolean } | undefined)?.isDialog)
  useEffect(() => {
    const { pathname: last, listPage: lastListPage, isDialog: wasDialog } = before.current
    before.current = { pathname, listPage, isDialog }
    if (isDialog || wasDialog || type === 'POP') return
    if (last !== pathname) document.getElementById('main')?.focus({ preventScroll: true })
    else if (lastListPage !== listPage) focusOnList()
  }, [pathname, listPage, type, isDialog])
}

/** Identifies the page of a list that an address shows. */
function listPageOf(search: string): string {
  const params = new URLSearchParams(search)
  return `${params.get('page') ?? 1} ${params.get('after') ?? ''}`
}

/** Moves the focus to the heading when a list shows another page, because the pager has changed or is gone. */
function focusOnList(): void {
  const heading = document.querySelector<HTMLElement>('#main h1')
  if (!heading || heading.closest('.console')) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}
