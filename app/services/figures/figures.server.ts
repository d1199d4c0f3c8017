/**
 * What each person did in a year of the site and in all years (`person_years`), for reports over long periods. Triggers of the
 * database keep it next to the logins, sessions and modules that it counts (docs/decisions/042).
 */
import { sql } from 'kysely'
import type { ReportPeriod } from '~/lib/report-periods.ts'
import { startOfDay } from '~/lib/zoned-time.ts'
import type { Database } from '~db/client.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx } from '../context.ts'
import { writeFiguresZone } from '../sites/stored-settings.server.ts'

/** Each row that is counted, and when it was. */
export const countedMoments = {
  logins: ['at'],
  visits: ['started_at'],
  module_progress: ['started_at', 'completed_at'],
} as const

/** Counted moments of a period: those of a year (0: of all years) without those that lie in it after the period. */
export type CountedYear = { year: number; later: { from: Date; to: Date } | null }

const endOfTime = new Date('9999-12-31T00:00:00Z')

/**
 * The year of `person_years` that begins with a period; null if it has not been counted, or if most of it lies after the
 * period.
 */
export async function findCountedYear(
  ctx: Ctx,
  db: Database,
  {
    period: { firstDay, from, to },
    table,
  }: { period: Pick<ReportPeriod, 'firstDay' | 'from' | 'to'>; table: keyof typeof countedMoments },
): Promise<CountedYear | null> {
  if (firstDay !== null && !firstDay.endsWith('-01-01')) return null
  const year = firstDay === null ? 0 : Number(firstDay.slice(0, 4))
  const end = year === 0 ? endOfTime : startOfDay(`${year + 1}-01-01`, ctx.site.timeZone)
  const later = countedMoments[table].map(
    (at) => sql`exists (
      select from ${sql.table(table)}
      where site_id = ${ctx.site.id} and ${sql.ref(at)} >= ${to} and ${sql.ref(at)} < ${end})`,
  )
  const { rows } = await sql<{ isCounted: boolean; hasMore: boolean }>`
    select figures_zone = ${ctx.site.timeZone} as "isCounted", ${sql.join(later, sql` or `)} as "hasMore"
    from sites where id = ${ctx.site.id}`.execute(db)
  const [found] = rows
  if (!found?.isCounted) return null
  if (!found.hasMore) return { year, later: null }
  const isMost = from === null || to.getTime() - from.getTime() > end.getTime() - to.getTime()
  return isMost ? { year, later: { from: to, to: end } } : null
}

/** So many people are counted in a transaction. Their own logins and sessions wait for it. */
const peopleAtOnce = 200

/** Job: counts everything of the site again if it has another time zone than when it was counted. Returns whether it did. */
export async function renewFigures(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql<{ isOld: boolean }>`
    select figures_zone is distinct from time_zone as "isOld" from sites where id = ${ctx.site.id}`.execute(ctx.db)
  if (!rows[0]?.isOld) return false
  await rebuildFigures(ctx)
  return true
}

/**
 * Counts everything of the site again, some people at a time. Safe to repeat, and to kill at any point. If the settings
 * of the site change meanwhile, it remains to be done again.
 */
export async function rebuildFigures(ctx: Pick<Ctx, 'db' | 'site'>): Promise<void> {
  const site = ctx.site.id
  const { rows } = await sql<{ revision: number; zone: string }>`
    select revision, time_zone as zone from sites where id = ${site}`.execute(ctx.db)
  for (let after = 0; ; ) {
    const last = await inTransaction(ctx, async ({ db }) => {
      const { rows } = await sql<{ first: number | null; last: number | null }>`
        select min(id) as first, max(id) as last from (
          select id from users where site_id = ${site} and id > ${after} order by id limit ${peopleAtOnce}) people`.execute(
        db,
      )
      const [people] = rows
      if (!people?.last) return null
      await sql`select rebuild_person_years(${site}, ${people.first}, ${people.last})`.execute(db)
      return people.last
    })
    if (last === null) break
    after = last
  }
  if (rows[0]) await writeFiguresZone(ctx, rows[0])
}
