import { useRouteLoaderData } from '@remix-run/react'
import { type ComponentType, createContext, type ReactNode, useEffect } from 'react'
import type { Brand } from '~/config/brands.ts'
import type { Notice } from '~/lib/notice.ts'

/** What every page's frame knows; root's loader makes it anew for each navigation. Never ids, never the viewer itself. */
export type Shell = {
  brand: Brand
  build: string
  /** Of the site: every time that is shown is in it. */
  timeZone: string
  /** For the forms of signed-in people. Before sign-in a page with a form asks for its own. */
  csrf: string | null
  /** What a redirect left to say; once. */
  notice: Notice | null
  viewer: {
    firstName: string
    email: string
    initials: string
    groups: string[]
    isAdmin: boolean
    isStaff: boolean
    hasOutbox: boolean
  } | null
  /** Features of the site that are on; none before sign-in. */
  flags: string[]
  /** Announcements that the viewer has not opened; 0 where the site has none. */
  unreadCount: number
  /** The mean of what the viewer has started, or null when nothing is. */
  progressPercent: number | null
}

/** Undefined where root's loader itself has failed: only its error boundary meets that. */
export function useShellIfAny(): Shell | undefined {
  return useRouteLoaderData('root') as Shell | undefined
}

export function useShell(): Shell {
  const shell = useShellIfAny()
  if (!shell) throw new Error('This page has no shell: root\u2019s loader has not run.')
  return shell
}

let last: Shell | undefined

/** The frame that an error page keeps when the answer that it should have come with is lost. In the browser only. */
export function useLastShell(): Shell | undefined {
  return last
}

export function useKeptShell(shell: Shell): void {
  useEffect(() => {
    last = shell
  }, [shell])
}

/** The console's own frame, as soon as its code is there: root's error page wears it, too, and learners do not load it. */
export const frames: { console: ComponentType<{ shell: Shell; children: ReactNode }> | null } = { console: null }

/** What a document knows even when nothing could be loaded: from the request, or in the browser from the document itself. */
type DocumentContext = {
  nonce: string | undefined
  requestId: string | null
  palette: string
  product: string
  build: string
  /** Where events go. */
  eventPath: string | undefined
}

export const documentContext = createContext<DocumentContext>({
  nonce: undefined,
  requestId: null,
  palette: 'titrate',
  product: '',
  build: '',
  eventPath: undefined,
})
