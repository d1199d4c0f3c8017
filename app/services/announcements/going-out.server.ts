/** Messages on their way, for the overview. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Ctx, requireAdmin } from '../context.ts'
import type { Sending } from './read-announcement.server.ts'
import { stateConditions } from './table.server.ts'

/** The states of messages that are not sent to everybody yet: first those that wait for somebody. */
export const statesGoingOut = ['late', 'stopped', 'sending', 'scheduled'] as const
export type StateGoingOut = (typeof statesGoingOut)[number]

export type MessageGoingOut = {
  uid: string
  name: string
  sending: Sending
  sendAt: Date | null
  /** How many of its mails are in doubt. */
  inDoubt: number
}

/** For so long a message with mails in doubt is listed, although it was sent. */
const doubtDays = 30

/**
 * Counts the messages in each state, for admins, and lists the first of them: those with mails in doubt, then those that
 * wait for somebody.
 */
export async function listMessagesGoingOut(
  ctx: Ctx,
  input: { limit: number },
): Promise<{ counts: Record<StateGoingOut, number>; items: MessageGoingOut[] }> {
  requireAdmin(ctx)
  const since = new Date(ctx.now.getTime() - doubtDays * 86_400_000)
  const isGoingOut = sql<SqlBool>`(${sql.join(
    statesGoingOut.map((state) => stateConditions[state]),
    sql` or `,
  )})`
  const count = (state: StateGoingOut): RawBuilder<number> =>
    sql`(count(*) filter (where ${stateConditions[state]}) over ())::int as ${sql.ref(`${state}Count`)}`
  const place = sql`case ${sql.join(
    statesGoingOut.map((state, index) => sql`when ${stateConditions[state]} then ${sql.lit(index)}`),
    sql` `,
  )} else -1 end`
  const { rows } = await sql<MessageGoingOut & Record<`${StateGoingOut}Count`, number>>`
    with doubtful as materialized (
      select distinct announcement_id from mails
      where site_id = ${ctx.site.id} and state = 'in_doubt' and created_at >= ${since} and announcement_id is not null)
    select announcements.uid, announcements.name, announcements.sending, announcements.send_at as "sendAt",
      case when doubtful.announcement_id is null then 0 else (
        select count(*)::int from mails where announcement_id = announcements.id and state = 'in_doubt') end as "inDoubt",
      ${sql.join(statesGoingOut.map(count))}
    from announcements left join doubtful on doubtful.announcement_id = announcements.id
    where announcements.site_id = ${ctx.site.id} and announcements.deleted_at is null
      and (${isGoingOut} or doubtful.announcement_id is not null)
    order by doubtful.announcement_id is null, ${place}, announcements.send_at, announcements.id
    limit ${input.limit}`.execute(ctx.db)
  const countOf = (state: StateGoingOut) => rows[0]?.[`${state}Count`] ?? 0
  return {
    counts: {
      late: countOf('late'),
      stopped: countOf('stopped'),
      sending: countOf('sending'),
      scheduled: countOf('scheduled'),
    },
    items: rows.map(({ uid, name, sending, sendAt, inDoubt }) => ({ uid, name, sending, sendAt, inDoubt })),
  }
}
