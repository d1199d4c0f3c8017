/** Creates, changes, removes and restores single terms of the glossary, for admins. */
import type { z } from 'zod'
import { glossaryTermForm, type TermValues } from '~/forms/glossary.ts'
import { freeSlug, slugOf } from '~/lib/slugs.ts'
import { storedKeys } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import {
  changedFields,
  mergeSave,
  parseRestored,
  pickFields,
  planRestore,
  type RestoredRevision,
  type RestoreInput,
  type RestorePlan,
} from '../revisions.ts'
import { queueIndexing } from '../search/documents.server.ts'
import type { GlossaryTerm } from './glossary.server.ts'
import { findTermRow, lockGlossary, type TermRow, takenSlugs, textColumns, toTerm } from './queries.server.ts'

type TermInput = z.input<typeof glossaryTermForm>

/** A term as its form shows it, with the revision to send back. */
export type TermToEdit = GlossaryTerm & { revision: number }

/**
 * Creates a term. With a `uid` made by the client, a repeated request creates only one term. What has been typed since
 * the first request, whose answer was lost, is saved as a change of that term.
 */
export async function createGlossaryTerm(ctx: Ctx, input: TermInput & { uid?: string }): Promise<GlossaryTerm> {
  requireAdmin(ctx, 'write')
  const values = parseInput(glossaryTermForm, input)
  const uid = newUid(input.uid)
  const created = await inTransaction(ctx, async (ctx) => {
    await lockGlossary(ctx)
    const repeated = await findTermRow(ctx, uid)
    if (repeated?.deletedAt) throw new NotFound()
    if (repeated) return null
    await requireFreeName(ctx, values.name, uid)
    const slug = freeSlug(slugOf(values.name, 'term'), await takenSlugs(ctx))
    const { numInsertedOrUpdatedRows } = await ctx.db
      .insertInto('glossary_terms')
      .values({ uid, site_id: ctx.site.id, slug, ...textColumns(values) })
      .onConflict((oc) => oc.column('uid').doNothing())
      .executeTakeFirstOrThrow()
    // Another site has a term with this uid.
    if (!numInsertedOrUpdatedRows) throw new NotFound()
    await record(ctx, uid, { action: 'glossary_term.created', after: { ...values, slug, revision: 0 } })
    return { uid, slug, ...values }
  })
  return created ?? (await updateGlossaryTerm(ctx, { ...values, termUid: uid, revision: 0 })).term
}

/**
 * Changes a term; its slug stays. With the `revision` at which a form was opened, the change is merged with what others
 * have saved since (ChangedMeanwhile). `keptOfOthers` names the fields that only somebody else has changed.
 */
export async function updateGlossaryTerm(
  ctx: Ctx,
  input: TermInput & { termUid: string; revision?: number },
): Promise<{ term: GlossaryTerm; keptOfOthers: (keyof TermValues)[] }> {
  requireAdmin(ctx, 'write')
  const mine = parseInput(glossaryTermForm, input)
  return inTransaction(ctx, async (ctx) => {
    await lockGlossary(ctx)
    const row = await getRow(ctx, input.termUid)
    const state = stateOf(row)
    const { changes, keptOfOthers } = await mergeSave<TermValues>(ctx, {
      entity: 'glossary_term',
      entityUid: row.uid,
      subject: 'this term',
      now: { state, revision: row.revision },
      revision: input.revision,
      mine,
      describe: (field, now) => `It is now “${now[field]}”.`,
    })
    return { term: await writeChanges(ctx, row, changes), keptOfOthers }
  })
}

/** Writes the changed texts of a term. Call it with the glossary locked. */
async function writeChanges(
  ctx: Ctx,
  row: TermRow,
  changes: Partial<TermValues>,
  action = 'glossary_term.updated',
): Promise<GlossaryTerm> {
  const state = stateOf(row)
  const fields = changedFields(state, changes)
  if (fields.length === 0) return toTerm(row)
  const next = { ...state, ...changes }
  if (changes.name !== undefined) await requireFreeName(ctx, next.name, row.uid)
  const revision = row.revision + 1
  await ctx.db
    .updateTable('glossary_terms')
    .set({ ...textColumns(next), revision, updated_at: ctx.now })
    .where('id', '=', row.id)
    .execute()
  await record(ctx, row.uid, { action, before: pickFields(state, fields), after: { ...changes, revision } })
  return { ...toTerm(row), ...next }
}

function stateOf({ name, definition }: TermRow): TermValues {
  return { name, definition }
}

