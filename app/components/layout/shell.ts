import { useRouteLoaderData } from '@remix-run/react'
import { type ComponentType, createContext, type ReactNode, useEffect } from 'react'
import type { Brand } from '~/config/brands.ts'
import type { Notice } from '~/lib/notice.ts'

/**
 * The data for the frame of every page. Root's loader makes it for each navigation. It must never contain ids or the
 * viewer object.
 */
export type Shell = {
  brand: Brand
  build: string
  /** The site's time zone, in which all times are shown. */
  timeZone: string
  /** The token for forms of signed-in people. Before sign-in, a page with a form gets its own token. */
  csrf: string | null
  /** The notice that a redirect left, shown once. */
  notice: Notice | null
  /** Set while an admin sees the site as the viewer: the banner that says so (pages/viewing-banner.server.ts). */
  viewing: { name: string; html: string } | null
  viewer: {
    firstName: string
    email: string
    initials: string
    groups: string[]
    isAdmin: boolean
    isStaff: boolean
    hasOutbox: boolean
    /** The day on which the subscription ended, and what to do about it; null if it has not. */
    accessEnded: { on: string; advice: string } | null
  } | null
  /** The features that are on for the site; none before sign-in. */
  flags: string[]
  /** The number of messages that the viewer has not opened; 0 if the site has no messages. */
  unreadCount: number
  /** The average progress of everything that the viewer has started; null if nothing has been started, and in the console. */
  progressPercent: number | null
}

/** Returns the shell, or undefined if root's loader failed. Only root's error boundary can see that. */
export function useShellIfAny(): Shell | undefined {
  return useRouteLoaderData('root') as Shell | undefined
}

export function useShell(): Shell {
  const shell = useShellIfAny()
  if (!shell) throw new Error('This page has no shell: root\u2019s loader has not run.')
  return shell
}

let last: Shell | undefined

/**
 * Returns the latest shell, so that an error page can keep its frame when a response is lost. Works only in the
 * browser.
 */
export function useLastShell(): Shell | undefined {
  return last
}

export function useKeptShell(shell: Shell): void {
  useEffect(() => {
    last = shell
  }, [shell])
}

/**
 * Holds the console's frame once its code has loaded. Root's error page uses it, too, without loading it for learners.
 */
export const frames: { console: ComponentType<{ shell: Shell; children: ReactNode }> | null } = { console: null }

/** Data that is known even if no loader ran. It comes from the request or, in the browser, from the document itself. */
type DocumentContext = {
  nonce: string | undefined
  requestId: string | null
  /** In the browser only if the document was made without the data of a loader. */
  brand: Brand | undefined
  palette: string
  product: string
  build: string
  /** The address that receives events. */
  eventPath: string | undefined
}

export const documentContext = createContext<DocumentContext>({
  nonce: undefined,
  requestId: null,
  brand: undefined,
  palette: 'titrate',
  product: '',
  build: '',
  eventPath: undefined,
})
