import { sql } from 'kysely'
import type { SystemCtx } from '../context.ts'
import { daysAgo, restorableDays } from '../restorable.ts'

export type UserToErase = { id: number; uid: string; email: string | null }

/**
 * Finds and locks people who were deleted more than thirty days ago, for the job that erases them. A restore that began
 * in time commits before.
 */
export async function findUsersToErase(ctx: SystemCtx, input: { most: number }): Promise<UserToErase[]> {
  return ctx.db
    .selectFrom('users')
    .select(['id', 'uid', 'email'])
    .where('erased_at', '<=', daysAgo(ctx, restorableDays + 1 / 24))
    .where('purged_at', 'is', null)
    .orderBy('id')
    .limit(input.most)
    .forUpdate()
    .skipLocked()
    .execute()
}

/** Part of the erasure of people: a row without anything personal stays, so that keys and totals hold. */
export async function emptyUsers(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  const { userIds } = input
  await ctx.db.deleteFrom('user_groups').where('user_id', 'in', userIds).execute()
  await ctx.db.deleteFrom('removed_university_people').where('user_id', 'in', userIds).execute()
  await ctx.db.deleteFrom('subscriptions').where('user_id', 'in', userIds).execute()
  await sql`
    update users set first_name = null, last_name = null, email = null, email_key = null, search_key = '',
      password_hash = null, university_id = null, is_active = false, purged_at = ${ctx.now}, updated_at = ${ctx.now},
      last_viewed_module_id = null, last_watched_video_id = null, last_watched_lecture_id = null
    where id = any(${userIds}::bigint[])`.execute(ctx.db)
}
