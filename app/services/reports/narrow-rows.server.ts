/** What reports are narrowed by besides who people are: one person, a module, one of its questions, what came out. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type ReportChoice, type RowFilter, rowFilters } from '~/forms/reports.ts'
import { mostFilterOptions } from '~/lib/table-query.ts'
import { cutText } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Invalid } from '../errors.ts'
import { findSiteGroups, hasPosition, isInSiteGroup, type SiteGroups } from './lines-of-people.server.ts'
import { type NarrowedRows, questionText } from './report-cells.server.ts'

type Filters = ReportChoice['filters']

/** `name` is null for what does not exist on the site. */
type NamedRows = { about: RowFilter; name: string | null }

/**
 * Reads filters by the uid of a person or module, the IRI of a question, or a name as lines have it. Throws Invalid for a
 * person, module or question that does not exist on the site. A position, a term or a title that nobody has finds nothing.
 * `people` are conditions on `users`. `lastingWords` are without the name of a person and without a position, which people
 * may have typed themselves, because they may be erased later. Callers decide who may ask.
 */
export async function narrowRows(
  ctx: Ctx,
  filters: Filters,
): Promise<{ rows: NarrowedRows; people: RawBuilder<SqlBool>[]; words: string[]; lastingWords: string[] }> {
  const known = await findKnown(ctx, [filters])
  const named = namesIn(known, filters)
  const gone = named.find(({ name }) => name === null)
  if (gone) throw new Invalid(goneRows(gone.about), { [gone.about]: goneRows(gone.about) })
  const idOf = (about: 'person' | 'module') => known.ids.get(`${about} ${filters[about]?.toLowerCase()}`)?.id ?? null
  const personId = idOf('person')
  return {
    rows: {
      moduleId: idOf('module'),
      question: filters.question ?? null,
      isCorrect: filters.correct === undefined ? null : filters.correct === 'yes',
      term: filters.term ?? null,
      isWithoutResults: filters.results === 'none',
      homeFilm: filters.home_film ?? null,
      isToTheEnd: filters.ended === 'yes',
    },
    people: [
      ...(personId === null ? [] : [sql<SqlBool>`users.id = ${personId}`]),
      ...(filters.position === undefined ? [] : [hasPosition(ctx, filters.position)]),
      ...(filters.site_group === undefined
        ? []
        : [isInSiteGroup(ctx, known.groups.get(filters.site_group)?.keys ?? [])]),
    ],
    words: named.flatMap(({ name }) => name ?? []),
    lastingWords: named.flatMap(({ about, name }) => (about === 'person' || about === 'position' ? [] : (name ?? []))),
  }
}

/** Finds the names of what several filters say, in one query, whatever their number. Callers decide who may know. */
export async function nameRowFilters(ctx: Ctx, list: Filters[]): Promise<NamedRows[][]> {
  const known = await findKnown(ctx, list)
  return list.map((filters) => namesIn(known, filters))
}

/** The columns are written without their table, so it works only where `users` is the only table. */
const personName = sql`coalesce(nullif(trim(concat_ws(' ', first_name, last_name)), ''), email)`

/** Titles and file names show only the beginning of a long name. */
const longestName = 120
const shortQuestionText = sql`left(${questionText}, ${longestName}::int)`

type Known = {
  ids: Map<string, { id: number; name: string }>
  questions: Map<string, string>
  groups: SiteGroups
}

async function findKnown(ctx: Ctx, list: Filters[]): Promise<Known> {
  const uidsOf = (about: 'person' | 'module') =>
    list.flatMap(({ [about]: uid }) => (uid !== undefined && isUid(uid) ? [uid.toLowerCase()] : []))
  const [people, modules] = [uidsOf('person'), uidsOf('module')]
  const groups = list.some(({ site_group }) => site_group !== undefined) ? await findSiteGroups(ctx) : new Map()
  if (people.length + modules.length === 0) return { ids: new Map(), questions: new Map(), groups }
  const asked = list.flatMap(({ module, question }) =>
    module !== undefined && isUid(module) && question !== undefined ? [{ module, question }] : [],
  )
  const { rows } = await sql<{ about: string; uid: string; id: number; name: string; question: string | null }>`
    select 'person' as about, uid, id, ${personName} as name, null as question
    from users where site_id = ${ctx.site.id} and uid = any(${people}::uuid[]) and erased_at is null
    union all
    select 'module', uid, id, name::text, null from modules
    where site_id = ${ctx.site.id} and uid = any(${modules}::uuid[])
    union all
    select 'question', modules.uid, modules.id, found.text, asked.question
    from unnest(${asked.map(({ module }) => module)}::uuid[], ${asked.map(({ question }) => question)}::text[])
        asked (module, question)
      join modules on modules.uid = asked.module and modules.site_id = ${ctx.site.id}
      cross join lateral (
        select ${shortQuestionText} as text from question_answers answer
        where answer.module_id = modules.id and answer.question_iri = asked.question
        order by answer.seq desc limit 1) found`.execute(ctx.db)
  const questions = rows.filter(({ about }) => about === 'question')
  return {
    ids: new Map(
      rows.flatMap(({ about, uid, id, name }) => (about === 'question' ? [] : [[`${about} ${uid}`, { id, name }]])),
    ),
    questions: new Map(questions.map(({ uid, question, name }) => [`${uid} ${question}`, name])),
    groups,
  }
}

