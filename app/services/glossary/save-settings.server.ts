import type { z } from 'zod'
import { glossarySettingsForm } from '~/forms/glossary.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { parseInput } from '../input.ts'
import { changedFields, mergeSave, pickFields, type Revised } from '../revisions.ts'
import type { GlossarySettings } from './glossary.server.ts'
import { requireGlossary } from './queries.server.ts'

/** Returns the heading for its form, for admins. */
export async function getGlossarySettingsToEdit(ctx: Ctx): Promise<Revised<GlossarySettings>> {
  requireAdmin(ctx)
  return readSettings(ctx)
}

/**
 * Changes the heading of the glossary, for admins. With the `revision` at which a form was opened, the change is merged
 * with what others have saved since (ChangedMeanwhile).
 */
export async function updateGlossarySettings(
  ctx: Ctx,
  input: z.input<typeof glossarySettingsForm> & { revision?: number },
): Promise<GlossarySettings> {
  requireAdmin(ctx, 'write')
  const mine = parseInput(glossarySettingsForm, input)
  return inTransaction(ctx, async (ctx) => {
    await requireGlossary(ctx)
    const now = await lockSettings(ctx)
    const { state } = now
    const { changes } = await mergeSave<GlossarySettings>(ctx, {
      entity: 'glossary',
      entityUid: ctx.site.uid,
      subject: 'the heading of the glossary',
      now,
      revision: input.revision,
      mine,
      describe: (field, now) => `It is now “${now[field]}”.`,
    })
    const fields = changedFields(state, changes)
    if (fields.length === 0) return state
    const next = { ...state, ...changes }
    const revision = now.revision + 1
    await ctx.db
      .updateTable('glossary_settings')
      .set({ ...next, revision, updated_at: ctx.now })
      .where('site_id', '=', ctx.site.id)
      .execute()
    await recordAudit(ctx, {
      action: 'glossary.updated',
      entity: 'glossary',
      entityUid: ctx.site.uid,
      before: pickFields(state, fields),
      after: { ...changes, revision },
    })
    return next
  })
}

/** Locks the row of the site, and makes it first if the glossary never had a heading. */
async function lockSettings(ctx: Ctx): Promise<Revised<GlossarySettings>> {
  await ctx.db
    .insertInto('glossary_settings')
    .values({ site_id: ctx.site.id })
    .onConflict((oc) => oc.column('site_id').doNothing())
    .execute()
  return readSettings(ctx, { isLocked: true })
}

async function readSettings(ctx: Ctx, { isLocked = false } = {}): Promise<Revised<GlossarySettings>> {
  const query = ctx.db
    .selectFrom('glossary_settings')
    .select(['headline', 'description', 'revision'])
    .where('site_id', '=', ctx.site.id)
  const row = await (isLocked ? query.forUpdate() : query).executeTakeFirst()
  if (!row) return { state: { headline: '', description: '' }, revision: 0 }
  const { revision, ...state } = row
  return { state, revision }
}
