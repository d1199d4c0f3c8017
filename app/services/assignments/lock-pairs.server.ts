import { sql } from 'kysely'
import type { AssignedKind } from '~/forms/assignments.ts'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'
import { assignmentTables as tables } from './tables.ts'

export type Pairs = { userIds: number[]; items: { id: number; name: string }[] }

/**
 * Locks people and content until the transaction ends, so that nobody deletes them while assignments change. Returns
 * both in the order of their ids. If one of them does not exist, it throws NotFound.
 */
export async function lockPairs(
  ctx: Ctx,
  kind: AssignedKind,
  { userUids, itemUids }: { userUids: string[]; itemUids: string[] },
): Promise<Pairs> {
  if (![...userUids, ...itemUids].every(isUid)) throw new NotFound()
  const missing = (noun: string, asked: string[]) =>
    new NotFound(asked.length === 1 ? `This ${noun} does not exist.` : `One of the ${noun}s does not exist.`)
  const users = await ctx.db
    .selectFrom('users')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('uid', 'in', userUids)
    .where('erased_at', 'is', null)
    .orderBy('id')
    .forShare()
    .execute()
  if (users.length !== userUids.length) throw missing('user', userUids)
  const { rows: items } = await sql<{ id: number; name: string }>`
    select id, name from ${sql.table(tables[kind].content)}
    where site_id = ${ctx.site.id} and uid = any(${itemUids}::uuid[]) and deleted_at is null
    order by id for share`.execute(ctx.db)
  if (items.length !== itemUids.length) throw missing(kind, itemUids)
  return { userIds: users.map(({ id }) => id), items }
}
