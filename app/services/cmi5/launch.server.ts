import { randomUUID } from 'node:crypto'
import { contentOriginMissing, contentOriginOf } from '~/config/content.server.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireViewer, type Viewer } from '../context.ts'
import { Conflict, NotFound, Unavailable } from '../errors.ts'
import { contentPath } from '../packages/content-path.ts'
import { recordCourseStart } from '../progress/own-courses.server.ts'
import { getInstallationValue } from '../sites/sites.server.ts'
import { recordViewedModule } from '../users/users.server.ts'
import { mergeDefinitions, type Statement, writeLockedDocument } from '../xapi/xapi.server.ts'
import { abandonedEntries, markAbandoned } from './endings.server.ts'
import { isAbsoluteAddress, type LaunchData, launchDataOf } from './launch-data.ts'
import { findLaunchable, type Launchable } from './launchable.server.ts'
import { type Entry, writeEntries } from './ledger.server.ts'
import { launchedStatement } from './lms-statements.ts'
import { actorOf, prepareTerms } from './occasion.server.ts'
import {
  closeRegistration,
  findOpenRegistration,
  insertRegistration,
  isInitialized,
  lockOpenSessions,
  type Registration,
  selectUnitRecords,
} from './records.server.ts'
import { fetchSecretOf, hashOf } from './secrets.server.ts'
import { findPackage, type Package, type Unit } from './structure.server.ts'
import { chooseUnit, type UnitChoice } from './unit-choice.ts'
import { type LaunchMode, launchDataId } from './vocabulary.ts'

export type LaunchInput = UnitChoice & {
  moduleVersionUid: string
  preview?: boolean
  /** The course whose page it was opened from: it counts as started. */
  courseUid?: string | null
  /** At 100 % closes the attempt and opens a new one; short of that it is a launch like any other. */
  retake?: boolean
  /**
   * For staff; else Normal, in a preview Browse. A unit that is done is launched in Normal again (C052 leaves it to
   * us): it may still have something to say, such as passed after completed, and what it must not repeat is refused.
   */
  mode?: LaunchMode
}

/** Each turn plans for the version that it finds and writes only if that is still right under the lock. */
const maxTurns = 5

/**
 * Opens a unit for its learner: a registration if none is open, a session, the launch data and the `launched` statement
 * (cmi5 8.1, 9.3.1, 10). Older sessions of the attempt end here. The uid names the module; which version it is, the
 * attempt decides (design, 8).
 */
export async function launchUnit(ctx: Ctx, input: LaunchInput): Promise<{ auLaunchSessionUid: string }> {
  const viewer = requireViewer(ctx)
  const signedIn = { ...ctx, viewer }
  const origin = contentOriginOf(ctx.site)
  if (!origin) throw new Unavailable(contentOriginMissing, 300, 'content.no_origin')
  for (let turn = 0; turn < maxTurns; turn++) {
    const plan = await planLaunch(signedIn, input, origin)
    const opened = await inTransaction(signedIn, (ctx) => carryOut(ctx, plan))
    if (!opened) continue
    await mergeDefinitions(ctx, opened.statements)
    return { auLaunchSessionUid: opened.uid }
  }
  throw new Conflict('launch.busy', 'This module is being opened in several windows at once. Please try again.')
}

type Plan = {
  input: LaunchInput
  origin: string
  module: Launchable
  pkg: Package
  actor: Awaited<ReturnType<typeof actorOf>>
}

async function planLaunch(ctx: SignedIn, input: LaunchInput, origin: string): Promise<Plan> {
  const module = await findLaunchable(ctx, input)
  const attempt = attemptOf(ctx.viewer, module, input)
  const open = await findOpenRegistration(ctx, attempt)
  const versionId = open && (await staysOpen(ctx, open, module, input)) ? open.versionId : attempt.versionId
  const pkg = await findPackage(ctx.db, versionId)
  if (!pkg || pkg.units.length === 0) throw new Conflict('module.not_ready', 'This module has no content yet.')
  const actor = await actorOf(ctx.db, ctx.viewer.uid)
  await prepareTerms(ctx, pkg, { moduleUid: module.uid, actor })
  return { input: await translateUnit(ctx, input, pkg), origin, module, pkg, actor }
}

/** The unit of another version of the module stands for the one with the same publisher id. */
async function translateUnit(ctx: Ctx, input: LaunchInput, pkg: Package): Promise<LaunchInput> {
  const { unitUid } = input
  if (!isUid(unitUid) || pkg.units.some(({ uid }) => uid === unitUid)) return input
  const row = await ctx.db
    .selectFrom('cmi5_units')
    .select('publisher_id as publisherId')
    .where('uid', '=', unitUid)
    .executeTakeFirst()
  return { ...input, unitPublisherId: row?.publisherId ?? null }
}

type SignedIn = Ctx & { viewer: Viewer }

/** A preview is of the version named, everything else of the one that is published. */
function attemptOf(viewer: Viewer, module: Launchable, input: LaunchInput) {
  const isPreview = input.preview ?? false
  const versionId = isPreview ? module.namedVersionId : module.publishedVersionId
  if (versionId === null) throw new NotFound()
  return { userId: viewer.id, moduleId: module.id, isPreview, versionId }
}

