import { randomUUID } from 'node:crypto'
import { type ContentPlace, contentOriginMissing, contentPlaceOf, isOwnAddress } from '~/config/content.server.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Conflict, NotFound, Unavailable } from '../errors.ts'
import { contentPath } from '../packages/content-path.ts'
import { otherProgramOf } from '../packages/urls.ts'
import { hasRequiredFailedTest } from '../progress/failed-test.ts'
import { recordCourseStart } from '../progress/own-courses.server.ts'
import { signingKey } from '../sites/keys.server.ts'
import { recordViewedModule } from '../users/users.server.ts'
import { mergeDefinitions, type Statement, writeLockedDocument } from '../xapi/xapi.server.ts'
import { abandonedEntries, markAbandoned } from './endings.server.ts'
import { isAbsoluteAddress, type LaunchData, launchDataOf } from './launch-data.ts'
import { findTarget, requireUnchanged, type Target, type TargetInput } from './launchable.server.ts'
import { type Entry, writeEntries } from './ledger.server.ts'
import { launchedStatement } from './lms-statements.ts'
import { actorOf, prepareTerms } from './lms-terms.server.ts'
import {
  findOpenRegistration,
  insertRegistration,
  isBegun,
  lockOpenSessions,
  lockRegistration,
  type Registration,
  selectUnitRecords,
} from './records.server.ts'
import { fetchSecretOf, hashOf } from './secrets.server.ts'
import { findPackage, type Package, type Unit } from './structure.server.ts'
import { type Attempt, endAttempt, equivalentEntries, ledgerOf } from './transfer.server.ts'
import { chooseUnit, isUnitNamed, type UnitChoice } from './unit-choice.ts'
import { type LaunchMode, launchDataId } from './vocabulary.ts'

export type LaunchInput = UnitChoice &
  TargetInput & {
    /** The course from whose page the module was opened. Normal launches mark it as started. */
    courseUid?: string | null
    /**
     * The session that this launch continues in the same window, because its page was loaded again. Refused if another
     * window has opened the module since. Continuing a session twice opens one session.
     */
    continuesUid?: string | null
    /**
     * Closes an attempt at 100%, or one with a failed test that must be passed, and opens a new one. Has no effect on any
     * other attempt, so that pressing the button twice begins one attempt.
     */
    retake?: boolean
  }

/** How often to plan. A plan is carried out only if it still fits once the attempt is locked. */
const maxPlans = 5

/**
 * Opens a unit for its learner: creates a registration if none is open, a session, the launch data and the `launched`
 * statement (cmi5 8.1, 9.3.1, 10). Abandons older sessions of the attempt. The uid names the module; the attempt
 * decides the version.
 *
 * A unit that is done is launched in Normal again (cmi5 10.2.2 leaves this to the LMS), because it may still have
 * something to report, such as passed after completed. Statements that it must not repeat are refused.
 */
export async function launchUnit(ctx: Ctx, input: LaunchInput): Promise<{ auLaunchSessionUid: string }> {
  requireViewer(ctx, 'write')
  for (let count = 0; count < maxPlans; count++) {
    const plan = await planLaunch(ctx, input)
    const opened = await inTransaction(ctx, (ctx) => carryOut(ctx, plan))
    if (!opened) continue
    if ('continuedBy' in opened) return { auLaunchSessionUid: opened.continuedBy }
    await mergeDefinitions(ctx, opened.statements)
    return { auLaunchSessionUid: opened.uid }
  }
  throw new Conflict('launch.busy', 'This module is being opened in several windows at once. Please try again.')
}

type Plan = {
  input: LaunchInput
  place: ContentPlace
  target: Target
  pkg: Package
  actor: Awaited<ReturnType<typeof actorOf>>
}

