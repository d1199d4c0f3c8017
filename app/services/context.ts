import type { SiteKey } from '~/config/brands.ts'
import type { Database } from '~db/client.server.ts'
import { Forbidden, loginRequired, requireThat } from './errors.ts'

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

/** A person who is signed in. `planId` is set only while the subscription is valid. Ids are internal: never pass a viewer to a component. */
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

/** The context of a use-case: whatever it reads and writes belongs to one site. `actorOf` says who acts. */
export type Ctx = SystemCtx & {
  /** The person who is signed in. */
  viewer: Viewer | null
  /** True in commands and seeds, which whoever owns the installation runs. */
  isOperator: boolean
  /** What the key or the access token of a program allows; null for everybody who came without one. */
  scopes: readonly string[] | null
  site: Site
  session: SessionPort
  /** Where the request came from, as far as TRUST_PROXY lets us believe it; for limits only. */
  address: string | null
}

/** Who acts: a person, the operator, or nobody (a visitor, or a job). Somebody who is signed in goes before the operator. */
export type Actor = Viewer | 'operator' | null

export function actorOf(ctx: Pick<Ctx, 'viewer' | 'isOperator'>): Actor {
  return ctx.viewer ?? (ctx.isOperator ? 'operator' : null)
}

/** The columns that say who made something; the name is kept when the account is gone. Nobody made what the operator made. */
export function authorColumns({ viewer }: Pick<Ctx, 'viewer'>): { author_id: number | null; author_name: string } {
  return {
    author_id: viewer?.id ?? null,
    author_name: viewer ? `${viewer.firstName} ${viewer.lastName}`.trim() : '',
  }
}

/**
 * The guards. Each refuses with "Login required." where nobody acts, and with Forbidden where the actor may not do it. A service that writes
 * passes 'write', which an access token that may only read does not have. A test lists services that write without a guard.
 */
export type Access = 'read' | 'write'

/** For what everybody who is signed in may do. */
export function requireViewer(ctx: Ctx, access: Access = 'read'): Viewer {
  if (!ctx.viewer) throw loginRequired()
  requireScope(ctx, access)
  return ctx.viewer
}

/** The same, and for the operator too. */
export function requireActor(ctx: Ctx, access: Access = 'read'): void {
  if (actorOf(ctx) === null) throw loginRequired()
  requireScope(ctx, access)
}

/** For what admins and authors of the site may do. */
export function requireStaff(ctx: Ctx, access: Access = 'read'): void {
  requireActor(ctx, access)
  requireThat(actsAsStaff(ctx))
}

/** For what only admins of the site may do. */
export function requireAdmin(ctx: Ctx, access: Access = 'read'): void {
  requireActor(ctx, access)
  requireThat(actsAsAdmin(ctx))
}

function requireScope({ scopes }: Ctx, access: Access): void {
  if (scopes === null || scopes.includes(access)) return
  throw new Forbidden(`The scopes of this token do not allow to ${access}.`, 'token.scope')
}

/** For what people may do to their own account, and admins of the site to anybody's. */
export function requireSelfOrAdmin(ctx: Ctx, userUid: string, access: Access = 'read'): void {
  requireActor(ctx, access)
  requireThat(actsAsAdmin(ctx) || (ctx.viewer?.siteId === ctx.site.id && ctx.viewer.uid === userUid.toLowerCase()))
}

/** An admin or author of the site, or the operator. A viewer of another site is nobody here. */
export function actsAsStaff(ctx: Pick<Ctx, 'viewer' | 'isOperator' | 'site'>): boolean {
  return actorOf(ctx) === 'operator' || isStaffOf(ctx.viewer, ctx.site)
}

/** An admin of the site, or the operator. */
export function actsAsAdmin(ctx: Pick<Ctx, 'viewer' | 'isOperator' | 'site'>): boolean {
  return actorOf(ctx) === 'operator' || isAdminOf(ctx.viewer, ctx.site)
}

export function isAdmin(viewer: Viewer | null): boolean {
  return viewer?.groups.includes('admins') ?? false
}

/** Admins and authors: those who may open the console and see drafts. */
export function isStaff(viewer: Viewer | null): boolean {
  return isAdmin(viewer) || (viewer?.groups.includes('authors') ?? false)
}

export function isAdminOf(viewer: Viewer | null, site: { id: number }): boolean {
  return viewer?.siteId === site.id && isAdmin(viewer)
}

export function isStaffOf(viewer: Viewer | null, site: { id: number }): boolean {
  return viewer?.siteId === site.id && isStaff(viewer)
}

/** The context of work on one site without a request: jobs, commands, seeds. Its session does nothing. */
export function siteContext(parts: {
  db: Database
  site: Site
  log: Log
  now?: Date
  viewer?: Viewer | null
  isOperator?: boolean
}): Ctx {
  return {
    db: parts.db,
    site: parts.site,
    log: parts.log,
    now: parts.now ?? new Date(),
    viewer: parts.viewer ?? null,
    isOperator: parts.isOperator ?? false,
    scopes: null,
    session: { uid: null, begin: async () => {}, end: async () => {} },
    address: null,
  }
}
