/**
 * Drafts: what somebody has typed into a form of the console and not saved. They belong to the person who typed them,
 * and nobody else sees them. Nothing is ever saved or published from a draft by itself: its author opens the form again,
 * restores the draft and saves.
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import { type DraftFields, type DraftKind, isDraftKey, isKeyOfNew, newDraftsOf } from '~/forms/draft-fields.ts'
import { draftForm } from '~/forms/drafts.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireStaff, requireViewer, type SystemCtx } from '../context.ts'
import { parseInput } from '../input.ts'
import { daysAgo } from '../restorable.ts'

export type Draft = { formKey: string; fields: DraftFields; typedAt: Date }

const daysKept = 90
/** Of one person. The oldest ones make room. */
const mostDrafts = 200

/**
 * Keeps what the viewer has typed into a form. A request that arrives late does not replace what was typed later, unless
 * a button was pressed (`isPressed`): the next page shows what it sent.
 */
export async function keepDraft(
  ctx: Ctx,
  { isPressed = false, ...input }: z.input<typeof draftForm> & { isPressed?: boolean },
): Promise<void> {
  requireStaff(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  const { formKey, fields, typedAt } = parseInput(draftForm, input)
  // The clock of a browser may be wrong. A time in the future would keep later drafts out.
  const at = new Date(Math.min(typedAt, ctx.now.getTime()))
  await ctx.db
    .insertInto('form_drafts')
    .values({
      site_id: ctx.site.id,
      user_id: viewer.id,
      form_key: formKey,
      fields: JSON.stringify(fields),
      typed_at: at,
      stored_at: ctx.now,
    })
    .onConflict((oc) =>
      oc
        .columns(['site_id', 'user_id', 'form_key'])
        .doUpdateSet((eb) => ({
          fields: eb.ref('excluded.fields'),
          typed_at: eb.ref('excluded.typed_at'),
          stored_at: eb.ref('excluded.stored_at'),
        }))
        // The form of a new thing that was saved or discarded stays empty.
        .where('form_drafts.fields', 'is not', null)
        .where((eb) => eb.or([eb.lit(isPressed), eb('form_drafts.typed_at', '<=', eb.ref('excluded.typed_at'))])),
    )
    .execute()
  await sql`
    delete from form_drafts where id in (
      select id from form_drafts where site_id = ${ctx.site.id} and user_id = ${viewer.id}
      order by stored_at desc, id desc offset ${mostDrafts})`.execute(ctx.db)
}

/** Finds the viewer's draft of a form, or null. */
export async function findDraft(ctx: Ctx, input: { formKey: string }): Promise<Draft | null> {
  if (!isDraftKey(input.formKey)) return null
  return (await ownDrafts(ctx).where('form_key', '=', input.formKey).executeTakeFirst()) ?? null
}

/**
 * Changes the viewer's draft of a form on the server, one request after the other. `change` gets null if there is none.
 */
export async function changeDraft(
  ctx: Ctx,
  input: { formKey: string; change: (fields: DraftFields | null) => DraftFields },
): Promise<void> {
  requireStaff(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  const { formKey } = input
  await inTransaction(ctx, async (ctx) => {
    await lockDraft(ctx, viewer.id, formKey)
    const fields = input.change((await findDraft(ctx, { formKey }))?.fields ?? null)
    // A request that waited for its turn may have begun before the one that it waited for.
    await keepDraft(ctx, { formKey, fields, typedAt: ctx.now.getTime(), isPressed: true })
  })
}

/** Takes the viewer's draft of a form of an existing thing, which ends with that; null if there is none. */
export async function takeDraft(ctx: Ctx, input: { formKey: string }): Promise<DraftFields | null> {
  requireStaff(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  const { formKey } = input
  if (!isDraftKey(formKey)) return null
  return inTransaction(ctx, async (ctx) => {
    await lockDraft(ctx, viewer.id, formKey)
    const draft = await findDraft(ctx, { formKey })
    await deleteDraft(ctx, { formKey })
    return draft?.fields ?? null
  })
}

/** Requests that change or take the same draft wait for each other, also if both find none. */
async function lockDraft(ctx: Ctx, viewerId: number, formKey: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`draft:${viewerId}:${formKey}`}, 0))`.execute(ctx.db)
}

/** Finds the latest draft of a new thing of this kind that the viewer has not saved. */
export async function findNewDraft(ctx: Ctx, input: { kind: DraftKind }): Promise<Draft | null> {
  const draft = await ownDrafts(ctx)
    .where('form_key', 'like', `${newDraftsOf(input.kind)}%`)
    .orderBy('typed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return draft ?? null
}

function ownDrafts(ctx: Ctx) {
  requireStaff(ctx)
  return ctx.db
    .selectFrom('form_drafts')
    .select(['form_key as formKey', sql<DraftFields>`fields`.as('fields'), 'typed_at as typedAt'])
    .where('site_id', '=', ctx.site.id)
    .where('user_id', '=', requireViewer(ctx).id)
    .where('fields', 'is not', null)
}

/** Lists which of these forms of new things the viewer has saved or discarded. They keep no drafts then. */
export async function listEndedDrafts(ctx: Ctx, input: { formKeys: string[] }): Promise<string[]> {
  requireStaff(ctx)
  const ended = await ctx.db
    .selectFrom('form_drafts')
    .select('form_key as formKey')
    .where('site_id', '=', ctx.site.id)
    .where('user_id', '=', requireViewer(ctx).id)
    .where(sql<boolean>`form_key = any(${input.formKeys.filter(isDraftKey)}::text[])`)
    .where('fields', 'is', null)
    .execute()
  return ended.map(({ formKey }) => formKey)
}

/**
 * Deletes the viewer's draft of a form, because it was saved or discarded. With `isOpen` the form is still open and keeps
 * drafts later: what was typed has been taken back, at the time `typedAt`.
 */
export async function deleteDraft(
  ctx: Ctx,
  input: { formKey: string; isOpen?: boolean; typedAt?: number },
): Promise<void> {
  requireStaff(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  const { formKey, isOpen = false, typedAt = 0 } = input
  if (!isDraftKey(formKey)) return
  if (isOpen || !isKeyOfNew(formKey)) {
    await ctx.db
      .deleteFrom('form_drafts')
      .where('site_id', '=', ctx.site.id)
      .where('user_id', '=', viewer.id)
      .where('form_key', '=', formKey)
      .where('fields', 'is not', null)
      // A request that arrives late does not delete what was typed after it.
      .$if(isOpen && typedAt > 0 && typedAt < ctx.now.getTime(), (qb) => qb.where('typed_at', '<=', new Date(typedAt)))
      .execute()
    return
  }
  // A request with a draft may still be on its way. It finds this row and is ignored.
  await ctx.db
    .insertInto('form_drafts')
    .values({
      site_id: ctx.site.id,
      user_id: viewer.id,
      form_key: formKey,
      fields: null,
      typed_at: ctx.now,
      stored_at: ctx.now,
    })
    .onConflict((oc) =>
      oc.columns(['site_id', 'user_id', 'form_key']).doUpdateSet({ fields: null, stored_at: ctx.now }),
    )
    .execute()
}

/** Deletes drafts that nobody has typed in for ninety days. */
export async function deleteOldDrafts(ctx: SystemCtx): Promise<number> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('form_drafts')
    .where('stored_at', '<', daysAgo(ctx, daysKept))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
