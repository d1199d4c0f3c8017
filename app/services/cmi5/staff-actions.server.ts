/** What staff do with learners' attempts: waive units, and move an attempt to another version (docs/decisions/013). */
import { randomUUID } from 'node:crypto'
import { moveForm, waiveForm, waiveRefusals } from '~/forms/attempts.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { isListed } from '../access/access.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { mergeDefinitions, type Statement } from '../xapi/xapi.server.ts'
import { writeEntries } from './ledger.server.ts'
import { actorOf, prepareTerms } from './lms-terms.server.ts'
import {
  insertRegistration,
  isBegun,
  lockRegistration,
  type Registration,
  selectUnitRecords,
} from './records.server.ts'
import { findPackage, type Unit } from './structure.server.ts'
import { type Attempt, endAttempt, equivalentEntries, ledgerOf, waivedEntry } from './transfer.server.ts'

/**
 * Waives a unit of an attempt for one of the four reasons (cmi5 9.3.7), and stores the satisfied statements that
 * follow. Throws Conflict if the unit is done or waived already, or if the attempt is over.
 */
export async function waiveUnit(
  ctx: Ctx,
  input: { registrationUid: string; unitUid: string; reason: string },
): Promise<{ percent: number }> {
  const known = await findAttempt(ctx, input.registrationUid)
  const { reason } = parseInput(waiveForm, { reason: input.reason })
  const pkg = await findPackage(ctx.db, known.versionId)
  const unit = pkg?.units.find(({ uid }) => uid === input.unitUid.toLowerCase())
  if (!pkg || !unit) throw new NotFound()
  const actor = await actorOf(ctx.db, known.userUid)
  await prepareTerms(ctx, pkg, { moduleUid: known.moduleUid, actor })
  const written = await inTransaction(ctx, async (ctx) => {
    const registration = await lockRegistration(ctx, known.id)
    requireOpen(registration)
    await requireUndone(ctx, registration, unit)
    const attempt = { registration, moduleUid: known.moduleUid, actor, pkg }
    const statements = await writeEntries(ctx, ledgerOf(attempt), [waivedEntry(ctx, attempt, unit, reason)])
    await recordAudit(ctx, {
      action: 'attempt.unit_waived',
      entity: 'attempt',
      entityUid: registration.uid,
      after: { unitUid: unit.uid, reason },
    })
    return { statements, percent: (await lockRegistration(ctx, known.id)).percent }
  })
  await mergeDefinitions(ctx, written.statements)
  return { percent: written.percent }
}

export type MovedAttempt = {
  registrationUid: string
  version: number
  /** How many units of the new attempt were waived as Equivalent AU because they were met before. */
  waivedUnits: number
}

/**
 * Moves an attempt to another version of the module: closes it and opens a new one, in which the units that were met
 * count. Refuses attempts that were never begun, because they open the published version at their next launch anyway.
 * `alsoWrite` runs in the same transaction.
 */
export async function moveAttempt(
  ctx: Ctx,
  input: { registrationUid: string; moduleVersionUid: string; alsoWrite?: (ctx: Ctx) => Promise<void> },
): Promise<MovedAttempt> {
  const known = await findAttempt(ctx, input.registrationUid)
  const { moduleVersionUid } = parseInput(moveForm, { moduleVersionUid: input.moduleVersionUid })
  const version = await findVersion(ctx, known.moduleId, moduleVersionUid)
  const [oldPackage, newPackage] = [await findPackage(ctx.db, known.versionId), await findPackage(ctx.db, version.id)]
  if (!newPackage || newPackage.units.length === 0) {
    throw new Conflict('attempt.version_not_ready', `The package of v${version.version} is not ready.`)
  }
  const actor = await actorOf(ctx.db, known.userUid)
  for (const pkg of [oldPackage, newPackage]) {
    if (pkg) await prepareTerms(ctx, pkg, { moduleUid: known.moduleUid, actor })
  }
  const about = { moduleUid: known.moduleUid, actor, pkg: newPackage }
  const moved = await inTransaction(ctx, async (ctx) => {
    const registration = await lockRegistration(ctx, known.id)
    await requireMovable(ctx, registration, version)
    const moved = await move(ctx, { ...about, registration }, version)
    await input.alsoWrite?.(ctx)
    return moved
  })
  await mergeDefinitions(ctx, moved.statements)
  return { registrationUid: moved.registrationUid, version: version.version, waivedUnits: moved.waivedUnits }
}

