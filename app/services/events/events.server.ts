/** Events: what people do on pages and with videos, and what they search for, kept by month. */
import { sql } from 'kysely'
import { type EventValues, eventForm } from '~/forms/events.ts'
import { isVideoEvent } from '~/forms/video-events.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx, SystemCtx, Viewer } from '../context.ts'
import { Invalid, Unavailable } from '../errors.ts'
import { addressPrefix, countAttempts } from '../limits/limits.server.ts'
import { recordPlay } from './plays.server.ts'

/** The months ahead; without a partition a row has nowhere to go. */
export async function ensureEventPartitions(ctx: SystemCtx): Promise<void> {
  await sql`select ensure_event_partitions(${ctx.now}::date, 3)`.execute(ctx.db)
}

/** Whole months at a time; what was made of them (plays, progress) stays. */
export async function dropOldEvents(ctx: SystemCtx, input: { months: number }): Promise<void> {
  await sql`select drop_event_partitions((${ctx.now}::date - make_interval(months => ${input.months}))::date)`.execute(
    ctx.db,
  )
}

const windowSeconds = 60

/**
 * Keeps an event of whoever asks, signed in or not; what a film tells is counted into its play as well. Throws Invalid for what is no
 * event, and Unavailable for more than `perMinute` of one person, or ten times that from one network.
 */
export async function recordEvent(ctx: Ctx, input: { event: unknown; perMinute: number }): Promise<void> {
  const parsed = eventForm.safeParse(input.event)
  if (!parsed.success) throw new Invalid('This is no event.', {}, 'event.invalid')
  await limit(ctx, input.perMinute)
  const values = parsed.data
  await inTransaction(ctx, async (ctx) => {
    await insertEvent(ctx, values)
    const viewer = viewerOf(ctx)
    if (viewer && isVideoEvent(values.event)) await recordPlay(ctx, viewer, values.event, values.properties)
  })
}

async function limit(ctx: Ctx, perMinute: number): Promise<void> {
  const viewer = viewerOf(ctx)
  const network = `event-from:${addressPrefix(ctx.address)}`
  const keys = viewer ? [`event:${viewer.uid}`, network] : [network]
  const counts = await countAttempts(ctx, keys, windowSeconds)
  const [own = 0, all = own * 10] = counts.length === 2 ? counts : [0, counts[0]]
  if (own > perMinute || all > perMinute * 10) throw new Unavailable('Too many events.', windowSeconds, 'rate_limited')
}

async function insertEvent(ctx: Ctx, { event, properties, screen }: EventValues): Promise<void> {
  await ctx.db
    .insertInto('events')
    .values({
      at: ctx.now,
      site_id: ctx.site.id,
      user_id: viewerOf(ctx)?.id ?? null,
      name: event,
      properties: JSON.stringify(properties),
      screen: screen ? `${screen.width}x${screen.height}` : null,
    })
    .execute()
}

/** A viewer of another site is nobody here. */
function viewerOf(ctx: Ctx): Viewer | null {
  return ctx.viewer?.siteId === ctx.site.id ? ctx.viewer : null
}

/** One submitted search, for the report of what people look for; after the response. */
export async function recordSearch(ctx: Ctx, input: { query: string; type: string; results: number }): Promise<void> {
  await ctx.db
    .insertInto('search_queries')
    .values({ site_id: ctx.site.id, user_id: viewerOf(ctx)?.id ?? null, at: ctx.now, ...input })
    .execute()
}
