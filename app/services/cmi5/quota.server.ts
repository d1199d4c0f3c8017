import { sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import type { Ctx } from '../context.ts'
import { TooLarge } from '../errors.ts'

/** How many times `XAPI_ATTEMPT_MB` all attempts of a learner at a module may store. */
const attemptsWorth = 4

/**
 * Adds to what the units of an attempt have stored: documents, statements and attachments. Throws TooLarge beyond
 * XAPI_ATTEMPT_MB, and beyond four times as much in all attempts of the learner at the module, because a failed test
 * allows any number of attempts. Runs in the transaction that stores them. Whatever frees room is allowed.
 */
export async function addStoredBytes(ctx: Ctx, registrationId: number, bytes: number): Promise<void> {
  if (bytes === 0) return
  const { own, others } = await ctx.db
    .updateTable('registrations')
    .set({ stored_bytes: sql<number>`greatest(stored_bytes + ${bytes}::bigint, 0)` })
    .where('id', '=', registrationId)
    .returning([
      'stored_bytes as own',
      sql<number>`(
        select coalesce(sum(other.stored_bytes), 0)::bigint from registrations other
        where other.user_id = registrations.user_id and other.module_id = registrations.module_id
          and other.id <> registrations.id)`.as('others'),
    ])
    .executeTakeFirstOrThrow()
  const limit = env().XAPI_ATTEMPT_MB
  const megabyte = 1024 * 1024
  if (bytes > 0 && own > limit * megabyte) {
    throw new TooLarge(`This attempt would have stored more than ${limit} MB.`, 'xapi.quota')
  }
  if (bytes > 0 && own + others > attemptsWorth * limit * megabyte) {
    throw new TooLarge(
      `The attempts at this module would have stored more than ${attemptsWorth * limit} MB.`,
      'xapi.quota',
    )
  }
}
