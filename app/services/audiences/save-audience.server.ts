/** Creates, changes, deletes and restores audiences, for admins. Two people who edit the same one are merged. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { audienceForm, type Condition } from '~/forms/audiences.ts'
import { caseKey, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin, type SystemCtx } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { changedFields, mergeSave, pickFields } from '../revisions.ts'
import { type Audience, findNames } from './audiences.server.ts'
import { conditionInWords, nameKey, referencesOf } from './conditions.server.ts'

type AudienceInput = { name: string; conditions: unknown[] }
export type AudienceState = z.output<typeof audienceForm>

/** The order of conditions is what people see, so another order is a change. */
const ordered = ['conditions'] as const

/**
 * Creates an audience. With a `uid` made by the client, a repeated request creates only one. What has been typed since the
 * first request, whose answer was lost, is saved as a change of that audience.
 */
export async function createAudience(ctx: Ctx, input: AudienceInput & { uid?: string }): Promise<Audience> {
  requireAdmin(ctx, 'write')
  const values = parseInput(audienceForm, input)
  const uid = newUid(input.uid)
  return inTransaction(ctx, async (ctx) => {
    await refuseUnknown(ctx, values.conditions)
    const actor = ctx.viewer?.id ?? null
    const made = await ctx.db
      .insertInto('audiences')
      .values({
        uid,
        site_id: ctx.site.id,
        ...columnsOf(values),
        created_by: actor,
        updated_by: actor,
        created_at: ctx.now,
        updated_at: ctx.now,
      })
      .onConflict((oc) => oc.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) {
      await findRepeated(ctx, uid, values.name)
      return (await updateAudience(ctx, { ...values, audienceUid: uid, revision: 0 })).audience
    }
    await recordAudit(ctx, {
      action: 'audience.created',
      entity: 'audience',
      entityUid: uid,
      after: { ...values, revision: 0 },
    })
    return { uid, ...values, revision: 0 }
  })
}

/** The audience that the same request has made before, or else the reason why this one cannot be made. */
async function findRepeated(ctx: Ctx, uid: string, name: string): Promise<Audience> {
  const row = await ctx.db
    .selectFrom('audiences')
    .select(['site_id as siteId', 'deleted_at as deletedAt', 'name', 'rule', 'revision'])
    .where('uid', '=', uid)
    .executeTakeFirst()
  if (!row) throw nameIsTaken(name)
  if (row.siteId !== ctx.site.id || row.deletedAt !== null) throw new NotFound()
  return { uid, name: row.name, conditions: row.rule as unknown as Condition[], revision: row.revision }
}

function columnsOf({ name, conditions }: AudienceState) {
  return { name, name_key: caseKey(name), search_key: searchKey(name), rule: JSON.stringify(conditions) }
}

/**
 * Changes an audience. With the `revision` at which a form was opened, the change is merged with what others have saved
 * since (ChangedMeanwhile). `keptOfOthers` names the fields that only somebody else has changed.
 */
export async function updateAudience(
  ctx: Ctx,
  input: AudienceInput & { audienceUid: string; revision?: number },
): Promise<{ audience: Audience; keptOfOthers: (keyof AudienceState)[] }> {
  requireAdmin(ctx, 'write')
  const mine = parseInput(audienceForm, input)
  return inTransaction(ctx, async (ctx) => {
    const row = await lockAudience(ctx, input.audienceUid)
    if (!row || row.deletedAt !== null) throw new NotFound()
    const state: AudienceState = { name: row.name, conditions: row.conditions }
    await refuseUnknown(ctx, mine.conditions, row.conditions)
    const { changes, keptOfOthers } = await mergeSave<AudienceState>(ctx, {
      entity: 'audience',
      entityUid: row.uid,
      subject: 'this audience',
      now: { state, revision: row.revision },
      revision: input.revision,
      mine,
      ordered,
      describe: async (field, now) =>
        field === 'name' ? `It is now “${now.name}”.` : `It is now: ${await ruleInWords(ctx, now.conditions)}.`,
    })
    const fields = changedFields(state, changes, ordered)
    if (fields.length === 0) return { audience: { uid: row.uid, ...state, revision: row.revision }, keptOfOthers }
    const next = { ...state, ...changes }
    const revision = row.revision + 1
    await ctx.db
      .updateTable('audiences')
      .set({ ...columnsOf(next), revision, updated_by: ctx.viewer?.id ?? null, updated_at: ctx.now })
      .where('id', '=', row.id)
      .execute()
      .catch((error: unknown) => {
        throw isTaken(error) ? nameIsTaken(next.name) : error
      })
    await recordAudit(ctx, {
      action: 'audience.updated',
      entity: 'audience',
      entityUid: row.uid,
      before: pickFields(state, fields),
      after: { ...changes, revision },
    })
    return { audience: { uid: row.uid, ...next, revision }, keptOfOthers }
  })
}

