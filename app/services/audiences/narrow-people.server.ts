/** Which people of the site figures are about: those of an institution, group, plan or audience, or of several at once. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Condition } from '~/forms/audiences.ts'
import { peopleFilters } from '~/forms/reports.ts'
import { groupChoices, noneOfThem } from '~/forms/user-tables.ts'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { findAudience, findNames } from './audiences.server.ts'
import { isInRule, meets, nameKey } from './conditions.server.ts'

export type PeopleFilter = (typeof peopleFilters)[number]

export type NarrowedPeople = {
  /** SQL condition on `users`; null for everybody. */
  condition: RawBuilder<SqlBool> | null
  /** What the people are of, in words: "University of Basel". */
  words: string[]
}

/**
 * Reads filters by the uid of an institution, plan or audience and by the name of a group. `none` means people without an
 * institution or plan. Throws Invalid for what does not exist on the site. Callers decide who may ask.
 */
export async function narrowPeople(ctx: Ctx, filters: Partial<Record<PeopleFilter, string>>): Promise<NarrowedPeople> {
  const { audience: audienceUid, ...others } = filters
  const conditions = (['institution', 'group', 'plan'] as const).flatMap((about) => {
    const value = others[about]
    if (value !== undefined && about !== 'group' && value !== noneOfThem && !isUid(value)) throw unknown(about)
    return value === undefined ? [] : [{ about, how: 'is' as const, values: [value.toLowerCase()] }]
  })
  const [names, audience] = await Promise.all([
    findNames(ctx, conditions),
    audienceUid === undefined ? null : findAudience(ctx, { audienceUid }),
  ])
  if (audienceUid !== undefined && !audience) throw unknown('audience')
  const words = conditions.map((condition) => {
    const [value = ''] = condition.values
    const special =
      condition.about === 'group' ? groupNames.get(value) : value === noneOfThem && withoutOne[condition.about]
    const name = special || names.get(nameKey(condition.about, value))
    if (name === undefined) throw unknown(condition.about)
    return name
  })
  const all = [
    ...conditions.map((condition) => meets(ctx, condition)),
    ...(audience ? [isInRule(ctx, audience.conditions)] : []),
  ]
  return {
    condition: all.length > 0 ? sql<SqlBool>`(${sql.join(all, sql` and `)})` : null,
    words: [...words, ...(audience ? [audience.name] : [])],
  }
}

/** What a filter names. `name` is null if that no longer exists; `former` is the name of a deleted institution. */
export type NamedFilter = { about: PeopleFilter; name: string | null; former: string | null }

/**
 * Finds the names of what several filters say, in two queries, whatever their number, and a third one if institutions
 * are gone. Callers decide who may know.
 */
export async function nameFilters(ctx: Ctx, list: Partial<Record<PeopleFilter, string>>[]): Promise<NamedFilter[][]> {
  const parts = list.map((filters) =>
    peopleFilters.flatMap((about): [PeopleFilter, string][] => {
      const value = filters[about]
      return value === undefined ? [] : [[about, value]]
    }),
  )
  const uidsOf = (about: PeopleFilter) =>
    parts.flat().flatMap(([one, value]) => (one === about && isUid(value) ? [value.toLowerCase()] : []))
  const conditions = (['institution', 'plan'] as const).map(
    (about): Condition => ({ about, how: 'is', values: uidsOf(about) }),
  )
  const audienceUids = uidsOf('audience')
  const [names, { rows: audiences }] = await Promise.all([
    findNames(ctx, conditions),
    sql<{ uid: string; name: string }>`
      select uid, name::text from audiences
      where site_id = ${ctx.site.id} and uid = any(${audienceUids}::uuid[]) and deleted_at is null`.execute(ctx.db),
  ])
  const audienceNames = new Map(audiences.map(({ uid, name }) => [uid, name]))
  const nameOf = (about: PeopleFilter, value: string): string | undefined => {
    const key = value.toLowerCase()
    if (about === 'group') return groupNames.get(key)
    if (about === 'audience') return audienceNames.get(key)
    return key === noneOfThem ? withoutOne[about] : names.get(nameKey(about, key))
  }
  const goneUids = uidsOf('institution').filter((uid) => !names.has(nameKey('institution', uid)))
  const formerNames = await findFormerNames(ctx, goneUids)
  return parts.map((filters) =>
    filters.map(([about, value]) => ({
      about,
      name: nameOf(about, value) ?? null,
      former: (about === 'institution' && formerNames.get(value.toLowerCase())) || null,
    })),
  )
}

/** Finds the names that institutions had before they were deleted. They are known for thirty days. */
async function findFormerNames(ctx: Ctx, uids: string[]): Promise<Map<string, string>> {
  if (uids.length === 0) return new Map()
  const { rows } = await sql<{ uid: string; name: string }>`
    select university_uid as uid, name::text from removed_universities
    where site_id = ${ctx.site.id} and university_uid = any(${uids}::uuid[]) order by removed_at`.execute(ctx.db)
  return new Map(rows.map(({ uid, name }) => [uid, name]))
}

const groupNames = new Map<string, string>(groupChoices.map(({ value, label }) => [value, label]))
const withoutOne: Record<string, string> = { institution: 'No institution', plan: 'No access plan' }

/** Says that what a filter names is not there. The address of a report holds what was there once. */
export function goneInWords(about: PeopleFilter): string {
  return `The ${about === 'plan' ? 'access plan' : about} of this report no longer exists.`
}

function unknown(about: PeopleFilter): Invalid {
  const message = goneInWords(about)
  return new Invalid(message, { [about]: message })
}
