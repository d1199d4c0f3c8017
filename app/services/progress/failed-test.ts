import { type RawBuilder, sql } from 'kysely'
import { type FailedTest, failingDays } from '~/lib/failed-test.ts'
import type { Ctx } from '../context.ts'

type UnitResult = {
  moveOn: string | null
  progress: number | null
  failedAt: Date | null
  passedAt: Date | null
  waivedAt: Date | null
}

/** Says whether a unit has a failed test. `progress` is 100 once the unit is done. */
export function failedTestOf({ moveOn, progress, failedAt, passedAt, waivedAt }: UnitResult): FailedTest {
  if (!failedAt || passedAt || waivedAt) return null
  const asksToPass = moveOn === 'Passed' || moveOn === 'CompletedAndPassed' || moveOn === 'CompletedOrPassed'
  return asksToPass && progress !== 100 ? 'required' : 'optional'
}

/** SQL condition: passing the unit's failed test is required, so the unit is not done. */
const isRequired = sql`unit.move_on in ('Passed', 'CompletedAndPassed', 'CompletedOrPassed') and unit.progress < 100`

/** SQL for the units of an attempt whose test was failed and never passed. */
const failedUnits = sql`registration_units unit on unit.registration_id = attempt.id
  and unit.failed_at is not null and unit.passed_at is null and unit.waived_at is null`

/**
 * SQL for the failed test of a module, in queries where `p` is the progress. What counts is the open attempt or, once the
 * module is completed, whether each completed attempt has a failed test.
 */
export const failedTest = sql<FailedTest>`(
  select case
    when p.completed_at is null then
      case when bool_or(${isRequired}) then 'required' when count(unit.unit_id) > 0 then 'optional' end
    when count(distinct attempt.id) = count(distinct unit.registration_id) and count(unit.unit_id) > 0 then 'optional'
    end
  from registrations attempt
  left join ${failedUnits}
  where attempt.user_id = p.user_id and attempt.module_id = p.module_id and not attempt.is_preview
    and case when p.completed_at is null then attempt.closed_at is null else attempt.progress_percent = 100 end)`

/** Tells whether an attempt has a failed test that the learner must pass to complete the module. */
export async function hasRequiredFailedTest(ctx: Pick<Ctx, 'db'>, registrationId: number): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from (select ${registrationId}::bigint as id) attempt join ${failedUnits} where ${isRequired}) as has`.execute(
    ctx.db,
  )
  return rows[0]?.has ?? false
}

type FailingAttempt = { user_id: number; module_id: number }

/**
 * Selects the open attempts (`attempt`) in which a test was failed in the last thirty days that must be passed. Whoever has
 * completed the module before is still among them: join the progress.
 */
export function failingAttempts(ctx: Pick<Ctx, 'now'>): RawBuilder<FailingAttempt> {
  const since = new Date(ctx.now.getTime() - failingDays * 86_400_000)
  return sql`(
    select attempt.user_id, attempt.module_id from registrations attempt join ${failedUnits}
    where unit.failed_at >= ${since} and ${isRequired} and attempt.closed_at is null and not attempt.is_preview)`
}
