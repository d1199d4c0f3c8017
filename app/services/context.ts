import type { SiteKey } from '~/config/brands.ts'
import type { Database } from '~db/client.server.ts'
import { loginRequired, requireThat } from './errors.ts'

export type GroupName = 'learners' | 'instructors' | 'admins' | 'pending_users' | 'authors'
export type { SiteKey } from '~/config/brands.ts'

export type Site = {
  id: number
  uid: string
  key: SiteKey
  baseUrl: string
  timeZone: string
  surveyUrl: string | null
}

/** Who asks. `planId` is set only while the subscription is valid. Ids are internal: never hand a viewer to a component. */
export type Viewer = {
  id: number
  uid: string
  siteId: number
  email: string
  firstName: string
  lastName: string
  groups: GroupName[]
  planId: number | null
}

/** What a use-case may do to the web session; transports turn it into cookies. */
export type SessionPort = {
  /** The session row that authenticated this request, or null. */
  uid: string | null
  /** Starts a new session under a new id; any session that the request came with is ended. */
  begin(ctx: Ctx, userUid: string): Promise<void>
  end(ctx: Ctx): Promise<void>
}

export type Log = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The context of work for the whole installation, such as a nightly clean-up: it belongs to no site and acts for nobody. */
export type SystemCtx = {
  db: Database
  now: Date
  log: Log
}

/** The context of a use-case: whatever it reads and writes belongs to one site. */
export type Ctx = SystemCtx & {
  viewer: Viewer | null
  site: Site
  session: SessionPort
  /** Where the request came from, as far as TRUST_PROXY lets us believe it; for limits only. */
  address: string | null
}

/** Refuses with "Login required." where nobody is signed in. */
export function requireViewer(ctx: Ctx): Viewer {
  if (!ctx.viewer) throw loginRequired()
  return ctx.viewer
}

export function isAdmin(viewer: Viewer | null): boolean {
  return viewer?.groups.includes('admins') ?? false
}

/** Admins and authors: those who may open the console and see drafts. */
export function isStaff(viewer: Viewer | null): boolean {
  return isAdmin(viewer) || (viewer?.groups.includes('authors') ?? false)
}

/** A viewer of another site is nobody here. */
export function isAdminOf(viewer: Viewer | null, site: { id: number }): boolean {
  return viewer?.siteId === site.id && isAdmin(viewer)
}

export function isStaffOf(viewer: Viewer | null, site: { id: number }): boolean {
  return viewer?.siteId === site.id && isStaff(viewer)
}

/** Refuses everybody but admins of the site that is asked. */
export function requireAdminOfSite(ctx: Ctx): Viewer {
  const viewer = requireViewer(ctx)
  requireThat(isAdminOf(viewer, ctx.site))
  return viewer
}

/** The context of work on one site without a request: jobs, commands, seeds. Its session does nothing. */
export function siteContext(parts: { db: Database; site: Site; log: Log; now?: Date; viewer?: Viewer | null }): Ctx {
  return {
    db: parts.db,
    site: parts.site,
    log: parts.log,
    now: parts.now ?? new Date(),
    viewer: parts.viewer ?? null,
    session: { uid: null, begin: async () => {}, end: async () => {} },
    address: null,
  }
}
