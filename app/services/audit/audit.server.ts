/**
 * Audit: who changed what, written in the transaction of the change. `before` and `after` have only the changed fields;
 * for users they have the names of fields but never their values.
 */
import type { Ctx } from '../context.ts'
import { eventOfAudit, logSecurityEvent } from './security-events.server.ts'

export type AuditFields = Record<string, unknown>

type AuditEntry = {
  actorName: string
  action: string
  before: AuditFields | null
  after: AuditFields | null
  at: Date
}

export type NewAuditEntry = {
  /** The entity and a past participle: `module.updated`. */
  action: string
  entity: string
  entityUid: string
  before?: AuditFields
  after?: AuditFields
}

/** Records entries, and logs those that are security events. Call it in the transaction that makes the change. */
export async function recordAudit(ctx: Ctx, ...entries: NewAuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  const { viewer } = ctx
  await ctx.db
    .insertInto('audit_entries')
    .values(
      entries.map((entry) => ({
        site_id: ctx.site.id,
        actor_id: viewer?.id ?? null,
        actor_name: viewer ? `${viewer.firstName} ${viewer.lastName}`.trim() || viewer.email : 'Operator',
        action: entry.action,
        entity: entry.entity,
        entity_uid: entry.entityUid,
        before: entry.before ? JSON.stringify(entry.before) : null,
        after: entry.after ? JSON.stringify(entry.after) : null,
        at: ctx.now,
      })),
    )
    .execute()
  for (const { action } of entries) {
    const event = eventOfAudit(action)
    if (event) await logSecurityEvent(ctx, event)
  }
}

/**
 * Returns who brought one of these entities into its present state, which an entry of this action has as `after`. Null
 * if it came about in another way. Callers decide who may know.
 */
export async function findActorOf(
  ctx: Ctx,
  { entity, action, states }: { entity: string; action: string; states: { entityUid: string; after: AuditFields }[] },
): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('audit_entries')
    .select('actor_name as actorName')
    .where('entity', '=', entity)
    .where('action', '=', action)
    .where('site_id', '=', ctx.site.id)
    .where((eb) =>
      eb.or(
        states.map(({ entityUid, after }) =>
          eb.and([eb('entity_uid', '=', entityUid), eb('after', '=', JSON.stringify(after))]),
        ),
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.actorName ?? null
}

/** Lists the latest 100 changes of an entity, oldest first. Callers decide who may see them. */
export async function listAuditEntries(
  ctx: Ctx,
  input: { entity: string; entityUid: string; since?: Date },
): Promise<AuditEntry[]> {
  let query = ctx.db
    .selectFrom('audit_entries')
    .select(['actor_name as actorName', 'action', 'before', 'after', 'at'])
    .where('entity', '=', input.entity)
    .where('entity_uid', '=', input.entityUid)
    .where('site_id', '=', ctx.site.id)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
  if (input.since) query = query.where('at', '>', input.since)
  const rows = await query.execute()
  return rows
    .map(({ before, after, ...row }) => ({
      ...row,
      before: before as AuditFields | null,
      after: after as AuditFields | null,
    }))
    .reverse()
}
