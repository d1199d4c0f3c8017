/** The audit log for admins: who changed what on their site, newest first. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type AuditFilters, auditFilters } from '~/forms/audit-log.ts'
import { openCursor, type Page, sealCursor } from '~/lib/cursor.ts'
import { searchKey } from '~/lib/text.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { isFoundBy } from '../search-conditions.server.ts'
import type { AuditFields } from './audit.server.ts'

export type LoggedChange = {
  at: Date
  actorName: string
  action: string
  entity: string
  entityUid: string
  /** What the thing is called now; null if it is gone or has no name. */
  target: string | null
  before: AuditFields | null
  after: AuditFields | null
  /** Whether it was a deletion and the thing has been restored since. */
  isTakenBack: boolean
}

const list = 'audit-log'

/** Lists the changes that match the filters, newest first. `after` is the cursor of the page before. */
export async function listAuditLog(
  ctx: Ctx,
  input: Partial<AuditFilters> & { first?: number },
): Promise<Page<LoggedChange>> {
  requireAdmin(ctx)
  const filters = auditFilters.parse(input)
  const first = Math.min(Math.max(input.first ?? 25, 1), 1000)
  const [time, id] = openCursor(list, filters.after) ?? []
  const conditions: RawBuilder<SqlBool>[] = [sql`entry.site_id = ${ctx.site.id}`]
  if (isTime(time) && Number.isSafeInteger(id)) {
    conditions.push(sql`(entry.at, entry.id) < (${new Date(time)}, ${id}::bigint)`)
  }
  if (filters.kind) conditions.push(sql`entry.entity = ${filters.kind}`)
  if (filters.target) conditions.push(sql`entry.entity_uid = ${filters.target}`)
  if (filters.person) conditions.push(isBy(ctx, filters.person))
  const { timeZone } = ctx.site
  if (filters.from) conditions.push(sql`entry.at >= ${filters.from}::date::timestamp at time zone ${timeZone}`)
  if (filters.to) conditions.push(sql`entry.at < (${filters.to}::date + 1)::timestamp at time zone ${timeZone}`)
  const { rows } = await sql<LoggedChange & { id: number }>`
    with page as (
      select * from audit_entries entry where ${sql.join(conditions, sql` and `)}
      order by entry.at desc, entry.id desc limit ${first + 1})
    select page.id, page.at, page.actor_name as "actorName", page.action, page.entity, page.entity_uid as "entityUid",
      page.before, page.after, ${targetName} as target,
      page.action = page.entity || '.deleted' and exists (
        select from audit_entries later
        where later.entity = page.entity and later.entity_uid = page.entity_uid and later.at >= page.at
          and later.id > page.id and later.action = page.entity || '.restored') as "isTakenBack"
    from page order by page.at desc, page.id desc`.execute(ctx.db)
  const shown = rows.slice(0, first)
  const last = shown.at(-1)
  return {
    items: shown.map(({ id: _, ...change }) => change),
    endCursor: last ? sealCursor(list, [last.at.getTime(), Number(last.id)]) : null,
    hasNextPage: rows.length > first,
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15
}

/** By somebody whose name or address holds a text, or by the operator. */
function isBy(ctx: Ctx, text: string): RawBuilder<SqlBool> {
  const key = searchKey(text)
  const isOperator = key !== '' && 'operator'.startsWith(key)
  return sql`(entry.actor_id in (
      select id from users where site_id = ${ctx.site.id} and ${isFoundBy(sql`search_key`, text)})
    ${isOperator ? sql`or entry.actor_id is null` : sql``})`
}

const named: Record<string, [table: string, name: string]> = {
  course: ['courses', 'name'],
  module: ['modules', 'name'],
  lecture: ['lectures', 'name'],
  video: ['videos', 'name'],
  glossary_term: ['glossary_terms', 'name'],
  tag: ['tags', 'text'],
  university: ['universities', 'name'],
  section: ['sections', 'name'],
  announcement: ['announcements', 'name'],
  access_plan: ['access_plans', 'name'],
  audience: ['audiences', 'name'],
  saved_view: ['saved_views', 'name'],
  scheduled_report: ['scheduled_reports', 'name'],
}

/** The name of the thing that an entry of `page` is about. */
const targetName = sql<string | null>`case page.entity
  when 'user' then (select nullif(concat_ws(' ', first_name, last_name), '') from users where uid = page.entity_uid)
  ${sql.join(
    Object.entries(named).map(
      ([entity, [table, name]]) =>
        sql`when ${sql.lit(entity)} then (select ${sql.ref(name)}::text from ${sql.table(table)} where uid = page.entity_uid)`,
    ),
    sql` `,
  )} end`