async function planLaunch(ctx: Ctx, input: LaunchInput): Promise<Plan> {
  const target = await findTarget(ctx, input)
  const { module, attempt, learner } = target
  const place = contentPlaceOf(ctx.site, module.uid)
  if (!place) throw new Unavailable(contentOriginMissing, 300, 'content.no_origin')
  const open = target.registrationId === null ? await findOpenRegistration(ctx, attempt) : null
  const versionId = open && (await staysOpen(ctx, open, module, input)) ? open.versionId : attempt.versionId
  const pkg = await findPackage(ctx.db, versionId)
  if (!pkg || pkg.units.length === 0) throw new Conflict('module.not_ready', 'This module has no content yet.')
  const actor = await actorOf(ctx.db, learner.uid)
  await prepareTerms(ctx, pkg, { moduleUid: module.uid, actor })
  return { input: await translateUnit(ctx, input, pkg, module.id), place, target, pkg, actor }
}

/**
 * Maps a unit of another version of the module to the unit with the same publisher id. A unit of another module maps to
 * none.
 */
async function translateUnit(ctx: Ctx, input: LaunchInput, pkg: Package, moduleId: number): Promise<LaunchInput> {
  const { unitUid } = input
  if (!isUid(unitUid) || pkg.units.some(({ uid }) => uid === unitUid)) return input
  const row = await ctx.db
    .selectFrom('cmi5_units as u')
    .innerJoin('cmi5_packages as p', 'p.id', 'u.package_id')
    .innerJoin('module_versions as v', 'v.id', 'p.module_version_id')
    .select('u.publisher_id as publisherId')
    .where('u.uid', '=', unitUid)
    .where('v.module_id', '=', moduleId)
    .executeTakeFirst()
  return { ...input, unitPublisherId: row?.publisherId ?? null }
}

/**
 * Tells whether the open attempt continues. It does not if a retake was asked for and the attempt is complete or its test
 * was failed, or if it was never begun and another version is published now.
 */
async function staysOpen(
  ctx: Pick<Ctx, 'db'>,
  registration: Registration,
  module: Target['module'],
  input: LaunchInput,
): Promise<boolean> {
  if (registration.isPreview) return true
  if (input.retake && registration.percent === 100) return false
  if (input.retake && (await hasRequiredFailedTest(ctx, registration.id))) return false
  if (registration.versionId === module.publishedVersionId) return true
  return isBegun(ctx, registration.id)
}

type Opened = { uid: string; statements: Statement[] }

/** Returns null if the attempt no longer matches the plan; then the caller must plan again. */
async function carryOut(ctx: Ctx, plan: Plan): Promise<Opened | { continuedBy: string } | null> {
  const { target, input, pkg } = plan
  let registration = await lockTarget(ctx, target)
  let movedFrom: Attempt | null = null
  if (registration && target.registrationId === null && !(await staysOpen(ctx, registration, target.module, input))) {
    // The plan was to continue this attempt, so its package is not the one to start now. Plan again before closing
    // anything.
    if (pkg.versionId !== target.attempt.versionId) return null
    // A new attempt at a completed module starts from nothing. In any other one, units that are done stay done.
    const isComplete = registration.percent === 100
    const ended = await endAttempt(ctx, attemptOf(plan, registration), pkg)
    if (!isComplete) movedFrom = ended
    registration = null
  }
  const first: Statement[] = []
  if (!registration && pkg.versionId === target.attempt.versionId) {
    const begun = await beginAttempt(ctx, plan, movedFrom)
    registration = begun?.registration ?? null
    first.push(...(begun?.statements ?? []))
  }
  if (!registration || registration.versionId !== pkg.versionId) return null
  const continued = input.continuesUid ? await findContinued(ctx, plan, registration) : null
  if (continued?.continuedBy) return { continuedBy: continued.continuedBy }
  const attempt = attemptOf(plan, registration)
  const sessions = await lockOpenSessions(ctx, registration.id)
  const abandoned = await abandonedEntries(ctx, { ...attempt, sessions })
  const session = await openSession(ctx, plan, registration, continued?.id ?? null)
  const statements = await writeEntries(ctx, ledgerOf(attempt), [...abandoned, session.entry])
  await markAbandoned(ctx, sessions)
  await recordOpening(ctx, plan, { registration, sessionUid: session.uid })
  return { uid: session.uid, statements: [...first, ...statements] }
}

