import { type Selectable, sql } from 'kysely'
import type { DB } from '~db/schema.ts'
import type { Ctx } from '../context.ts'
import type { UnitRecord } from './registration-state.ts'
import type { LaunchMode, MoveOn } from './vocabulary.ts'

/** SQL for registrations, their units and their sessions. Lock order: the registration, then its sessions by id. */
export type Registration = {
  id: number
  uid: string
  userId: number
  moduleId: number
  versionId: number
  number: number
  isPreview: boolean
  percent: number
  satisfiedAt: Date | null
  closedAt: Date | null
}

/** An attempt to create. `movedFromId` is the attempt that it continues. */
export type NewAttempt = Attempt & { movedFromId?: number | null }

const registrationColumns = [
  'id',
  'uid',
  'user_id as userId',
  'module_id as moduleId',
  'module_version_id as versionId',
  'number',
  'is_preview as isPreview',
  'progress_percent as percent',
  'satisfied_at as satisfiedAt',
  'closed_at as closedAt',
] as const

type Attempt = { userId: number; moduleId: number; isPreview: boolean; versionId: number }

/** Finds the learner's open attempt. For a preview, finds the open preview of this version. */
export async function findOpenRegistration(
  ctx: Pick<Ctx, 'db'>,
  attempt: Attempt,
  options: { lock?: boolean } = {},
): Promise<Registration | null> {
  let query = ctx.db
    .selectFrom('registrations')
    .select(registrationColumns)
    .where('user_id', '=', attempt.userId)
    .where('module_id', '=', attempt.moduleId)
    .where('is_preview', '=', attempt.isPreview)
    .where('closed_at', 'is', null)
    .orderBy('number', 'desc')
    .limit(1)
  if (attempt.isPreview) query = query.where('module_version_id', '=', attempt.versionId)
  if (options.lock) query = query.forUpdate()
  return (await query.executeTakeFirst()) ?? null
}

