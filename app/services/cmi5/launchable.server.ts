/**
 * Finds out who a launch is for, in which attempt and in which mode (docs/decisions/013). The actor and the
 * registration are always those of the learner, whoever opens the unit (cmi5 8.1.3, 8.1.4, 10).
 */
import { launchModeForm } from '~/forms/attempts.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed, isOpenable } from '../access/access.server.ts'
import { type Ctx, requireStaff, requireViewer, type Viewer } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { findViewer } from '../sessions/sessions.server.ts'
import { findOpenRegistration, type NewAttempt, type Registration } from './records.server.ts'
import type { LaunchMode } from './vocabulary.ts'

export type TargetInput = {
  moduleVersionUid: string
  preview?: boolean
  /**
   * Normal, Browse or Review, in upper or lower case; only staff may use the last two. Default: Normal, in a preview
   * Browse.
   */
  mode?: string | null
  /** The attempt to open, for staff. Default: the learner's open attempt. */
  registrationUid?: string | null
  /** The learner to open it for, for staff. Default: the learner of the attempt, or else the viewer. */
  userUid?: string | null
}

export type Target = {
  module: { id: number; uid: string; publishedVersionId: number | null }
  learner: { id: number; uid: string }
  mode: LaunchMode
  /** The attempt to resume, or to begin if none is open. */
  attempt: NewAttempt
  /** Set if the request names an attempt; then no other attempt is opened instead. */
  registrationId: number | null
  /** The staff member who opens somebody else's attempt. */
  launchedBy: number | null
}

/**
 * Finds the target of a launch. Throws NotFound for modules that the viewer cannot see, and Conflict for Coming Soon.
 * Staff can open drafts, by preview or in an attempt.
 */
export async function findTarget(ctx: Ctx, input: TargetInput): Promise<Target> {
  const viewer = requireViewer(ctx)
  const { mode } = parseInput(launchModeForm, { mode: input.mode })
  const isForOther = Boolean(input.userUid) && input.userUid?.toLowerCase() !== viewer.uid
  const isForStaff = input.preview || input.registrationUid || isForOther || (mode !== null && mode !== 'Normal')
  if (input.registrationUid) return targetInAttempt(ctx, viewer, { ...input, mode }, input.registrationUid)
  const learner = isForOther ? await findLearner(ctx, input.userUid ?? '') : viewer
  const module = await findModule(ctx, learner, input.moduleVersionUid)
  if (isForStaff) requireStaff(ctx)
  if (input.preview && isForOther)
    throw new Invalid('You can preview only for yourself.', {}, 'launch.preview_of_other')
  const isPreview = input.preview ?? false
  if (module.isComingSoon && !isPreview) throw comingSoon()
  const versionId = isPreview ? module.namedVersionId : module.publishedVersionId
  if (versionId === null) throw notAvailable()
  const attempt = { userId: learner.id, moduleId: module.id, isPreview, versionId }
  if (!isPreview && !module.isOpenable) {
    if (!isForOther) throw notAvailable()
    // A learner who lost access keeps the attempts that she began, and staff may open them.
    if (!(await findOpenRegistration(ctx, attempt))) throw noAccess()
  }
  return {
    module,
    learner,
    attempt,
    mode: mode ?? (isPreview ? 'Browse' : 'Normal'),
    registrationId: null,
    launchedBy: isForOther ? viewer.id : null,
  }
}

/** Refuses Normal launches of a closed attempt, so that its records do not change. */
export function requireUnchanged(registration: Registration, mode: LaunchMode): void {
  if (registration.closedAt === null || mode !== 'Normal') return
  throw new Conflict('attempt.closed', 'This attempt is over. You can open it only in Browse or Review mode.')
}

async function targetInAttempt(
  ctx: Ctx,
  viewer: Viewer,
  input: Omit<TargetInput, 'mode'> & { mode: LaunchMode | null },
  registrationUid: string,
): Promise<Target> {
  const module = await findModule(ctx, viewer, input.moduleVersionUid)
  requireStaff(ctx)
  const row = isUid(registrationUid) ? await findAttempt(ctx, module.id, registrationUid) : undefined
  if (!row || (input.userUid && input.userUid.toLowerCase() !== row.userUid)) throw new NotFound()
  if (!row.isActive) throw closedAccount()
  const isOwn = row.userId === viewer.id
  return {
    module,
    learner: { id: row.userId, uid: row.userUid },
    mode: input.mode ?? (row.isPreview || input.preview ? 'Browse' : 'Normal'),
    attempt: { userId: row.userId, moduleId: module.id, isPreview: row.isPreview, versionId: row.versionId },
    registrationId: row.id,
    launchedBy: isOwn ? null : viewer.id,
  }
}

function findAttempt(ctx: Ctx, moduleId: number, registrationUid: string) {
  return ctx.db
    .selectFrom('registrations as r')
    .innerJoin('users', 'users.id', 'r.user_id')
    .select(['r.id', 'r.user_id as userId', 'r.module_version_id as versionId', 'r.is_preview as isPreview'])
    .select(['users.uid as userUid', 'users.is_active as isActive'])
    .where('r.uid', '=', registrationUid)
    .where('r.site_id', '=', ctx.site.id)
    .where('r.module_id', '=', moduleId)
    .where('users.erased_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Finds a learner of this site as a viewer with her own permissions. For staff only, so that other people cannot find
 * out who exists.
 */
async function findLearner(ctx: Ctx, userUid: string): Promise<Viewer> {
  requireStaff(ctx)
  const row = isUid(userUid)
    ? await ctx.db
        .selectFrom('users')
        .select('id')
        .where('uid', '=', userUid)
        .where('site_id', '=', ctx.site.id)
        .where('erased_at', 'is', null)
        .executeTakeFirst()
    : undefined
  if (!row) throw new NotFound()
  const learner = await findViewer(ctx, { userId: row.id })
  if (!learner) throw closedAccount()
  return learner
}

/** Finds a module that the viewer may see, and whether the learner may open it. */
async function findModule(ctx: Ctx, learner: Viewer, moduleVersionUid: string) {
  if (!isUid(moduleVersionUid)) throw notAvailable()
  const row = await ctx.db
    .selectFrom('module_versions as v')
    .innerJoin('modules', 'modules.id', 'v.module_id')
    .select(['modules.id', 'modules.uid', 'modules.coming_soon as isComingSoon'])
    .select(['modules.published_version_id as publishedVersionId', 'v.id as namedVersionId'])
    .select(isOpenable({ ...ctx, viewer: learner }, 'modules').as('isOpenable'))
    .where('v.uid', '=', moduleVersionUid)
    .where(isListed(ctx, 'modules'))
    .executeTakeFirst()
  if (!row) throw notAvailable()
  return row
}

/** Also for who loads a unit again after its module was unpublished or the access ended. */
function notAvailable(): NotFound {
  return new NotFound('This module is not available to you at the moment. Your results in it are kept.')
}

function comingSoon(): Conflict {
  return new Conflict('module.coming_soon', 'This module is coming soon and cannot be opened yet.')
}

function closedAccount(): Conflict {
  return new Conflict('launch.closed_account', 'This learner’s account is closed, so nothing can be opened for it.')
}

function noAccess(): Conflict {
  return new Conflict('launch.no_access', 'This learner has no access to this module.')
}
