/** Events: what people do on pages and with videos, and what they search for. Stored in monthly partitions. */
import { sql } from 'kysely'
import { type EventValues, eventForm } from '~/forms/events.ts'
import { isVideoEvent } from '~/forms/video-events.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx, SystemCtx, Viewer } from '../context.ts'
import { Invalid, Unavailable } from '../errors.ts'
import { addressPrefix, countAttempts } from '../limits/limits.server.ts'
import { recordPlay } from './plays.server.ts'

/** Creates the partitions of the coming months. A row cannot be inserted without its partition. */
export async function ensureEventPartitions(ctx: SystemCtx): Promise<void> {
  await sql`select ensure_event_partitions(${ctx.now}::date, 3)`.execute(ctx.db)
}

/** Deletes old events by whole months. Data computed from them (plays, progress) stays. */
export async function dropOldEvents(ctx: SystemCtx, input: { months: number }): Promise<void> {
  await sql`select drop_event_partitions((${ctx.now}::date - make_interval(months => ${input.months}))::date)`.execute(
    ctx.db,
  )
}

const windowSeconds = 60

/**
 * Records an event of a visitor, signed in or not, and counts video events in the play of the film. Throws Invalid for
 * anything that is not an event, and Unavailable for more than `perMinute` events of one person, or ten times as many
 * from one network.
 */
export async function recordEvent(ctx: Ctx, input: { event: unknown; perMinute: number }): Promise<void> {
  const parsed = eventForm.safeParse(input.event)
  if (!parsed.success) throw new Invalid('This is not an event.', {}, 'event.invalid')
  // What an admin does who views as somebody is not that person's doing.
  if (ctx.viewAs) return
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

/** Nothing is written while the site does not record what people do. */
async function insertEvent(ctx: Ctx, { event, properties, screen }: EventValues): Promise<void> {
  await sql`
    insert into events (at, site_id, user_id, name, properties, screen)
    select ${ctx.now}, sites.id, ${viewerOf(ctx)?.id ?? null}::bigint, ${event}, ${JSON.stringify(properties)}::jsonb,
      ${screen ? `${screen.width}x${screen.height}` : null}
    from sites where sites.id = ${ctx.site.id} and sites.records_events`.execute(ctx.db)
}

/** Returns the viewer; null for a viewer of another site. */
function viewerOf(ctx: Ctx): Viewer | null {
  return ctx.viewer?.siteId === ctx.site.id ? ctx.viewer : null
}

/**
 * Records a submitted search for the report of what people look for, unless the site does not record what people do.
 * Called after the response.
 */
export async function recordSearch(ctx: Ctx, input: { query: string; type: string; results: number }): Promise<void> {
  const { query, type, results } = input
  if (ctx.viewAs) return
  await sql`
    insert into search_queries (site_id, user_id, at, query, type, results)
    select sites.id, ${viewerOf(ctx)?.id ?? null}::bigint, ${ctx.now}, ${query}, ${type}, ${results}
    from sites where sites.id = ${ctx.site.id} and sites.records_events`.execute(ctx.db)
}
