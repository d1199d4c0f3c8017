/** Lines that sum up what each person did, from the rows of a table or from what has been counted of them. */
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '~db/client.server.ts'
import type { Ctx } from '../context.ts'
import { type CountedYear, type countedMoments, findCountedYear } from '../figures/figures.server.ts'
import { byPerson, groupOf, personCells, personOf } from './lines-of-people.server.ts'
import {
  type Cell,
  isAbout,
  type ReportInput,
  type ReportLines,
  type ReportSource,
  sumCell,
} from './report-cells.server.ts'

/** The sum over the people of a line. A line about one person has one row of facts, which is that sum. */
export type Sum = (fact: RawBuilder<unknown>) => RawBuilder<unknown>
export type Facts = (ctx: Ctx, input: ReportInput, counted: CountedYear | null) => RawBuilder<unknown>

/**
 * `facts` makes a row per person, with `user_id` and the columns `sums`, from the
 * rows of a table or from what has been counted of them. For groups of people, their numbers are added up by key before
 * the keys get names, because there are few keys.
 */
export function summedUp(
  ctx: Ctx,
  input: ReportInput,
  {
    facts,
    sums,
    table,
    cells,
  }: { facts: Facts; sums: string[]; table: keyof typeof countedMoments; cells: (sum: Sum) => Cell[] },
): ReportSource {
  const rows = async (db: Database) => sql`
    from (${facts(ctx, input, await findCountedYear(ctx, db, { period: input.period, table }))}) facts`
  if (input.aggregate === 'user') {
    const all = [...personCells, ...cells((fact) => fact)]
    return {
      heads: all.map(({ head }) => head),
      open: async (db) => ({
        cells: all,
        from: sql`${await rows(db)} ${personOf(ctx, sql`facts.user_id`)}`,
        order: byPerson,
      }),
    }
  }
  const { key, people, cell, names } = groupOf(ctx, input.aggregate)
  const ofGroup = sql`facts.key`
  const all = [cell(ofGroup), sumCell('People', sql`sum(facts.people)::int`), ...cells((fact) => sql`sum(${fact})`)]
  const added = sums.map((name) => sql`sum(${sql.ref(`facts.${name}`)}) as ${sql.ref(name)}`)
  return {
    heads: all.map(({ head }) => head),
    open: async (db) => ({
      cells: all,
      facts: sql`
        select ${key} as key, count(*) as people, ${sql.join(added)}
        ${await rows(db)} ${people(sql`facts.user_id`)} group by 1`,
      from: sql`from facts ${names(ofGroup)} group by 1`,
      order: sql`1`,
      joins: joinsOf(input),
    }),
  }
}

/** SQL: what people did in a year that has been counted. */
export const countedRows = (ctx: Ctx, input: ReportInput, year: number, join = sql``) => sql`
  from person_years ${join}
  where person_years.site_id = ${ctx.site.id} and person_years.year = ${year}
    and ${isAbout(input, sql`person_years.user_id`)}`

/**
 * SQL: what people did in a counted year without what they did later in it, as `facts` has it for the `columns` of
 * `person_years`. `more` are other expressions.
 */
export function countedFacts(
  ctx: Ctx,
  input: ReportInput,
  {
    counted: { year, later },
    columns,
    more = sql``,
    facts,
  }: { counted: CountedYear; columns: Record<string, string>; more?: RawBuilder<unknown>; facts: Facts },
): RawBuilder<unknown> {
  const names = Object.entries(columns)
  if (!later) {
    const own = names.map(([name, column]) => sql`${sql.ref(`person_years.${column}`)} as ${sql.ref(name)}`)
    return sql`select person_years.user_id, ${sql.join(own)} ${more} ${countedRows(ctx, input, year)}`
  }
  const left = names.map(
    ([name, column]) => sql`
      ${sql.ref(`person_years.${column}`)} - coalesce(${sql.ref(`later.${name}`)}, 0) as ${sql.ref(name)}`,
  )
  const rest = facts(ctx, { ...input, period: { ...input.period, ...later } }, null)
  // Without `offset 0`, each process would count what came later.
  return sql`
    select person_years.user_id, ${sql.join(left)} ${more}
    ${countedRows(ctx, input, year, sql`left join (${rest} offset 0) later on later.user_id = person_years.user_id`)}`
}

/** Most of what a walk comes across is then in the report. */
export const isLong = ({ people, period: { from, to } }: ReportInput) =>
  people === null && (from === null || to.getTime() - from.getTime() > 90 * 86_400_000)

export const joinsOf = (input: ReportInput): ReportLines['joins'] => {
  if (input.people !== null) return undefined
  return isLong(input) ? 'in order' : 'hashed'
}