/** Says what `restoreTermRevision` would change. */
export async function planTermRestore(
  ctx: Ctx,
  input: { uid: string; revision: number },
): Promise<RestorePlan<TermValues>> {
  requireAdmin(ctx)
  return planRestoreOf(ctx, await getRow(ctx, input.uid), input)
}

/** Saves a term as it was at an earlier revision; its slug stays. Repeating it changes nothing. */
export async function restoreTermRevision(ctx: Ctx, input: RestoreInput): Promise<RestoredRevision> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    await lockGlossary(ctx)
    const row = await getRow(ctx, input.uid)
    const { changes } = await planRestoreOf(ctx, row, input)
    const values = parseRestored(glossaryTermForm.partial(), changes, { name: 'Term', definition: 'Definition' })
    const term = await writeChanges(
      ctx,
      row,
      pickFields(values, Object.keys(changes) as (keyof TermValues)[]),
      restored,
    )
    return { name: term.name, isChanged: Object.keys(changes).length > 0, leftOut: [] }
  })
}

const restored = 'glossary_term.revision_restored'

function planRestoreOf(ctx: Ctx, row: TermRow, { revision, opened }: Omit<RestoreInput, 'uid'>) {
  return planRestore<TermValues>(ctx, {
    entity: 'glossary_term',
    entityUid: row.uid,
    now: { state: stateOf(row), revision: row.revision },
    revision,
    opened,
    adapt: async (state) => ({ state, leftOut: [] }),
  })
}

/** Removes a term. Its slug stays reserved, so that a published link never leads to another term. */
export async function deleteGlossaryTerm(ctx: Ctx, input: { termUid: string }): Promise<GlossaryTerm> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    await lockGlossary(ctx)
    const row = await getRow(ctx, input.termUid)
    await ctx.db
      .updateTable('glossary_terms')
      .set({ deleted_at: ctx.now, deleted_by: ctx.viewer?.id ?? null, updated_at: ctx.now })
      .where('id', '=', row.id)
      .execute()
    const { name, definition } = row
    await record(ctx, row.uid, { action: 'glossary_term.deleted', before: { name, definition } })
    return toTerm(row)
  })
}

/** Brings back a term that was removed in the last thirty days. A term that is there stays as it is. */
export async function restoreGlossaryTerm(ctx: Ctx, input: { termUid: string }): Promise<GlossaryTerm> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    await lockGlossary(ctx)
    const row = await findTermRow(ctx, input.termUid)
    if (!row) throw new NotFound()
    if (row.deletedAt === null) return toTerm(row)
    if (row.deletedAt < daysAgo(ctx, restorableDays)) throw new NotFound()
    await requireFreeName(ctx, row.name, row.uid)
    await ctx.db
      .updateTable('glossary_terms')
      .set({ deleted_at: null, deleted_by: null, updated_at: ctx.now })
      .where('id', '=', row.id)
      .execute()
    const { name, definition } = row
    await record(ctx, row.uid, { action: 'glossary_term.restored', after: { name, definition } })
    return toTerm(row)
  })
}

/** Returns a term for its form, for admins. */
export async function getGlossaryTermToEdit(ctx: Ctx, input: { termUid: string }): Promise<TermToEdit> {
  requireAdmin(ctx)
  const row = await getRow(ctx, input.termUid)
  return { ...toTerm(row), revision: row.revision }
}

async function getRow(ctx: Ctx, termUid: string): Promise<TermRow> {
  const row = await findTermRow(ctx, termUid)
  if (!row || row.deletedAt !== null) throw new NotFound()
  return row
}

async function requireFreeName(ctx: Ctx, name: string, ownUid: string): Promise<void> {
  const other = await ctx.db
    .selectFrom('glossary_terms')
    .select('name')
    .where('site_id', '=', ctx.site.id)
    .where('deleted_at', 'is', null)
    .where('name_key', 'in', storedKeys(name))
    .where('uid', '<>', ownUid)
    .executeTakeFirst()
  if (!other) return
  const problem = `The glossary already has the term “${other.name}”.`
  throw new Conflict('glossary.name_taken', problem, { name: problem })
}

async function record(
  ctx: Ctx,
  uid: string,
  change: { action: string; before?: Partial<TermValues>; after?: object },
): Promise<void> {
  const { action, before, after } = change
  await recordAudit(ctx, {
    action,
    entity: 'glossary_term',
    entityUid: uid,
    ...(before && { before }),
    ...(after && { after: { ...after } }),
  })
  await queueIndexing(ctx, { kind: 'glossary', uids: [uid] })
}
