/**
 * Whom a launch is for, in which attempt and in which mode (docs/decisions/013). The attempt of a launch is its learner's: she is the
 * actor and it is her registration, whoever opens it (cmi5 8.1.3, 8.1.4, 10).
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
  /** Normal, Browse or Review in any case; all but Normal for staff. Without one Normal, in a preview Browse. */
  mode?: string | null
  /** For staff: the attempt in which it is opened. Without one the learner's open attempt. */
  registrationUid?: string | null
  /** For staff: the learner for whom it is opened. Without one the attempt's, else whoever asks. */
  userUid?: string | null
}

export type Target = {
  module: { id: number; uid: string; publishedVersionId: number | null }
  learner: { id: number; uid: string }
  mode: LaunchMode
  /** What is resumed, or begun where nothing is open. */
  attempt: NewAttempt
  /** Where an attempt was named: no other is opened in its place. */
  registrationId: number | null
  /** Staff who open the attempt of somebody else. */
  launchedBy: number | null
}

/** Not visible reads as NotFound; Coming Soon is refused in words; drafts open for staff, by preview or in an attempt. */
export async function findTarget(ctx: Ctx, input: TargetInput): Promise<Target> {
  const viewer = requireViewer(ctx)
  const { mode } = parseInput(launchModeForm, { mode: input.mode })
  const isForOther = Boolean(input.userUid) && input.userUid?.toLowerCase() !== viewer.uid
  const isForStaff = input.preview || input.registrationUid || isForOther || (mode !== null && mode !== 'Normal')
  if (input.registrationUid) return targetInAttempt(ctx, viewer, { ...input, mode }, input.registrationUid)
  const learner = isForOther ? await findLearner(ctx, input.userUid ?? '') : viewer
  const module = await findModule(ctx, learner, input.moduleVersionUid)
  if (isForStaff) requireStaff(ctx)
  if (input.preview && isForOther) throw new Invalid('A preview is one’s own.', {}, 'launch.preview_of_other')
  const isPreview = input.preview ?? false
  if (module.isComingSoon && !isPreview) throw comingSoon()
  const versionId = isPreview ? module.namedVersionId : module.publishedVersionId
  if (versionId === null) throw new NotFound()
  const attempt = { userId: learner.id, moduleId: module.id, isPreview, versionId }
  if (!isPreview && !module.isOpenable) {
    if (!isForOther) throw new NotFound()
    // Who lost her access keeps what she began, and staff may look at it.
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

/** What was done in a closed attempt stays as it is. */
export function requireUnchanged(registration: Registration, mode: LaunchMode): void {
  if (registration.closedAt === null || mode !== 'Normal') return
  throw new Conflict('attempt.closed', 'This attempt is over. It can be opened in the modes Browse and Review.')
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

/** Somebody of this site, as she would be if she asked herself. For staff only: to everybody else nobody else is there. */
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

/** As the viewer may see it, and whether the learner may open it. */
async function findModule(ctx: Ctx, learner: Viewer, moduleVersionUid: string) {
  if (!isUid(moduleVersionUid)) throw new NotFound()
  const row = await ctx.db
    .selectFrom('module_versions as v')
    .innerJoin('modules', 'modules.id', 'v.module_id')
    .select(['modules.id', 'modules.uid', 'modules.coming_soon as isComingSoon'])
    .select(['modules.published_version_id as publishedVersionId', 'v.id as namedVersionId'])
    .select(isOpenable({ ...ctx, viewer: learner }, 'modules').as('isOpenable'))
    .where('v.uid', '=', moduleVersionUid)
    .where(isListed(ctx, 'modules'))
    .executeTakeFirst()
  if (!row) throw new NotFound()
  return row
}

function comingSoon(): Conflict {
  return new Conflict('module.coming_soon', 'This module is coming soon and cannot be opened yet.')
}

function closedAccount(): Conflict {
  return new Conflict(
    'launch.closed_account',
    'The account of this learner is closed, so nothing can be opened for it.',
  )
}

function noAccess(): Conflict {
  return new Conflict('launch.no_access', 'This learner has no access to this module.')
}
