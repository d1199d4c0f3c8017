import { sql } from 'kysely'
import type { SystemCtx } from '../context.ts'

/**
 * Part of the erasure of people: their names in the record of changes. Those of staff stay with what they did to others, as
 * the Privacy Policy says. Whoever had no name stands there with an email address, which goes in any case.
 */
export async function eraseActorNames(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await sql`
    update audit_entries entry set actor_name = 'Deleted user'
    from users
    where users.id = any(${input.userIds}::bigint[]) and entry.actor_id = users.id
      and (entry.entity_uid = users.uid or lower(entry.actor_name) = lower(users.email)
        or not exists (
          select from user_groups where user_groups.user_id = users.id and user_groups.name in ('admins', 'authors')))`.execute(
    ctx.db,
  )
}