/**
 * Refuses a rule that names what this site does not have. What a stored rule names may be gone since; it may stay in the
 * rule.
 */
async function refuseUnknown(ctx: Ctx, conditions: Condition[], stored: Condition[] = []): Promise<void> {
  const names = await findNames(ctx, conditions)
  const keysOf = (list: Condition[]) => referencesOf(list).map(({ about, uid }) => nameKey(about, uid))
  const inStored = new Set(keysOf(stored))
  if (keysOf(conditions).every((key) => names.has(key) || inStored.has(key))) return
  const gone = 'Something that a condition names is not there any more. Please choose again.'
  throw new Invalid(gone, { conditions: gone })
}

async function ruleInWords(ctx: Ctx, conditions: Condition[]): Promise<string> {
  const names = await findNames(ctx, conditions)
  return conditions.map((condition) => conditionInWords(condition, names)).join('; ')
}

/** Deletes an audience. Its people keep their accounts and all they have learned. For thirty days it can be undone. */
export async function deleteAudience(ctx: Ctx, input: { audienceUid: string }): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const row = await lockAudience(ctx, input.audienceUid)
    if (!row || row.deletedAt !== null) throw new NotFound()
    await ctx.db
      .updateTable('audiences')
      .set({ deleted_at: ctx.now, deleted_by: ctx.viewer?.id ?? null })
      .where('id', '=', row.id)
      .execute()
    const { uid, name, conditions } = row
    await recordAudit(ctx, {
      action: 'audience.deleted',
      entity: 'audience',
      entityUid: uid,
      before: { name, conditions },
    })
    return { uid, name }
  })
}

/** Brings back an audience that was deleted in the last thirty days. One that is there stays as it is. */
export async function restoreAudience(
  ctx: Ctx,
  input: { audienceUid: string },
): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const row = await lockAudience(ctx, input.audienceUid)
    if (!row) throw new NotFound()
    const { uid, name } = row
    if (row.deletedAt === null) return { uid, name }
    if (row.deletedAt <= daysAgo(ctx, restorableDays)) throw new NotFound('This audience was deleted too long ago.')
    await ctx.db
      .updateTable('audiences')
      .set({ deleted_at: null, deleted_by: null })
      .where('id', '=', row.id)
      .execute()
      .catch((error: unknown) => {
        throw isTaken(error) ? nameIsTaken(name) : error
      })
    await recordAudit(ctx, { action: 'audience.restored', entity: 'audience', entityUid: uid, after: { name } })
    return { uid, name }
  })
}

/** The job: deletes audiences that can no longer be brought back. */
export async function purgeDeletedAudiences(ctx: SystemCtx): Promise<void> {
  await ctx.db.deleteFrom('audiences').where('deleted_at', '<=', daysAgo(ctx, restorableDays)).execute()
}

type LockedAudience = Audience & { id: number; deletedAt: Date | null }

async function lockAudience(ctx: Ctx, audienceUid: string): Promise<LockedAudience | undefined> {
  if (!isUid(audienceUid)) return undefined
  const { rows } = await sql<LockedAudience>`
    select id, uid, name, rule as conditions, revision, deleted_at as "deletedAt" from audiences
    where site_id = ${ctx.site.id} and uid = ${audienceUid} for update`.execute(ctx.db)
  return rows[0]
}

function isTaken(error: unknown): boolean {
  return (error as { code?: string }).code === '23505'
}

function nameIsTaken(name: string): Conflict {
  const problem = `There is already an audience “${name}”.`
  return new Conflict('audience.name_taken', problem, { name: problem })
}
