/** What the sender writes into the ledger. Every write names the claim of its run, so that no other run's row changes. */
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { isSuppressed } from './addresses.server.ts'
import { nextTry } from './retries.ts'
import type { Outcome } from './smtp.server.ts'

export type Held = { id: number; claim: string }
export type Try = { attempts: number; triedAt: Date }

/** Writes what became of a mail. A run that was thought dead may still say so of the mail that it had in hand. */
export async function recordOutcome(ctx: Ctx, { id, claim }: Held, outcome: Outcome, tried: Try): Promise<void> {
  const next = outcome.state === 'deferred' ? nextTry(ctx.now, tried) : null
  const state = outcome.state === 'deferred' ? (next ? 'queued' : 'refused') : outcome.state
  const isSuppressing = outcome.state === 'refused' && outcome.isAddress
  await sql`
    with written as (
      update mails set
        state = ${state}, response = ${outcome.response.slice(0, 2000)}, claim = null, claimed_at = null,
        next_at = coalesce(${next}::timestamptz, next_at),
        ended_at = case when ${state} = 'queued' then null else ${ctx.now}::timestamptz end
      where id = ${id} and claim = ${claim}::uuid and state in ('sending', 'in_doubt')
      returning site_id, address_key, response)
    insert into mail_suppressions (site_id, address_key, reason, response, since)
    select site_id, address_key, 'refused', response, ${ctx.now}::timestamptz from written
    where ${isSuppressing} and address_key is not null
    on conflict (site_id, address_key) where released_at is null do nothing`.execute(ctx.db)
}

/**
 * Marks a mail as being handed over. Null if it may not be: the message was stopped or removed, another run holds the
 * row, or the person has opted out since, which the row then says.
 */
export async function markSending(ctx: Ctx, { id, claim }: Held): Promise<Try | null> {
  const { rows } = await sql<Try & { state: string }>`
    update mails set
      state = case when why.reason is null then 'sending' else 'skipped' end,
      response = coalesce(why.reason, mails.response),
      ended_at = case when why.reason is null then null else ${ctx.now}::timestamptz end,
      attempts = attempts + case when why.reason is null then 1 else 0 end,
      tried_at = coalesce(tried_at, ${ctx.now}), claimed_at = now()
    from (
      select waiting.id, case
        when users.id is null or users.erased_at is not null or waiting.address is null then 'disabled'
        when users.opted_out_of_emails then 'opted_out'
        when ${isSuppressed(ctx, sql`waiting.address_key`)} then 'suppressed' end as reason
      from mails waiting
      join announcements message on message.id = waiting.announcement_id
      left join users on users.id = waiting.user_id
      where waiting.id = ${id} and message.sending = 'sending' and message.deleted_at is null) why
    where mails.id = why.id and mails.claim = ${claim}::uuid and mails.state = 'queued'
    returning mails.state, mails.attempts, mails.tried_at as "triedAt"`.execute(ctx.db)
  const [row] = rows
  return row?.state === 'sending' ? { attempts: row.attempts, triedAt: row.triedAt } : null
}

export type MailToSend = {
  id: number
  uid: string
  token: string
  announcementId: number
  address: string
  name: string
  firstName: string | null
  institution: string | null
  /** Its opening and clicks may be counted: the site does, and the person has nothing against it. */
  isTracked: boolean
}

/** Takes the next mails of these messages that are due, some of each. */
export async function claimMails(
  ctx: Ctx,
  { claim, announcementIds, most }: { claim: string; announcementIds: number[]; most: number },
): Promise<MailToSend[]> {
  const each = Math.ceil(most / Math.max(1, announcementIds.length))
  const { rows } = await sql<MailToSend>`
    with chosen as (
      select due.id from announcements message cross join lateral (
        select id from mails
        where announcement_id = message.id and state = 'queued' and claim is null and next_at <= ${ctx.now}
        order by next_at, id limit ${each} for update skip locked) due
      where message.id = any(${announcementIds}::bigint[]) and message.sending = 'sending'),
    taken as (
      update mails set
        claim = ${claim}::uuid, claimed_at = now(),
        is_tracked = exists (
          select from users join sites on sites.id = users.site_id
          where users.id = mails.user_id and sites.tracks_mails and not users.opted_out_of_tracking)
      from chosen where mails.id = chosen.id
      returning mails.*)
    select taken.id, taken.uid, taken.token, taken.announcement_id as "announcementId",
      coalesce(taken.address, '') as address, coalesce(taken.name, '') as name, users.first_name as "firstName",
      universities.name as institution, taken.is_tracked as "isTracked"
    from taken left join users on users.id = taken.user_id
    left join universities on universities.id = users.university_id
    order by taken.id`.execute(ctx.db)
  return rows
}

/**
 * Only one run of a site works at a time. What another one holds it has left behind when it was killed: a mail that was
 * being handed over is in doubt, and the others wait again. Other mails are sent by jobs of their own, so only what has
 * been in hand for long was left behind.
 */
export async function takeOver(ctx: Ctx): Promise<void> {
  await sql`
    update mails set
      state = case state when 'sending' then 'in_doubt' else state end,
      response = case state when 'sending' then ${interrupted} else response end,
      ended_at = case state when 'sending' then ${ctx.now}::timestamptz else ended_at end,
      claim = case state when 'sending' then claim else null end
    where site_id = ${ctx.site.id} and (
      (kind = 'message' and (state = 'sending' or (state = 'queued' and claim is not null)))
      or (kind <> 'message' and state = 'sending' and claimed_at < now() - interval '15 minutes'))`.execute(ctx.db)
}

const interrupted = 'Titrate was interrupted while it handed the mail over. Nobody knows whether the server took it.'

/** Gives back what a run holds and has not begun. If no connection could be opened, it is tried again later. */
export async function releaseMails(ctx: Ctx, claim: string, problem: string | null): Promise<void> {
  if (problem === null) {
    await sql`
      update mails set claim = null, claimed_at = null
      where site_id = ${ctx.site.id} and claim = ${claim}::uuid and state = 'queued'`.execute(ctx.db)
    return
  }
  const words = problem.slice(0, 2000)
  await sql`
    update mails set
      claim = null, claimed_at = null, response = ${words}, tried_at = coalesce(tried_at, ${ctx.now}),
      next_at = ${ctx.now}::timestamptz + interval '1 minute',
      state = case when tried_at < ${ctx.now}::timestamptz - interval '2 days' then 'refused' else 'queued' end,
      ended_at = case when tried_at < ${ctx.now}::timestamptz - interval '2 days' then ${ctx.now}::timestamptz end
    where site_id = ${ctx.site.id} and claim = ${claim}::uuid and state = 'queued'`.execute(ctx.db)
}
