/** What staff read of one attempt: its launches and its statements. Those of other sites, of deleted modules and of erased people are not found. */
import { isUid } from '~/lib/uid.ts'
import { isListed, seesDrafts } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Invalid, NotFound, requireThat } from '../errors.ts'
import { type LanguageMap, listStatementsOfRegistration, type RecordedStatement } from '../xapi/xapi.server.ts'
import { idleSince } from './unit-sessions.server.ts'
import type { LaunchMode } from './vocabulary.ts'

export type AttemptSession = {
  uid: string
  unit: { uid: string; index: number; title: LanguageMap }
  mode: LaunchMode
  state: 'open' | 'terminated' | 'abandoned'
  launchedAt: Date
  initializedAt: Date | null
  terminatedAt: Date | null
  abandonedAt: Date | null
  lastSeenAt: Date
  /** From its `initialized` to its end, or as far as it has come; null for what was never initialized. */
  seconds: number | null
}

const mostSessions = 100
const mostStatements = 100

/** The newest hundred, newest first. */
export async function listSessionsOfAttempt(ctx: Ctx, input: { registrationUid: string }): Promise<AttemptSession[]> {
  const rows = await selectRegistration(ctx, input.registrationUid)
    .leftJoin('launch_sessions as s', 's.registration_id', 'registrations.id')
    .leftJoin('cmi5_units as u', 'u.id', 's.unit_id')
    .select([
      's.uid',
      's.mode',
      's.launched_at as launchedAt',
      's.initialized_at as initializedAt',
      's.terminated_at as terminatedAt',
      's.abandoned_at as abandonedAt',
      's.last_seen_at as lastSeenAt',
      'u.uid as unitUid',
      'u.position',
      'u.title',
    ])
    .orderBy('s.launched_at', 'desc')
    .orderBy('s.id', 'desc')
    .limit(mostSessions)
    .execute()
  if (rows.length === 0) throw new NotFound()
  return rows.flatMap(({ uid, launchedAt, lastSeenAt, unitUid, ...row }) => {
    // Without any launch the join leaves one row of nothing.
    if (uid === null || launchedAt === null || lastSeenAt === null || unitUid === null) return []
    const isIdle = lastSeenAt <= idleSince(ctx.now)
    const until = row.terminatedAt ?? lastSeenAt
    return {
      uid,
      unit: { uid: unitUid, index: row.position ?? 0, title: row.title as LanguageMap },
      mode: row.mode as LaunchMode,
      state: row.terminatedAt ? 'terminated' : row.abandonedAt || isIdle ? 'abandoned' : 'open',
      launchedAt,
      initializedAt: row.initializedAt,
      terminatedAt: row.terminatedAt,
      abandonedAt: row.abandonedAt,
      lastSeenAt,
      seconds: row.initializedAt
        ? Math.max(0, Math.round((until.getTime() - row.initializedAt.getTime()) / 1000))
        : null,
    }
  })
}

type StatementsInput = { registrationUid: string; first?: number; before?: string | null; languages?: string[] }
type StatementsPage = { items: RecordedStatement[]; next: string | null }

/** Both for one page: who may read the launches may read the statements. */
export async function getRecordsOfAttempt(
  ctx: Ctx,
  input: StatementsInput,
): Promise<{ sessions: AttemptSession[]; statements: StatementsPage }> {
  const sessions = await listSessionsOfAttempt(ctx, input)
  return { sessions, statements: await statementsPage(ctx, input) }
}

/** Newest first, at most a hundred; `next` of a page is the `before` of the following one. */
export async function listStatementsOfAttempt(ctx: Ctx, input: StatementsInput): Promise<StatementsPage> {
  const registration = await selectRegistration(ctx, input.registrationUid)
    .select('registrations.uid')
    .executeTakeFirst()
  if (!registration) throw new NotFound()
  return statementsPage(ctx, input)
}

async function statementsPage(ctx: Ctx, input: StatementsInput): Promise<StatementsPage> {
  const before = input.before ? Number(input.before) : undefined
  if (before !== undefined && (!Number.isSafeInteger(before) || before < 0)) {
    throw new Invalid('The cursor "before" is not one of this list.', {}, 'page.before')
  }
  const first = Math.min(Math.max(input.first ?? mostStatements, 1), mostStatements)
  const { items, next } = await listStatementsOfRegistration(ctx, {
    registration: input.registrationUid,
    languages: input.languages,
    first,
    before,
  })
  return { items, next: next === null ? null : String(next) }
}

function selectRegistration(ctx: Ctx, registrationUid: string) {
  requireViewer(ctx)
  requireThat(seesDrafts(ctx))
  if (!isUid(registrationUid)) throw new NotFound()
  return ctx.db
    .selectFrom('registrations')
    .innerJoin('modules', 'modules.id', 'registrations.module_id')
    .innerJoin('users', 'users.id', 'registrations.user_id')
    .where('registrations.uid', '=', registrationUid)
    .where('registrations.site_id', '=', ctx.site.id)
    .where('users.erased_at', 'is', null)
    .where(isListed(ctx, 'modules'))
}
