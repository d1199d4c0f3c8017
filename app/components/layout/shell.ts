import { useRouteLoaderData } from '@remix-run/react'
import type { Brand } from '~/config/brands.ts'

/** What every page's frame knows; root's loader makes it anew for each navigation. Never ids, never the viewer itself. */
export type Shell = {
  brand: Brand
  build: string
  /** For the forms of signed-in people. Before sign-in a page with a form asks for its own. */
  csrf: string | null
  viewer: { firstName: string; email: string; initials: string; isAdmin: boolean; isStaff: boolean } | null
  /** The mean of what the viewer has started, or null when nothing is. */
  progressPercent: number | null
}

/** Undefined only where root's loader itself has failed. */
export function useShell(): Shell | undefined {
  return useRouteLoaderData('root') as Shell | undefined
}
