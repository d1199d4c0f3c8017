/**
 * Continues an attempt in another version: ends it, and waives the units that it met in the new attempt as Equivalent
 * AU.
 */
import { randomUUID } from 'node:crypto'
import type { WaiveReason } from '~/forms/attempts.ts'
import type { Ctx } from '../context.ts'
import type { Agent } from '../xapi/xapi.server.ts'
import { abandonedEntries, markAbandoned } from './endings.server.ts'
import { type Entry, type Ledger, writeEntries } from './ledger.server.ts'
import { waivedStatement } from './lms-statements.ts'
import { closeRegistration, lockOpenSessions, type Registration, selectUnitRecords } from './records.server.ts'
import { findPackage, type Package, type Unit } from './structure.server.ts'

export type Attempt = { registration: Registration; moduleUid: string; actor: Agent; pkg: Package }

export function ledgerOf({ registration, moduleUid, actor, pkg }: Attempt): Ledger {
  return { registration, moduleUid, actor, unitCount: pkg.units.length, pkg, version: '1.0.3' }
}

/**
 * Abandons the attempt's open sessions and closes it. The caller holds the registration's lock. `attempt.pkg` may
 * belong to the next version.
 */
export async function endAttempt(ctx: Ctx, attempt: Attempt, next: Package): Promise<Attempt> {
  const { registration } = attempt
  const sessions = await lockOpenSessions(ctx, registration.id)
  const pkg = registration.versionId === next.versionId ? next : await findPackage(ctx.db, registration.versionId)
  const ended = { ...attempt, pkg: pkg ?? attempt.pkg }
  if (sessions.length > 0 && pkg) {
    await writeEntries(ctx, ledgerOf(ended), await abandonedEntries(ctx, { ...ended, sessions }))
    await markAbandoned(ctx, sessions)
  }
  await closeRegistration(ctx, registration.id)
  return ended
}

/** Makes a waived entry for each unit of the new attempt that was met in the old one, matched by publisher id. */
export async function equivalentEntries(ctx: Ctx, from: Attempt, to: Attempt): Promise<Entry[]> {
  const records = await selectUnitRecords(ctx, from.registration.id)
  const isDone = ({ id }: Unit) => {
    const record = records.get(id)
    return record !== undefined && record.satisfiedAt !== null && record.progress === 100
  }
  const done = new Set(from.pkg.units.filter(isDone).map(({ publisherId }) => publisherId))
  return to.pkg.units
    .filter(({ publisherId }) => done.has(publisherId))
    .map((unit) => waivedEntry(ctx, to, unit, 'Equivalent AU'))
}

/** A waived statement has a session of its own (cmi5 9.3.7). */
export function waivedEntry(
  ctx: Ctx,
  { registration, actor }: Pick<Attempt, 'registration' | 'actor'>,
  unit: Unit,
  reason: WaiveReason,
): Entry {
  const sessionUid = randomUUID()
  const occasion = { actor, registrationUid: registration.uid, sessionUid, at: ctx.now }
  return {
    statement: waivedStatement(occasion, unit, reason),
    sessionUid,
    launchSessionId: null,
    unit: { id: unit.id, launchedAs: unit.inPackage, fact: { verb: 'waived', mode: 'Normal', reason } },
    satisfies: null,
  }
}
