/** An attempt that goes on in another version: it ends, and what was met in it counts in the new one as an Equivalent AU. */
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

/** With the registration locked: its sessions end, and it is closed. `pkg` of the attempt may be that of the version to come. */
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

/** For each unit of the new attempt that was met by what was done in the old one, found by its publisher id. */
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

/** cmi5 9.3.7: in a session of its own. */
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
