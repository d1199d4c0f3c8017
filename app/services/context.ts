import type { SiteKey } from '~/config/brands.ts'
import { viewingRefusal } from '~/lib/viewing.ts'
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
  /** The name that mails of the site are from; null for the name of its brand. */
  senderName: string | null
  /** The address that gets the answers to mails of the site. */
  replyTo: string | null
}

/**
 * The person who is signed in. `planId` is set only while the subscription is valid, `accessEndedAt` only after it has
 * ended. Ids are internal: never pass a viewer to a component.
 */
export type Viewer = {
  id: number
  uid: string
  siteId: number
  email: string
  firstName: string
  lastName: string
  groups: GroupName[]
  planId: number | null
  accessEndedAt: Date | null
}

/** The marks by which limits know a browser. The transport keeps them in a cookie. */
export type BrowserPort = { marks: string | null; remember(marks: string): void }

/** What a use case may do to the web session. Transports turn it into cookies. */
export type SessionPort = {
  /** The uid of the session that authenticated this request, or null. */
  uid: string | null
  /** Starts a new session under a new id, and ends the session of this request. */
  begin(ctx: Ctx, userUid: string): Promise<void>
  end(ctx: Ctx): Promise<void>
  /** Missing where no browser asks: programs with a token, commands, jobs. */
  browser?: BrowserPort
}

export type Log = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * The context of work for the whole installation, such as a nightly cleanup. It belongs to no site and acts for nobody.
 */
export type SystemCtx = {
  db: Database
  now: Date
  log: Log
}

/** The context of a use case. Everything that it reads and writes belongs to one site. `actorOf` says who acts. */
export type Ctx = SystemCtx & {
  /** The person who is signed in. */
  viewer: Viewer | null
  /** True in commands and seeds, which the owner of the installation runs. */
  isOperator: boolean
  /** What the key or access token of a program allows; null without one. */
  scopes: readonly string[] | null
  site: Site
  session: SessionPort
  /** What a preview link opens for this person, also if it is a draft or not in their plan. */
  previewed?: readonly { kind: 'courses' | 'lectures' | 'videos'; uid: string }[]
  /**
   * Set while an admin sees the site as `viewer`, who knows nothing of it. Nothing can be written then: `scopes` has only
   * `read`, and the database refuses every write of this context.
   */
  viewAs?: { admin: Viewer; expiresAt: Date }
  /** The address of the client, as far as TRUST_PROXY allows trusting it. Used only for limits. */
  address: string | null
}

/**
 * Who acts: a person, the operator, or nobody (a visitor or a job). A signed-in person takes precedence over the
 * operator.
 */
export type Actor = Viewer | 'operator' | null

export function actorOf(ctx: Pick<Ctx, 'viewer' | 'isOperator'>): Actor {
  return ctx.viewer ?? (ctx.isOperator ? 'operator' : null)
}

/**
 * Returns the columns for an author. The name is kept when the account is deleted. What the operator creates has no
 * author.
 */
export function authorColumns({ viewer }: Pick<Ctx, 'viewer'>): { author_id: number | null; author_name: string } {
  return {
    author_id: viewer?.id ?? null,
    author_name: viewer ? `${viewer.firstName} ${viewer.lastName}`.trim() : '',
  }
}

/**
 * The access that a guard requires. Each guard throws "Login required." if nobody acts, and Forbidden if the actor may
 * not do it. Services that write pass 'write', which a read-only access token does not have. A test lists services that
 * write without a guard.
 */
export type Access = 'read' | 'write'

/** Guard for everybody who is signed in. */
export function requireViewer(ctx: Ctx, access: Access = 'read'): Viewer {
  if (!ctx.viewer) throw loginRequired()
  requireScope(ctx, access)
  return ctx.viewer
}

/** Guard for everybody who is signed in, and the operator. */
export function requireActor(ctx: Ctx, access: Access = 'read'): void {
  if (actorOf(ctx) === null) throw loginRequired()
  requireScope(ctx, access)
}

/** Guard for admins and authors of the site, and the operator. */
export function requireStaff(ctx: Ctx, access: Access = 'read'): void {
  requireActor(ctx, access)
  requireThat(actsAsStaff(ctx))
}

/** Guard for admins of the site, and the operator. */
export function requireAdmin(ctx: Ctx, access: Access = 'read'): void {
  requireActor(ctx, access)
  requireThat(actsAsAdmin(ctx))
}

function requireScope({ scopes, viewAs, viewer }: Ctx, access: Access): void {
  if (viewAs && access === 'write') throw new Forbidden(viewingRefusal(nameOf(viewer)), 'viewing')
  if (scopes === null || scopes.includes(access)) return
  throw new Forbidden(`The scopes of this token do not allow ${access} access.`, 'token.scope')
}

/**
 * Guard for what belongs to a person alone and an admin who views as them may not see: their tokens, the file with all
 * their data, and units, which would act in their name.
 */
export function refuseWhileViewing({ viewAs, viewer }: Ctx): void {
  if (!viewAs) return
  throw new Forbidden(`This is only for ${nameOf(viewer) ?? 'that person'}, and not for who views as them.`, 'viewing')
}

function nameOf(viewer: Viewer | null): string | undefined {
  return viewer ? `${viewer.firstName} ${viewer.lastName}`.trim() || viewer.email : undefined
}

/** Guard for people acting on their own account, and for admins of the site acting on any account. */
export function requireSelfOrAdmin(ctx: Ctx, userUid: string, access: Access = 'read'): void {
  requireActor(ctx, access)
  requireThat(actsAsAdmin(ctx) || (ctx.viewer?.siteId === ctx.site.id && ctx.viewer.uid === userUid.toLowerCase()))
}

/** Tells whether the actor is an admin or author of this site, or the operator. A viewer of another site is not. */
export function actsAsStaff(ctx: Pick<Ctx, 'viewer' | 'isOperator' | 'site'>): boolean {
  return actorOf(ctx) === 'operator' || isStaffOf(ctx.viewer, ctx.site)
}

/** Tells whether the actor is an admin of this site, or the operator. */
export function actsAsAdmin(ctx: Pick<Ctx, 'viewer' | 'isOperator' | 'site'>): boolean {
  return actorOf(ctx) === 'operator' || isAdminOf(ctx.viewer, ctx.site)
}

export function isAdmin(viewer: Viewer | null): boolean {
  return viewer?.groups.includes('admins') ?? false
}

/** Tells whether the viewer is an admin or author, and so may open the console and see drafts. */
export function isStaff(viewer: Viewer | null): boolean {
  return isAdmin(viewer) || (viewer?.groups.includes('authors') ?? false)
}

function isAdminOf(viewer: Viewer | null, site: { id: number }): boolean {
  return viewer?.siteId === site.id && isAdmin(viewer)
}

function isStaffOf(viewer: Viewer | null, site: { id: number }): boolean {
  return viewer?.siteId === site.id && isStaff(viewer)
}

/** Makes a context for work on one site without a request: jobs, commands, seeds. Its session does nothing. */
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
