/**
 * The one way of mails that are not mails of a message: about accounts, reminders, tests. They have a row in the ledger
 * like those, but the job that makes such a mail also sends it and repeats it, because its text may hold a link that is
 * stored nowhere.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { isMailAddress, plainLine } from '~/lib/mail-text.ts'
import { emailKey } from '~/lib/text.ts'
import type { Ctx } from '../context.ts'
import { Unavailable } from '../errors.ts'
import { recordOutcome, type Try } from './ledger.server.ts'
import { handOver, isOutboxUsed, type LedgerMarks, type Mail } from './mail.server.ts'
import { closeLane, NoConnection, type Outcome, openLane } from './smtp.server.ts'

export type MailKind = 'account' | 'reminder' | 'report' | 'test'

type Input = {
  kind: MailKind
  /** What it is about, as "reminder:UID": a job that runs again continues the same row. */
  source: string
  userUid: string
  /** True if a mail of this source that has been sent may be followed by another one. */
  isRepeatable?: boolean
  /** True if a try that was interrupted is not repeated, because the mail may have arrived. */
  isOnce?: boolean
  /** Gets the link that ends mails of this kind, if there can be one. */
  write: (marks: LedgerMarks) => Mail
}

/**
 * Sends one mail. `isAccepted` is false if its address gets none: it cannot receive mail, it is suppressed, or the server
 * refused it for good. Throws Unavailable if the server does not take it now, and the job retries later.
 */
export async function sendMail(ctx: Ctx, input: Input): Promise<{ isAccepted: boolean }> {
  const claim = randomUUID()
  const marks = { uid: randomUUID(), token: randomUUID() }
  const row = await begin(ctx, { ...input, claim, marks, mail: input.write(marks) })
  if (row?.state !== 'sending') return { isAccepted: row?.state === 'accepted' || row?.state === 'in_doubt' }
  // A row that has been tried before keeps its marks, which are in the headers and links.
  const outcome = await tryToSend(input.write(row), row)
  await recordOutcome(ctx, { id: row.id, claim }, outcome, row)
  if (outcome.state === 'deferred') throw new Unavailable(`The mail could not be sent: ${outcome.response}`)
  return { isAccepted: outcome.state !== 'refused' }
}

async function tryToSend(mail: Mail, marks: LedgerMarks): Promise<Outcome> {
  try {
    const lane = isOutboxUsed() ? null : await openLane()
    try {
      return await handOver(mail, marks, lane)
    } finally {
      if (lane) closeLane(lane)
    }
  } catch (error) {
    if (error instanceof NoConnection) return { state: 'deferred', response: error.message }
    return { state: 'deferred', response: (error as Error).message }
  }
}

type Begun = LedgerMarks & Try & { id: number; state: string }

/**
 * Writes the row, or takes up that of an earlier try, unless that has ended. Its state is `sending` if the mail is to be
 * sent. A complaint ends what somebody did not ask for, and mails about their account still reach them.
 */
async function begin(
  ctx: Ctx,
  {
    kind,
    source,
    userUid,
    isRepeatable = false,
    isOnce = false,
    mail,
    marks,
    claim,
  }: Input & { mail: Mail; marks: LedgerMarks; claim: string },
): Promise<Begun | undefined> {
  const { address } = mail.to
  const key = emailKey(address)
  if (isRepeatable) {
    await sql`
      update mails set source = null
      where site_id = ${ctx.site.id} and source = ${source} and ended_at is not null`.execute(ctx.db)
  }
  const { rows } = await sql<Begun>`
    with suppression as (
      select from mail_suppressions
      where site_id = ${ctx.site.id} and address_key = ${key} and released_at is null
        and not (${kind === 'account'} and reason = 'complained')),
    verdict as (
      select case when ${!isMailAddress(address)} then 'no_address'
        when exists (select from suppression) then 'suppressed' end as reason)
    insert into mails (
      uid, token, site_id, kind, source, user_id, address, address_key, name, subject, state, response, attempts,
      tried_at, claim, claimed_at, next_at, created_at, ended_at)
    select ${marks.uid}, ${marks.token}, ${ctx.site.id}, ${kind}, ${source},
      (select id from users where uid = ${userUid} and site_id = ${ctx.site.id}), ${address}, ${key},
      ${plainLine(mail.to.name).slice(0, 500)}, ${plainLine(mail.subject).slice(0, 500)},
      case when reason is null then 'sending' else 'skipped' end, reason, case when reason is null then 1 else 0 end,
      ${ctx.now}, ${claim}, now(), ${ctx.now}, ${ctx.now}, case when reason is null then null else ${ctx.now}::timestamptz end
    from verdict
    on conflict (site_id, source) where source is not null do update set
      state = excluded.state, response = excluded.response, attempts = mails.attempts + excluded.attempts,
      claim = excluded.claim, claimed_at = excluded.claimed_at, ended_at = excluded.ended_at,
      address = excluded.address, address_key = excluded.address_key, name = excluded.name, subject = excluded.subject
    where mails.ended_at is null and (mails.state = 'queued' or not ${isOnce})
    returning id, uid, token, state, attempts, tried_at as "triedAt"`.execute(ctx.db)
  if (rows[0]) return rows[0]
  // A row that another try holds is not ours to send.
  const { rows: ended } = await sql<Begun>`
    select id, uid, token, case state when 'sending' then 'in_doubt' else state end as state, attempts, tried_at as "triedAt" from mails
    where site_id = ${ctx.site.id} and source = ${source}`.execute(ctx.db)
  return ended[0]
}