/**
 * Finds the session that a page continues. It must be the viewer's, in this attempt and mode, and the last one in the
 * attempt: a later one is open in another window, or was, and would be abandoned without anybody having asked for it.
 */
async function findContinued(
  ctx: Ctx,
  { input, target }: Plan,
  registration: Registration,
): Promise<{ id: number; continuedBy: string | null }> {
  const [last, beforeLast] = await ctx.db
    .selectFrom('launch_sessions')
    .select(['id', 'uid', 'mode', 'launched_by as launchedBy', 'continues_id as continuesId'])
    .where('registration_id', '=', registration.id)
    .orderBy('id', 'desc')
    .limit(2)
    .execute()
  const isContinued = (session: typeof last) =>
    session?.uid === input.continuesUid && session?.mode === target.mode && session?.launchedBy === target.launchedBy
  if (last && isContinued(last)) return { id: last.id, continuedBy: null }
  if (beforeLast && last?.continuesId === beforeLast.id && isContinued(beforeLast))
    return { id: beforeLast.id, continuedBy: last.uid }
  throw new Conflict('launch.not_continued', 'This module has been opened again since, so it does not continue here.')
}

/**
 * Creates a registration. Evaluates first what is satisfied from the start (cmi5 9.6.1), then waives the units that
 * were met in the attempt that this one continues.
 */
async function beginAttempt(
  ctx: Ctx,
  plan: Plan,
  movedFrom: Attempt | null,
): Promise<{ registration: Registration; statements: Statement[] } | null> {
  const movedFromId = movedFrom?.registration.id ?? null
  const registration = await insertRegistration(ctx, { ...plan.target.attempt, movedFromId })
  if (!registration) return null
  const attempt = attemptOf(plan, registration)
  const entries = movedFrom ? await equivalentEntries(ctx, movedFrom, attempt) : []
  const statements = await writeEntries(ctx, ledgerOf(attempt), entries, {
    evaluateFirst: { sessionUid: randomUUID() },
  })
  return { registration: await lockRegistration(ctx, registration.id), statements }
}

async function lockTarget(ctx: Ctx, target: Target): Promise<Registration | null> {
  if (target.registrationId === null) return findOpenRegistration(ctx, target.attempt, { lock: true })
  const registration = await lockRegistration(ctx, target.registrationId)
  requireUnchanged(registration, target.mode)
  return registration
}

function attemptOf({ target, actor, pkg }: Plan, registration: Registration): Attempt {
  return { registration, moduleUid: target.module.uid, actor, pkg }
}

/** Records the module that the learner viewed last or, if staff opened an attempt of somebody else, who did. */
async function recordOpening(
  ctx: Ctx,
  { target, input }: Plan,
  { registration, sessionUid }: { registration: Registration; sessionUid: string },
): Promise<void> {
  if (target.launchedBy !== null) {
    await recordAudit(ctx, {
      action: 'attempt.launched',
      entity: 'attempt',
      entityUid: registration.uid,
      after: { mode: target.mode, auLaunchSessionUid: sessionUid },
    })
    return
  }
  if (registration.isPreview || target.mode !== 'Normal') return
  await recordViewedModule(ctx, { userUid: target.learner.uid, moduleUid: target.module.uid })
  if (input.courseUid) {
    await recordCourseStart(ctx, { courseUid: input.courseUid, moduleVersionUid: input.moduleVersionUid })
  }
}