/** An attempt goes on, unless it is done and taken again, or was never begun and another version is published now. */
async function staysOpen(
  ctx: Pick<Ctx, 'db'>,
  registration: Registration,
  module: Launchable,
  input: LaunchInput,
): Promise<boolean> {
  if (registration.isPreview) return true
  if (input.retake && registration.percent === 100) return false
  if (registration.versionId === module.publishedVersionId) return true
  return isInitialized(ctx, registration.id)
}

/** Null where the attempt is not what was planned for: then plan again. */
async function carryOut(ctx: SignedIn, plan: Plan): Promise<{ uid: string; statements: Statement[] } | null> {
  const { module, input, pkg } = plan
  const attempt = attemptOf(ctx.viewer, module, input)
  const entries: Entry[] = []
  let registration = await findOpenRegistration(ctx, attempt, { lock: true })
  if (registration && !(await staysOpen(ctx, registration, module, input))) {
    await endAttempt(ctx, plan, registration)
    registration = null
  }
  const isNew = registration === null
  registration ??= pkg.versionId === attempt.versionId ? await insertRegistration(ctx, attempt) : null
  if (!registration || registration.versionId !== pkg.versionId) return null
  const sessions = await lockOpenSessions(ctx, registration.id)
  entries.push(...(await abandonedEntries(ctx, { registration, sessions, actor: plan.actor, pkg })))
  const session = await openSession(ctx, plan, registration)
  const statements = await writeEntries(ctx, ledgerOf(plan, registration), [...entries, session.entry], {
    ...(isNew && { evaluateFirst: { sessionUid: randomUUID() } }),
  })
  await markAbandoned(ctx, sessions)
  if (!registration.isPreview) {
    await recordViewedModule(ctx, { userUid: ctx.viewer.uid, moduleUid: module.uid })
    if (input.courseUid) {
      await recordCourseStart(ctx, { courseUid: input.courseUid, moduleVersionUid: input.moduleVersionUid })
    }
  }
  return { uid: session.uid, statements }
}

function ledgerOf({ module, actor, pkg }: Plan, registration: Registration) {
  return { registration, moduleUid: module.uid, actor, unitCount: pkg.units.length, pkg, version: '1.0.3' as const }
}

/** Retake, or a move to the published version before anything was done: sessions end and the attempt is closed. */
async function endAttempt(ctx: SignedIn, plan: Plan, registration: Registration): Promise<void> {
  const sessions = await lockOpenSessions(ctx, registration.id)
  const pkg =
    registration.versionId === plan.pkg.versionId ? plan.pkg : await findPackage(ctx.db, registration.versionId)
  if (sessions.length > 0 && pkg) {
    const entries = await abandonedEntries(ctx, { registration, sessions, actor: plan.actor, pkg })
    await writeEntries(ctx, { ...ledgerOf({ ...plan, pkg }, registration) }, entries)
    await markAbandoned(ctx, sessions)
  }
  await closeRegistration(ctx, registration.id)
}

async function openSession(
  ctx: SignedIn,
  plan: Plan,
  registration: Registration,
): Promise<{ uid: string; entry: Entry }> {
  const { pkg, actor } = plan
  const unit = chooseUnitOf(pkg, plan.input, {
    records: await selectUnitRecords(ctx, registration.id),
    lastUnitId: await lastLaunchedUnit(ctx, registration.id),
  })
  const uid = randomUUID()
  const mode = plan.input.preview ? 'Browse' : (plan.input.mode ?? 'Normal')
  const launchData = launchDataOf({
    sessionUid: uid,
    ...unit,
    mode,
    returnUrl: `${ctx.site.baseUrl}/module-exit/${plan.input.moduleVersionUid}/`,
  })
  const launchUrl = await unitAddressOf(ctx, plan, unit)
  const id = await insertSession(ctx, { uid, registration, unit, mode, launchUrl, launchData })
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

/** C099: without the parameters of the launch, with the unit's own query. */
async function unitAddressOf(ctx: SignedIn, { pkg, origin }: Plan, unit: Unit): Promise<string> {
  if (isAbsoluteAddress(unit.url)) return unit.url
  const key = await getInstallationValue(ctx.db, 'content_key')
  const path = contentPath(key, { contentKey: pkg.contentKey, userUid: ctx.viewer.uid, now: ctx.now })
  return new URL(unit.url, `${origin}${path}`).href
}

async function lastLaunchedUnit(ctx: Ctx, registrationId: number): Promise<number | null> {
  const row = await ctx.db
    .selectFrom('launch_sessions')
    .select('unit_id as unitId')
    .where('registration_id', '=', registrationId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.unitId ?? null
}

function chooseUnitOf(pkg: Package, input: UnitChoice, history: Parameters<typeof chooseUnit>[2]): Unit {
  const unit = chooseUnit(pkg.units, input, history)
  if (!unit) throw new NotFound('This module has no such unit.')
  return unit
}
