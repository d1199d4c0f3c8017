import { useLocation, useMatches } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { useShell } from '../layout/shell.ts'
import { sendEvent } from './send-event.ts'
import { viewedPath } from './viewed-path.ts'

/** "View Page {name}", by the section label of the title; the same page again in a row is one view. */
export function usePageViews(): void {
  const { pathname } = useLocation()
  const { brand, csrf } = useShell()
  const last = useRef('')
  const isDialog = useMatches().some(({ handle }) => (handle as { isDialog?: boolean } | undefined)?.isDialog)
  const token = useRef(csrf)
  token.current = csrf
  useEffect(() => {
    const name = document.title.replace(`${brand.name} : `, '').slice(0, 80)
    const view = `${name}|${pathname}`
    if (view === last.current) return
    // A dialog over the page that was seen last is no page of its own.
    if (isDialog && last.current.startsWith(`${name}|`)) return
    last.current = view
    sendEvent(`View Page ${name}`, { path: viewedPath(pathname) }, { csrf: token.current })
  }, [pathname, brand.name, isDialog])
}