async function openSession(
  ctx: Ctx,
  plan: Plan,
  registration: Registration,
  continuesId: number | null,
): Promise<{ uid: string; entry: Entry }> {
  const { pkg, actor } = plan
  const unit = chooseUnitOf(pkg, plan.input, {
    records: await selectUnitRecords(ctx, registration.id),
    lastUnitId: await lastLaunchedUnit(ctx, registration.id),
  })
  const uid = randomUUID()
  const { mode, launchedBy } = plan.target
  const launchData = launchDataOf({
    sessionUid: uid,
    ...unit,
    mode,
    returnUrl: `${ctx.site.baseUrl}/module-exit/${plan.input.moduleVersionUid}/`,
  })
  const launchUrl = await unitAddressOf(ctx, plan, unit)
  const id = await insertSession(ctx, { uid, registration, unit, mode, launchedBy, continuesId, launchUrl, launchData })
  await writeLockedDocument(
    ctx,
    { kind: 'state', activityIri: unit.iri, agent: actor, registration: registration.uid, documentId: launchDataId },
    { content: Buffer.from(JSON.stringify(launchData)), contentType: 'application/json' },
  )
  const occasion = { actor, registrationUid: registration.uid, sessionUid: uid, at: ctx.now }
  return {
    uid,
    entry: {
      statement: launchedStatement(occasion, unit, { launchUrl, launchData }),
      sessionUid: uid,
      launchSessionId: id,
      unit: { id: unit.id, launchedAs: unit, fact: { verb: 'launched', mode } },
      satisfies: null,
    },
  }
}

async function insertSession(
  ctx: Ctx,
  input: {
    uid: string
    registration: Registration
    unit: Unit
    mode: LaunchMode
    launchedBy: number | null
    continuesId: number | null
    launchUrl: string
    launchData: LaunchData
  },
): Promise<number> {
  const { id } = await ctx.db
    .insertInto('launch_sessions')
    .values({
      uid: input.uid,
      registration_id: input.registration.id,
      unit_id: input.unit.id,
      mode: input.mode,
      launched_by: input.launchedBy,
      continues_id: input.continuesId,
      launch_url: input.launchUrl,
      launch_data: JSON.stringify(input.launchData),
      fetch_hash: hashOf(await fetchSecretOf(ctx.db, input.uid)),
      launched_at: ctx.now,
      last_seen_at: ctx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Returns the unit's address with its own query but without the launch parameters (cmi5 9.6.3). */
async function unitAddressOf(ctx: Ctx, { pkg, place, target }: Plan, unit: Unit): Promise<string> {
  if (isAbsoluteAddress(unit.url)) {
    // Refused when a package is read, too, but hosts are settings and may have changed since.
    if (isOwnAddress(unit.url))
      throw new Conflict('unit.own_address', 'This unit’s address is on this site, where no content may run.')
    return unit.url
  }
  const key = await signingKey(ctx.db, 'content_key')
  const { moduleUid } = place
  const path = contentPath(key, { contentKey: pkg.contentKey, userUid: target.learner.uid, now: ctx.now, moduleUid })
  return new URL(unit.url, `${place.origin}${path}`).href
}

/** Returns the unit that the learner last launched. Launches by staff do not change where a learner left off. */
async function lastLaunchedUnit(ctx: Ctx, registrationId: number): Promise<number | null> {
  const row = await ctx.db
    .selectFrom('launch_sessions')
    .select('unit_id as unitId')
    .where('registration_id', '=', registrationId)
    .where('launched_by', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.unitId ?? null
}

/**
 * Chooses the unit to open. If the request names no unit, units that open in other programs are skipped as long as
 * there are others.
 */
function chooseUnitOf(pkg: Package, input: UnitChoice, history: Parameters<typeof chooseUnit>[2]): Unit {
  const here = isUnitNamed(input) ? [] : pkg.units.filter(({ url }) => otherProgramOf(url) === null)
  const unit = chooseUnit(here.length > 0 ? here : pkg.units, input, history)
  if (!unit) throw new NotFound('This module has no such unit.')
  const program = otherProgramOf(unit.url)
  if (program !== null) {
    throw new Conflict(
      'unit.other_program',
      `This unit opens in another program (${program}:) and cannot be opened in a browser.`,
    )
  }
  return unit
}
