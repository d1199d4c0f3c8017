import { sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import type { Ctx } from '../context.ts'
import { TooLarge } from '../errors.ts'

/**
 * Adds to what the units of an attempt have stored: documents, statements and attachments. Throws TooLarge beyond
 * XAPI_ATTEMPT_MB. Runs in the transaction that stores them. Whatever makes an attempt smaller is allowed.
 */
export async function addStoredBytes(ctx: Ctx, registrationId: number, bytes: number): Promise<void> {
  if (bytes === 0) return
  const { storedBytes } = await ctx.db
    .updateTable('registrations')
    .set({ stored_bytes: sql<number>`greatest(stored_bytes + ${bytes}::bigint, 0)` })
    .where('id', '=', registrationId)
    .returning('stored_bytes as storedBytes')
    .executeTakeFirstOrThrow()
  const limit = env().XAPI_ATTEMPT_MB
  if (bytes > 0 && storedBytes > limit * 1024 * 1024) {
    throw new TooLarge(`This attempt would have stored more than ${limit} MB.`, 'xapi.quota')
  }
}
