/** Events: what people do on pages and with videos, and what they search for, kept by month. */
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'

/** The months ahead; without a partition a row has nowhere to go. */
export async function ensureEventPartitions(ctx: Ctx): Promise<void> {
  await sql`select ensure_event_partitions(${ctx.now}::date, 3)`.execute(ctx.db)
}
