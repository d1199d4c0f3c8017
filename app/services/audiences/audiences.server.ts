/**
 * Audiences: named rules about people, such as "Institution is University of Basel" and "Has not completed GCP Basics".
 * Nobody is put into an audience: who meets its conditions now is in it. Only accounts that can be used count. For
 * admins.
 */
import { sql } from 'kysely'
import { audiencesTable } from '~/forms/audience-tables.ts'
import type { About, Condition, PickedAbout } from '~/forms/audiences.ts'
import { mostFilterOptions, type TableQuery } from '~/lib/table-query.ts'
import { isStorable } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { isFoundBy } from '../search-conditions.server.ts'
import {
  conditionInWords,
  isInRule,
  type Names,
  nameKey,
  referencesOf,
  referredThings,
  referToGone,
} from './conditions.server.ts'

export type Audience = { uid: string; name: string; conditions: Condition[]; revision: number }

/** An audience with its conditions in words and how many people are in it now. */
export type DescribedAudience = Audience & {
  words: string[]
  /** True if something that a condition names no longer exists. */
  hasGone: boolean
  people: number
  updatedAt: Date
}

export type AudiencePageInput = Partial<Pick<TableQuery, 'search' | 'sort' | 'isDescending' | 'page' | 'size'>>

type Row = Audience & { updatedAt: Date }

const columns = sql`audiences.uid, audiences.name, audiences.rule as conditions, audiences.revision,
  audiences.updated_at as "updatedAt"`

/** Lists one page of audiences by name or by their last change. */
export async function listAudiences(
  ctx: Ctx,
  input: AudiencePageInput = {},
): Promise<{ items: DescribedAudience[]; total: number }> {
  requireAdmin(ctx)
  const { search = '' } = input
  if (!isStorable(search)) return { items: [], total: 0 }
  const { limit, offset } = limitsOfPage({ size: audiencesTable.sizes[0], ...input })
  const way = input.isDescending ? sql`desc` : sql`asc`
  const order = input.sort === 'updated' ? sql`audiences.updated_at ${way}, audiences.id` : sql`audiences.name ${way}`
  const found = sql`audiences.site_id = ${ctx.site.id} and audiences.deleted_at is null
    and ${isFoundBy(sql`audiences.search_key`, search)}`
  const [{ rows }, { rows: counts }] = await Promise.all([
    sql<Row>`
      select ${columns} from audiences where ${found}
      order by ${order}, audiences.id limit ${limit} offset ${offset}`.execute(ctx.db),
    sql<{ total: number }>`select count(*)::int as total from audiences where ${found}`.execute(ctx.db),
  ])
  return { items: await describe(ctx, rows), total: counts[0]?.total ?? 0 }
}

/** Lists audiences by name, without counting their people: at most `mostFilterOptions`, first the one that is chosen. */
export async function listAudienceNames(
  ctx: Ctx,
  { chosen }: { chosen: string },
): Promise<{ uid: string; name: string }[]> {
  requireAdmin(ctx)
  const first = isUid(chosen) ? sql`(audiences.uid = ${chosen}) desc, ` : sql``
  const { rows } = await sql<{ uid: string; name: string }>`
    select audiences.uid, audiences.name from audiences
    where audiences.site_id = ${ctx.site.id} and audiences.deleted_at is null
    order by ${first}audiences.name, audiences.id limit ${mostFilterOptions}`.execute(ctx.db)
  return rows
}

/** Returns an audience with its conditions in words and the number of its people. */
export async function getAudience(ctx: Ctx, input: { audienceUid: string }): Promise<DescribedAudience> {
  requireAdmin(ctx)
  const row = await findRow(ctx, input.audienceUid)
  const [audience] = row ? await describe(ctx, [row]) : []
  if (!audience) throw new NotFound()
  return audience
}

/** Returns an audience without counting its people. */
export async function getAudienceRule(ctx: Ctx, input: { audienceUid: string }): Promise<Audience> {
  requireAdmin(ctx)
  const row = await findRow(ctx, input.audienceUid)
  if (!row) throw new NotFound()
  const { updatedAt: _, ...audience } = row
  return audience
}

/** An audience for its form. */
export type AudienceToEdit = Audience & { hasGone: boolean }

/** Returns an audience for its form. */
export async function getAudienceToEdit(ctx: Ctx, input: { audienceUid: string }): Promise<AudienceToEdit> {
  const audience = await getAudienceRule(ctx, input)
  return { ...audience, hasGone: referToGone(audience.conditions, await findNames(ctx, audience.conditions)) }
}

/** Finds an audience, for jobs and other domains; null if it was deleted. Callers decide who may know. */
export async function findAudience(ctx: Ctx, input: { audienceUid: string }): Promise<Audience | null> {
  return (await findRow(ctx, input.audienceUid)) ?? null
}