async function move(
  ctx: Ctx,
  attempt: Attempt,
  version: { id: number; version: number },
): Promise<{ statements: Statement[]; registrationUid: string; waivedUnits: number }> {
  const { userId, moduleId, id: movedFromId } = attempt.registration
  const ended = await endAttempt(ctx, attempt, attempt.pkg)
  const next = await insertRegistration(ctx, {
    userId,
    moduleId,
    isPreview: false,
    versionId: version.id,
    movedFromId,
  })
  if (!next) throw overAlready()
  const opened = { ...attempt, registration: next }
  const entries = await equivalentEntries(ctx, ended, opened)
  const statements = await writeEntries(ctx, ledgerOf(opened), entries, {
    evaluateFirst: { sessionUid: randomUUID() },
  })
  await recordAudit(ctx, {
    action: 'attempt.moved',
    entity: 'attempt',
    entityUid: attempt.registration.uid,
    after: { registrationUid: next.uid, version: version.version },
  })
  return { statements, registrationUid: next.uid, waivedUnits: entries.length }
}

/** Finds an attempt for staff of the site. Throws NotFound for erased people and deleted modules. */
async function findAttempt(ctx: Ctx, registrationUid: string) {
  requireStaff(ctx, 'write')
  const row = isUid(registrationUid)
    ? await ctx.db
        .selectFrom('registrations as r')
        .innerJoin('modules', 'modules.id', 'r.module_id')
        .innerJoin('users', 'users.id', 'r.user_id')
        .select(['r.id', 'r.module_version_id as versionId', 'r.module_id as moduleId'])
        .select(['modules.uid as moduleUid', 'users.uid as userUid'])
        .where('r.uid', '=', registrationUid)
        .where('r.site_id', '=', ctx.site.id)
        .where('users.erased_at', 'is', null)
        .where(isListed(ctx, 'modules'))
        .executeTakeFirst()
    : undefined
  if (!row) throw new NotFound()
  return row
}

async function findVersion(ctx: Ctx, moduleId: number, uid: string): Promise<{ id: number; version: number }> {
  const row = await ctx.db
    .selectFrom('module_versions')
    .select(['id', 'version'])
    .where('uid', '=', uid)
    .where('module_id', '=', moduleId)
    .executeTakeFirst()
  if (!row) throw new NotFound('This module has no such version.')
  return row
}

function requireOpen(registration: Registration): void {
  if (registration.closedAt !== null) throw overAlready()
}

async function requireUndone(ctx: Ctx, registration: Registration, unit: Unit): Promise<void> {
  const record = (await selectUnitRecords(ctx, registration.id)).get(unit.id)
  if (record?.waivedAt) throw new Conflict('attempt.waived', waiveRefusals.waived)
  if (record?.satisfiedAt && record.progress === 100) {
    throw new Conflict('attempt.unit_done', waiveRefusals.done)
  }
}

async function requireMovable(ctx: Ctx, registration: Registration, version: { id: number; version: number }) {
  requireOpen(registration)
  if (registration.isPreview) {
    throw new Conflict('attempt.preview', 'A preview stays on its version. Preview the other version instead.')
  }
  if (registration.versionId === version.id) {
    throw new Conflict('attempt.same_version', `This attempt is already in v${version.version}.`)
  }
  if (await isBegun(ctx, registration.id)) return
  throw new Conflict(
    'attempt.not_begun',
    'This attempt was never begun. It opens the published version automatically at its next launch.',
  )
}

function overAlready(): Conflict {
  return new Conflict('attempt.closed', waiveRefusals.closed)
}
