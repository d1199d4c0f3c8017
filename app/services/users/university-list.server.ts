/** The institutions of a site with how many people each has, and those whose names look like the same one. For admins. */
import { sql } from 'kysely'
import { institutionsTable } from '~/forms/institutions.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { listAllUniversities, type University } from '../institutions/institutions.server.ts'
import { limitsOfPage } from '../paging.ts'
import { isFoundBy } from '../search-conditions.server.ts'
import { isOfSite, tabConditions } from './table-entries.server.ts'

/** People are also admins, and accounts that are invited or disabled. */
export type CountedUniversity = University & { people: number; isDefault: boolean }
/** `learners` are those of the tab of learners. */
export type ListedUniversity = CountedUniversity & { learners: number }

export type UniversityPageInput = Partial<Pick<TableQuery, 'search' | 'sort' | 'isDescending' | 'page' | 'size'>>

/** Lists one page of institutions by name or by the number of their people. */
export async function listUniversityPage(
  ctx: Ctx,
  input: UniversityPageInput,
): Promise<{ items: ListedUniversity[]; total: number }> {
  requireAdmin(ctx)
  const { search = '' } = input
  if (!isStorable(search)) return { items: [], total: 0 }
  const { limit, offset } = limitsOfPage({ size: institutionsTable.sizes[0], ...input })
  const way = input.isDescending ? sql`desc` : sql`asc`
  const order =
    input.sort === 'people'
      ? sql`people ${way}, universities.name, universities.id`
      : sql`universities.name ${way}, universities.id`
  const { rows } = await sql<ListedUniversity & { total: number }>`
    select universities.uid, universities.name, coalesce(counted.people, 0) as people,
      coalesce(counted.learners, 0) as learners,
      sites.default_university_id is not null and sites.default_university_id = universities.id as "isDefault",
      count(*) over ()::int as total
    from universities
    join sites on sites.id = universities.site_id
    left join (
      select university_id, count(*)::int as people, (count(*) filter (where ${tabConditions.learners}))::int as learners
      from users where ${isOfSite(ctx)} group by university_id) counted
      on counted.university_id = universities.id
    where universities.site_id = ${ctx.site.id}
      and ${isFoundBy(sql`universities.search_key`, search)}
    order by ${order} limit ${limit} offset ${offset}`.execute(ctx.db)
  if (rows.length === 0 && offset > 0) {
    // The total of a page after the last one, so that the page can lead to the last one.
    const { total } = await listUniversityPage(ctx, { ...input, page: 1 })
    return { items: [], total }
  }
  return { items: rows.map(({ total: _, ...item }) => item), total: rows[0]?.total ?? 0 }
}

/** Returns an institution with its number of people. */
export async function getUniversity(ctx: Ctx, input: { universityUid: string }): Promise<CountedUniversity> {
  requireAdmin(ctx)
  if (!isUid(input.universityUid)) throw new NotFound()
  const { rows } = await sql<CountedUniversity>`
    select universities.uid, universities.name,
      sites.default_university_id is not null and sites.default_university_id = universities.id as "isDefault",
      (select count(*)::int from users where ${isOfSite(ctx)} and university_id = universities.id) as people
    from universities join sites on sites.id = universities.site_id
    where universities.site_id = ${ctx.site.id} and universities.uid = ${input.universityUid}`.execute(ctx.db)
  const [university] = rows
  if (!university) throw new NotFound()
  return university
}

const mostPairs = 5

/** Lists up to five pairs of institutions whose names probably mean the same one. Looks at the first thousand names. */
export async function listLookalikes(ctx: Ctx): Promise<[University, University][]> {
  requireAdmin(ctx)
  const groups = new Map<string, University[]>()
  for (const university of await listAllUniversities(ctx)) {
    const key = nameWithoutForm(university.name)
    if (key !== '') groups.set(key, [...(groups.get(key) ?? []), university])
  }
  const pairs = [...groups.values()].flatMap(([first, ...rest]) =>
    first ? rest.map((other): [University, University] => [first, other]) : [],
  )
  return pairs.slice(0, mostPairs)
}

const abbreviations: Record<string, string> = {
  univ: 'university',
  uni: 'university',
  universitaet: 'university',
  universitat: 'university',
  universite: 'university',
  universidad: 'university',
  inst: 'institute',
  institut: 'institute',
  tech: 'technology',
  coll: 'college',
  hosp: 'hospital',
  ctr: 'center',
  cent: 'center',
  centre: 'center',
  dept: 'department',
  med: 'medical',
  natl: 'national',
  intl: 'international',
  st: 'saint',
  corp: 'corporation',
  co: 'company',
  pharma: 'pharmaceuticals',
}
const fillers = new Set(['of', 'the', 'and', 'for', 'at', 'in', 'de', 'der', 'die', 'la', 'le', 'du', 'di'])

/** Returns the words of a name in the order of the alphabet, without fillers, and with abbreviations written out. */
export function nameWithoutForm(name: string): string {
  const words = searchKey(name).match(/[\p{L}\p{N}]+/gu) ?? []
  return words
    .filter((word) => !fillers.has(word))
    .map((word) => abbreviations[word] ?? word)
    .sort()
    .join(' ')
}