function namesIn({ ids, questions, groups }: Known, filters: Filters): NamedRows[] {
  const nameOf: Record<RowFilter, (value: string) => string | undefined> = {
    person: (uid) => ids.get(`person ${uid.toLowerCase()}`)?.name,
    position: (name) => cutText(name, longestName),
    site_group: (key) => groups.get(key)?.name,
    module: (uid) => ids.get(`module ${uid.toLowerCase()}`)?.name,
    question: (iri) => questions.get(`${filters.module?.toLowerCase()} ${iri}`),
    correct: (value) => (value === 'yes' ? 'Correct answers' : 'Wrong answers'),
    term: (term) => `“${cutText(term, longestName)}”`,
    results: () => 'Without results',
    home_film: (title) => cutText(title, longestName),
    ended: () => 'Played to the end',
  }
  return rowFilters.flatMap((about) => {
    const value = filters[about]
    return value === undefined ? [] : [{ about, name: nameOf[about](value) ?? null }]
  })
}

/** Says that what a filter names does not exist. The address of a report may be older than the deletion. */
export function goneRows(about: RowFilter): string {
  if (about === 'question') return 'This module has no such question.'
  return `The ${about} of this report no longer exists.`
}

/** Answers of a module that are looked at to list its questions. */
const latestAnswers = 5000

export type RowChoice = { value: string; label: string }

/**
 * Lists the modules that a report can be narrowed to, up to `mostFilterOptions`, and the questions of one kind in the module
 * that is chosen; for admins. What is chosen is always listed.
 */
export async function listRowChoices(
  ctx: Ctx,
  { filters, kind }: { filters: Filters; kind: 'quiz' | 'survey' | null },
): Promise<{ modules: RowChoice[]; questions: RowChoice[]; people: RowChoice[] }> {
  requireAdmin(ctx)
  const uidIn = (about: 'module' | 'person') => {
    const uid = filters[about] ?? ''
    return isUid(uid) ? uid : null
  }
  const [module, person] = [uidIn('module'), uidIn('person')]
  const question = filters.question ?? null
  const ofModule = sql`module_id = (
    select id from modules where site_id = ${ctx.site.id} and uid = ${module}::uuid and ${kind}::text is not null)`
  const { rows } = await sql<{ modules: RowChoice[]; questions: RowChoice[]; people: RowChoice[] }>`
    select
      (select coalesce(jsonb_agg(jsonb_build_object('value', uid, 'label', name) order by name_key, id), '[]') from (
        select id, uid, name::text, name_key from modules
        where site_id = ${ctx.site.id} and (deleted_at is null or uid = ${module}::uuid)
        order by (uid = ${module}::uuid) desc nulls last, name_key limit ${mostFilterOptions}) module) as modules,
      (select coalesce(jsonb_agg(jsonb_build_object('value', iri, 'label', text) order by text, iri), '[]') from (
        select question_iri as iri, max(${questionText}) as text from (
          (select question_iri, question from question_answers
          where ${ofModule} and kind = ${kind} order by seq desc limit ${latestAnswers})
          union all
          (select question_iri, question from question_answers
          where ${ofModule} and question_iri = ${question} order by seq desc limit 1)) answer
        group by 1 order by (question_iri = ${question}) desc nulls last limit ${mostFilterOptions}) question)
        as questions,
      (select coalesce(jsonb_agg(jsonb_build_object('value', uid, 'label', ${personName})), '[]') from users
        where site_id = ${ctx.site.id} and uid = ${person}::uuid and erased_at is null) as people`.execute(ctx.db)
  return rows[0] ?? { modules: [], questions: [], people: [] }
}