export async function lockRegistration(ctx: Pick<Ctx, 'db'>, id: number): Promise<Registration> {
  return ctx.db
    .selectFrom('registrations')
    .select(registrationColumns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Inserts a registration. Returns null if another request has just opened an attempt; unique keys decide the race. */
export async function insertRegistration(ctx: Ctx, attempt: NewAttempt): Promise<Registration | null> {
  const row = await ctx.db
    .insertInto('registrations')
    .columns([
      'site_id',
      'user_id',
      'module_id',
      'module_version_id',
      'is_preview',
      'number',
      'moved_from_id',
      'created_at',
      'updated_at',
    ])
    .expression((eb) =>
      eb
        .selectFrom('registrations')
        .where('user_id', '=', attempt.userId)
        .where('module_id', '=', attempt.moduleId)
        .where('is_preview', '=', attempt.isPreview)
        .select([
          sql<number>`${ctx.site.id}::bigint`.as('site_id'),
          sql<number>`${attempt.userId}::bigint`.as('user_id'),
          sql<number>`${attempt.moduleId}::bigint`.as('module_id'),
          sql<number>`${attempt.versionId}::bigint`.as('module_version_id'),
          sql<boolean>`${attempt.isPreview}::boolean`.as('is_preview'),
          sql<number>`coalesce(max(number), 0) + 1`.as('number'),
          sql<number | null>`${attempt.movedFromId ?? null}::bigint`.as('moved_from_id'),
          sql<Date>`${ctx.now}::timestamptz`.as('created_at'),
          sql<Date>`${ctx.now}::timestamptz`.as('updated_at'),
        ]),
    )
    .onConflict((oc) => oc.doNothing())
    .returning(registrationColumns)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Tells whether anything was initialized in the attempt or in the attempts that it continues. If so, it stays on its
 * version.
 */
export async function isBegun(ctx: Pick<Ctx, 'db'>, registrationId: number): Promise<boolean> {
  const { rows } = await sql<{ isBegun: boolean }>`
    with recursive chain as (
      select id, moved_from_id from registrations where id = ${registrationId}
      union all
      select r.id, r.moved_from_id from registrations r join chain on r.id = chain.moved_from_id)
    select exists (
      select from launch_sessions s join chain on chain.id = s.registration_id
      where s.initialized_at is not null) as "isBegun"`.execute(ctx.db)
  return rows[0]?.isBegun ?? false
}

export async function closeRegistration(ctx: Ctx, id: number): Promise<void> {
  await ctx.db
    .updateTable('registrations')
    .set({ closed_at: ctx.now, updated_at: ctx.now })
    .where('id', '=', id)
    .execute()
}

export async function saveRegistration(
  ctx: Pick<Ctx, 'db'>,
  id: number,
  values: { percent: number; satisfiedAt: Date | null; at: Date },
): Promise<void> {
  await ctx.db
    .updateTable('registrations')
    .set({ progress_percent: values.percent, satisfied_at: values.satisfiedAt, updated_at: values.at })
    .where('id', '=', id)
    .execute()
}

type UnitRow = Selectable<DB['registration_units']>

export async function selectUnitRecords(
  ctx: Pick<Ctx, 'db'>,
  registrationId: number,
): Promise<Map<number, UnitRecord>> {
  const rows = await ctx.db
    .selectFrom('registration_units')
    .select([
      'registration_id',
      'unit_id',
      'move_on',
      'mastery_score',
      'launch_parameters',
      'reported',
      'progress',
      'score_scaled',
      'completed_at',
      'passed_at',
      'failed_at',
      'waived_at',
      'waive_reason',
      'satisfied_at',
      'seconds',
      'last_visited_at',
    ])
    .where('registration_id', '=', registrationId)
    .execute()
  return new Map(rows.map((row) => [row.unit_id, recordOf(row)]))
}

function recordOf(row: UnitRow): UnitRecord {
  return {
    unitId: row.unit_id,
    masteryScore: row.mastery_score,
    launchParameters: row.launch_parameters,
    moveOn: row.move_on as MoveOn,
    reported: row.reported,
    progress: row.progress,
    score: row.score_scaled,
    completedAt: row.completed_at,
    passedAt: row.passed_at,
    failedAt: row.failed_at,
    waivedAt: row.waived_at,
    waiveReason: row.waive_reason,
    satisfiedAt: row.satisfied_at,
    seconds: row.seconds,
    lastVisitedAt: row.last_visited_at,
  }
}

/** Saves all units with one SQL statement by passing them as a single JSON parameter. */
export async function saveUnitRecords(
  ctx: Pick<Ctx, 'db'>,
  registrationId: number,
  units: UnitRecord[],
): Promise<void> {
  if (units.length === 0) return
  await sql`
    insert into registration_units (registration_id, unit_id, move_on, mastery_score, launch_parameters, reported, progress,
      score_scaled, completed_at, passed_at, failed_at, waived_at, waive_reason, satisfied_at, seconds, last_visited_at)
    select ${registrationId}, u."unitId", u."moveOn", u."masteryScore", u."launchParameters", u.reported, u.progress,
      u.score, u."completedAt", u."passedAt", u."failedAt", u."waivedAt", u."waiveReason", u."satisfiedAt", u.seconds, u."lastVisitedAt"
    from jsonb_to_recordset(${JSON.stringify(units)}::jsonb) as u ("unitId" bigint, "moveOn" text, "masteryScore" numeric,
      "launchParameters" text, reported integer, progress integer, score double precision, "completedAt" timestamptz,
      "passedAt" timestamptz, "failedAt" timestamptz, "waivedAt" timestamptz, "waiveReason" text, "satisfiedAt" timestamptz,
      seconds double precision, "lastVisitedAt" timestamptz)
    on conflict (registration_id, unit_id) do update set
      move_on = excluded.move_on, mastery_score = excluded.mastery_score,
      launch_parameters = excluded.launch_parameters, reported = excluded.reported, progress = excluded.progress,
      score_scaled = excluded.score_scaled, completed_at = excluded.completed_at, passed_at = excluded.passed_at,
      failed_at = excluded.failed_at, waived_at = excluded.waived_at,
      waive_reason = excluded.waive_reason, satisfied_at = excluded.satisfied_at,
      seconds = excluded.seconds, last_visited_at = excluded.last_visited_at`.execute(ctx.db)
}

export async function selectSatisfiedBlocks(ctx: Pick<Ctx, 'db'>, registrationId: number): Promise<Set<number>> {
  const rows = await ctx.db
    .selectFrom('registration_blocks')
    .select('block_id')
    .where('registration_id', '=', registrationId)
    .execute()
  return new Set(rows.map((row) => row.block_id))
}

/** Each block is satisfied once per registration (cmi5 9.3.9). */
export async function insertSatisfiedBlocks(
  ctx: Pick<Ctx, 'db'>,
  registrationId: number,
  blocks: { blockId: number; at: Date }[],
): Promise<void> {
  if (blocks.length === 0) return
  await ctx.db
    .insertInto('registration_blocks')
    .values(blocks.map(({ blockId, at }) => ({ registration_id: registrationId, block_id: blockId, satisfied_at: at })))
    .onConflict((oc) => oc.doNothing())
    .execute()
}

export type OpenSession = {
  id: number
  uid: string
  unitId: number
  unitIri: string
  publisherId: string
  mode: LaunchMode
  launchedAt: Date
  initializedAt: Date | null
  lastSeenAt: Date
}

export async function lockOpenSessions(ctx: Pick<Ctx, 'db'>, registrationId: number): Promise<OpenSession[]> {
  return ctx.db
    .selectFrom('launch_sessions as s')
    .innerJoin('cmi5_units as u', 'u.id', 's.unit_id')
    .select(['s.id', 's.uid', 's.unit_id as unitId', 'u.iri as unitIri', 'u.publisher_id as publisherId'])
    .select(['s.mode', 's.launched_at as launchedAt', 's.initialized_at as initializedAt'])
    .select('s.last_seen_at as lastSeenAt')
    .$narrowType<{ mode: LaunchMode }>()
    .where('s.registration_id', '=', registrationId)
    .where('s.terminated_at', 'is', null)
    .where('s.abandoned_at', 'is', null)
    .orderBy('s.id')
    .forUpdate('s')
    .execute()
}

/** Returns the sequence number of the last statement stored for each session. */
export async function lastStatements(ctx: Pick<Ctx, 'db'>, sessionIds: number[]): Promise<Map<number, number>> {
  const rows = await ctx.db
    .selectFrom('xapi_statements')
    .select((eb) => ['launch_session_id as id', eb.fn.max('seq').as('seq')])
    .where('launch_session_id', 'in', sessionIds)
    .groupBy('launch_session_id')
    .execute()
  return new Map(rows.map((row) => [row.id as number, row.seq]))
}
