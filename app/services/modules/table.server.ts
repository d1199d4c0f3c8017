/** Pages of modules for the console's table: searched by name or tag, sorted by any column, walked by number. */
import { type SelectQueryBuilder, sql } from 'kysely'
import { caseKey, containsPattern, isStorable } from '~/lib/text.ts'
import { isListed } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { type Module, selectModules, toModule } from './queries.server.ts'

export const moduleSorts = ['name', 'status', 'author', 'version', 'updated', 'completions', 'score'] as const
export type ModuleSort = (typeof moduleSorts)[number]

export type ModulePageInput = NumberedPageInput & { search?: string; sort?: ModuleSort; isDescending?: boolean }

/** For staff. Beyond the last page there is nothing. */
export async function listModulePage(ctx: Ctx, input: ModulePageInput): Promise<{ items: Module[]; total: number }> {
  requireStaff(ctx)
  const search = input.search ?? ''
  if (!isStorable(search)) return { items: [], total: 0 }
  const { limit, offset } = limitsOfPage(input)
  const [rows, { count }] = await Promise.all([
    matching(selectModules(ctx).where(isListed(ctx, 'modules')), search)
      .orderBy(sortKeys[input.sort ?? 'name'], (order) => (input.isDescending ? order.desc() : order.asc()).nullsLast())
      .orderBy('modules.name_key')
      .orderBy('modules.id')
      .limit(limit)
      .offset(offset)
      .execute(),
    matching(ctx.db.selectFrom('modules').where(isListed(ctx, 'modules')), search)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  ])
  return { items: rows.map(toModule), total: count }
}

/** To choose one from, for staff: each once, by name, at most a thousand. */
export async function listModuleNames(ctx: Ctx): Promise<string[]> {
  requireStaff(ctx)
  const rows = await ctx.db
    .selectFrom('modules')
    .select('modules.name')
    .distinct()
    .where(isListed(ctx, 'modules'))
    .orderBy('modules.name')
    .limit(1000)
    .execute()
  return rows.map(({ name }) => name)
}

// biome-ignore lint/suspicious/noExplicitAny: whatever else is joined
function matching<Q extends SelectQueryBuilder<any, any, any>>(query: Q, search: string): Q {
  const key = caseKey(search)
  if (key === '') return query
  const pattern = containsPattern(key)
  return query.where(
    sql<boolean>`(modules.name_key like ${pattern} or exists (
      select from module_tags join tags on tags.id = module_tags.tag_id
      where module_tags.module_id = modules.id and tags.text_key like ${pattern}))`,
  ) as Q
}

/** As the table shows them: a person by first name and initial. */
const sortKeys = {
  name: sql<string>`modules.name_key`,
  status: sql<boolean>`published.id is not null and published.id = latest.id`,
  author: sql<string>`(select lower(users.first_name) from users where users.id = latest.author_id)`,
  version: sql<number>`latest.version`,
  updated: sql<Date>`modules.updated_at`,
  completions: sql<number>`(select count(completed_at) from module_progress where module_id = modules.id)`,
  score: sql<number>`(select avg(highest_score) from module_progress where module_id = modules.id)`,
} satisfies Record<ModuleSort, unknown>
