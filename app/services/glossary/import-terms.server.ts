/**
 * Imports terms from a file, for admins. A row with the slug of a term changes that term, even its name; a row without
 * one changes the term of the same name; every other row is a new term. A file that was exported changes nothing.
 */
import { sql } from 'kysely'
import { type ImportedTerm, importedTermForm, type TermValues } from '~/forms/glossary.ts'
import type { CsvFault } from '~/lib/csv-import.ts'
import { partsOf } from '~/lib/groups.ts'
import { freeSlug, slugOf } from '~/lib/slugs.ts'
import { caseKey, storedKeys } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type NewAuditEntry, recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict } from '../errors.ts'
import { parseInput } from '../input.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { lockGlossary, selectTermRows, type TermRow, takenSlugs, textColumns } from './queries.server.ts'

/** `line` is that of the file, for messages. */
type ImportRow = { line: number; value: ImportedTerm }
type ImportInput = { rows: ImportRow[] }

type Change = { line: number; term: TermRow; to: TermValues }

export type TermImportPlan = {
  created: ImportRow[]
  changed: Change[]
  unchanged: number
  /** Rows that cannot be imported. */
  faults: CsvFault[]
}

/** Says what an import would do. Writes nothing. */
export async function planTermImport(ctx: Ctx, input: ImportInput): Promise<TermImportPlan> {
  requireAdmin(ctx)
  const rows = input.rows.map(({ line, value }) => ({ line, value: parseInput(importedTermForm, value) }))
  const known = await findTermsOf(ctx, rows)
  const plan: TermImportPlan = { created: [], changed: [], unchanged: 0, faults: [] }
  const lineOf = new Map<string, number>()
  const lineOfName = new Map<string, number>()
  for (const row of rows) {
    const { name, definition } = row.value
    const term = known.bySlug.get(row.value.slug.toLowerCase()) ?? known.byName(name)
    const earlier = (term && lineOf.get(term.uid)) ?? lineOfName.get(caseKey(name))
    if (term) lineOf.set(term.uid, earlier ?? row.line)
    lineOfName.set(caseKey(name), earlier ?? row.line)
    if (earlier !== undefined) plan.faults.push(faultOf(row, `The same term as in line ${earlier}.`))
    else if (!term) plan.created.push(row)
    else if (term.name === name && term.definition === definition) plan.unchanged++
    else plan.changed.push({ line: row.line, term, to: { name, definition } })
  }
  const renamedAway = new Set(plan.changed.filter(isRenamed).map(({ term }) => term.uid))
  const isTaken = (name: string, ownUid?: string) => {
    const owner = known.byName(name)
    return owner !== undefined && owner.uid !== ownUid && !renamedAway.has(owner.uid)
  }
  const refused = plan.changed.filter(({ term, to }) => isTaken(to.name, term.uid))
  for (const { line, to } of refused) {
    plan.faults.push(faultOf({ line, value: { ...to, slug: '' } }, 'Another term of the glossary has this name.'))
  }
  return { ...plan, changed: plan.changed.filter((change) => !refused.includes(change)) }
}

/** Imports all rows, or none if one of them cannot be imported. Importing the same rows again changes nothing. */
export async function importGlossaryTerms(
  ctx: Ctx,
  input: ImportInput,
): Promise<{ created: number; changed: number; unchanged: number }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    await lockGlossary(ctx)
    const { created, changed, unchanged, faults } = await planTermImport(ctx, input)
    const [fault] = faults
    if (fault) throw new Conflict('glossary.import', `Line ${fault.line} cannot be imported. ${fault.reason}`)
    await giveUpNames(ctx, changed.filter(isRenamed))
    for (const part of partsOf(changed, atOnce)) await changeTerms(ctx, part)
    const taken = await takenSlugs(ctx)
    for (const part of partsOf(created, atOnce)) await insertTerms(ctx, part, taken)
    return { created: created.length, changed: changed.length, unchanged }
  })
}

/** The number of rows that one statement writes. */
const atOnce = 500

async function insertTerms(ctx: Ctx, rows: ImportRow[], taken: Set<string>): Promise<void> {
  const terms = rows.map(({ value: { name, definition } }) => {
    const slug = freeSlug(slugOf(name, 'term'), taken)
    taken.add(slug)
    return { site_id: ctx.site.id, slug, ...textColumns({ name, definition }) }
  })
  const inserted = await ctx.db
    .insertInto('glossary_terms')
    .values(terms)
    .returning(['uid', 'name', 'definition', 'slug'])
    .execute()
  await record(
    ctx,
    inserted.map(({ uid, ...after }) => ({
      action: 'glossary_term.created',
      entity: 'glossary_term',
      entityUid: uid,
      after: { ...after, revision: 0 },
    })),
  )
}

/** Frees the names of terms that get other ones, so that two terms can exchange their names. */
async function giveUpNames(ctx: Ctx, changes: Change[]): Promise<void> {
  if (changes.length === 0) return
  await ctx.db
    .updateTable('glossary_terms')
    .set({ name_key: sql`uid::text` })
    .where(
      'id',
      'in',
      changes.map(({ term }) => term.id),
    )
    .execute()
}

async function changeTerms(ctx: Ctx, changes: Change[]): Promise<void> {
  const rows = changes.map(({ term, to }) => ({ id: term.id, ...textColumns(to) }))
  await sql`
    update glossary_terms term
    set name = wanted.name, name_key = wanted.name_key, search_key = wanted.search_key,
      definition = wanted.definition, revision = term.revision + 1, updated_at = ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as wanted (id bigint, name text, name_key text, search_key text, definition text)
    where term.id = wanted.id`.execute(ctx.db)
  await record(
    ctx,
    changes.map(({ term, to }) => ({
      action: 'glossary_term.updated',
      entity: 'glossary_term',
      entityUid: term.uid,
      before: { name: term.name, definition: term.definition },
      after: { ...to, revision: term.revision + 1 },
    })),
  )
}

async function record(ctx: Ctx, entries: NewAuditEntry[]): Promise<void> {
  await recordAudit(ctx, ...entries)
  await queueIndexing(ctx, { kind: 'glossary', uids: entries.map(({ entityUid }) => entityUid) })
}

function isRenamed({ term, to }: Change): boolean {
  return caseKey(term.name) !== caseKey(to.name)
}

/** Finds the terms of the site that have one of these slugs or names. */
async function findTermsOf(ctx: Ctx, rows: ImportRow[]) {
  const slugs = rows.map(({ value }) => value.slug.toLowerCase()).filter((slug) => slug !== '')
  const keys = rows.flatMap(({ value }) => storedKeys(value.name))
  const terms = await selectTermRows(ctx)
    .select('name_key as key')
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`(slug = any(${slugs}::text[]) or name_key = any(${keys}::text[]))`)
    .execute()
  const byKey = new Map(terms.map((term) => [term.key, term]))
  return {
    bySlug: new Map(terms.map((term) => [term.slug, term])),
    byName: (name: string) => storedKeys(name).flatMap((key) => byKey.get(key) ?? [])[0],
  }
}

function faultOf({ line, value }: ImportRow, reason: string): CsvFault {
  return { line, column: 'Term', value: value.name, reason }
}
