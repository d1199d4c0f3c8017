import { sql } from 'kysely'
import type { SystemCtx } from '../context.ts'

/**
 * Part of the erasure of people: their names in the record of changes. The names of staff stay in the entries about
 * others, as the Privacy Policy says. Somebody without a name was recorded by an email address, and that is always erased.
 */
export async function eraseActorNames(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await sql`
    update audit_entries entry set actor_name = 'Deleted user'
    from users
    where users.id = any(${input.userIds}::bigint[]) and entry.actor_id = users.id
      and (entry.entity_uid = users.uid or entry.actor_name like '%@%'
        or not exists (
          select from user_groups where user_groups.user_id = users.id and user_groups.name in ('admins', 'authors')))`.execute(
    ctx.db,
  )
}