async function findRow(ctx: Ctx, audienceUid: string): Promise<Row | undefined> {
  if (!isUid(audienceUid)) return undefined
  const { rows } = await sql<Row>`
    select ${columns} from audiences
    where audiences.site_id = ${ctx.site.id} and audiences.uid = ${audienceUid} and audiences.deleted_at is null`.execute(
    ctx.db,
  )
  return rows[0]
}

/** Adds words and counts: two queries, whatever the number of audiences. */
async function describe(ctx: Ctx, rows: Row[]): Promise<DescribedAudience[]> {
  if (rows.length === 0) return []
  const [names, counts] = await Promise.all([
    findNames(
      ctx,
      rows.flatMap(({ conditions }) => conditions),
    ),
    countEach(
      ctx,
      rows.map(({ conditions }) => conditions),
    ),
  ])
  return rows.map((row, index) => ({
    ...row,
    words: row.conditions.map((condition) => conditionInWords(condition, names)),
    hasGone: referToGone(row.conditions, names),
    people: counts[index] ?? 0,
  }))
}

/** Counts the people of several rules in one statement. */
async function countEach(ctx: Ctx, rules: Condition[][]): Promise<number[]> {
  const counts = rules.map((conditions) => sql`(select count(*)::int from users where ${isInRule(ctx, conditions)})`)
  const { rows } = await sql<{ counts: number[] }>`select array[${sql.join(counts)}]::int[] as counts`.execute(ctx.db)
  return rows[0]?.counts ?? []
}

/** Counts the people who meet all conditions now, saved or not. */
export async function countPeopleOfRule(ctx: Ctx, input: { conditions: Condition[] }): Promise<number> {
  requireAdmin(ctx)
  const [count = 0] = await countEach(ctx, [input.conditions])
  return count
}

/** Finds the names of everything that conditions refer to, in one query. */
export async function findNames(ctx: Ctx, conditions: Condition[]): Promise<Names> {
  const uids = [...new Set(referencesOf(conditions).map(({ uid }) => uid))]
  if (uids.length === 0) return new Map()
  const { rows } = await sql<{ about: About; uid: string; name: string }>`
    select about, uid, name from (${referredThings(ctx, uids)}) thing`.execute(ctx.db)
  return new Map(rows.map(({ about, uid, name }) => [nameKey(about, uid), name]))
}

/** An audience that was deleted in the last thirty days. */
export type RemovedAudience = { uid: string; name: string; removedAt: Date; removedBy: string }

const mostRemoved = 100

/** Lists what `restoreAudience` can bring back, newest first, up to a hundred. */
export async function listRemovedAudiences(ctx: Ctx): Promise<RemovedAudience[]> {
  requireAdmin(ctx)
  const { rows } = await sql<RemovedAudience>`
    select audiences.uid, audiences.name, audiences.deleted_at as "removedAt",
      concat_ws(' ', users.first_name, users.last_name) as "removedBy"
    from audiences left join users on users.id = audiences.deleted_by
    where audiences.site_id = ${ctx.site.id} and audiences.deleted_at > ${daysAgo(ctx, restorableDays)}
    order by audiences.deleted_at desc, audiences.id desc limit ${mostRemoved}`.execute(ctx.db)
  return rows
}

export type Choice = { uid: string; name: string }

const tables: Record<PickedAbout, { table: string; isThere: ReturnType<typeof sql<boolean>> }> = {
  institution: { table: 'universities', isThere: sql<boolean>`true` },
  module: { table: 'modules', isThere: sql<boolean>`deleted_at is null` },
  course: { table: 'courses', isThere: sql<boolean>`deleted_at is null` },
}

/** Lists a page of the institutions, modules or courses that a condition can name, by name. */
export async function listThingsToName(
  ctx: Ctx,
  input: { about: PickedAbout; search: string } & NumberedPageInput,
): Promise<{ items: Choice[]; total: number }> {
  requireAdmin(ctx)
  if (!isStorable(input.search)) return { items: [], total: 0 }
  const { table, isThere } = tables[input.about]
  const { limit, offset } = limitsOfPage(input)
  const found = sql`${sql.table(table)} thing where site_id = ${ctx.site.id} and ${isThere}
    and ${isFoundBy(sql`thing.search_key`, input.search)}`
  const [{ rows: items }, { rows: counts }] = await Promise.all([
    sql<Choice>`select uid, name::text from ${found} order by thing.name, id limit ${limit} offset ${offset}`.execute(
      ctx.db,
    ),
    sql<{ total: number }>`select count(*)::int as total from ${found}`.execute(ctx.db),
  ])
  return { items, total: counts[0]?.total ?? 0 }
}

/** The answers of a site that conditions can name, by the keys of their questions. */
export async function listAnswersToName(ctx: Ctx): Promise<{ about: About; uid: string; name: string }[]> {
  requireAdmin(ctx)
  const { rows } = await sql<{ about: About; uid: string; name: string }>`
    select question.key as about, option.uid, option.text as name
    from profile_questions question join profile_options option on option.question_id = question.id
    where question.site_id = ${ctx.site.id} and question.key is not null
    order by question.position, question.id, option.position, option.id`.execute(ctx.db)
  return rows
}
