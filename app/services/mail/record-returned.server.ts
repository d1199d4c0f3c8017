/**
 * Records what became of a mail after its server had accepted it: it came back, its recipient complained, or it waits on
 * the way. Nobody is signed in: the random token or uid of the mail says which one it is, and only its own recipient may
 * be reported.
 */
import { sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { type MailEvent, mailEventForm, mailIn } from '~/forms/mail-events.ts'
import { cutText, emailKey, tidyLine } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx, SystemCtx } from '../context.ts'
import { parseInput } from '../input.ts'
import { type ReturnedMail, readReturnedMail } from './returned-mail.ts'

/** `sentence` says what was recorded, or why nothing was. */
export type Recorded = { isRecorded: boolean; sentence: string }

/** Records what a program reports about a mail of the site. Throws Invalid for what is no such report. */
export async function recordMailEvent(ctx: Ctx, input: MailEvent): Promise<Recorded> {
  const { kind, permanent, recipient, words, mail } = parseInput(mailEventForm, input)
  const recipients = recipient === undefined ? [] : [recipient]
  return record(ctx, { kind, isPermanent: permanent, recipients, words, mail: mailIn(mail) }, ctx.site.id)
}

/** Records what a raw mail reports about a mail of any site. Throws Invalid for what is no mail. */
export async function recordReturnedMail(ctx: SystemCtx, input: { source: Buffer }): Promise<Recorded> {
  const report = await readReturnedMail(input.source, { returnAddress: env().MAIL_RETURN_ADDRESS })
  if (!report) return nothing('This mail reports nothing about another one.')
  return record(ctx, report, null)
}

const nothing = (sentence: string): Recorded => ({ isRecorded: false, sentence })

/**
 * In which states a mail may be when this is reported. A repeated report finds none of them. What is then still news is
 * that the address is gone for good (`suppressGone`).
 */
const statesBefore = {
  bounce: ['sending', 'accepted', 'in_doubt'],
  complaint: ['sending', 'accepted', 'in_doubt', 'bounced'],
  delayed: ['accepted', 'in_doubt'],
}

type MailRow = { id: number; siteId: number; state: string; addressKey: string | null; returnedAt: Date | null }

async function record(ctx: SystemCtx, report: ReturnedMail, siteId: number | null): Promise<Recorded> {
  const { kind, isPermanent, recipients, mail } = report
  if (mail === null || !isUid(mail)) return nothing('The report names no mail that was sent from here.')
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<MailRow>`
      select id, site_id as "siteId", state, address_key as "addressKey", returned_at as "returnedAt" from mails
      where (token = ${mail} or uid = ${mail}) and (${siteId}::bigint is null or site_id = ${siteId}) for update`.execute(
      ctx.db,
    )
    const [row] = rows
    if (!row || row.addressKey === null) return nothing('The report names no mail that was sent from here.')
    if (recipients.length > 0 && !recipients.some((address) => emailKey(address) === row.addressKey)) {
      return nothing('The mail was not sent to the address in the report.')
    }
    const words = wordsOf(report)
    if (!statesBefore[kind].includes(row.state)) {
      const isGone = kind === 'bounce' && isPermanent && ['bounced', 'complained'].includes(row.state)
      if (isGone && (await suppressGone(ctx, { ...row, words }))) {
        return { isRecorded: true, sentence: 'The mail has come back for good.' }
      }
      return nothing('Nothing new: this is known, or the mail was not sent.')
    }
    if (kind === 'delayed') {
      await sql`update mails set response = ${words} where id = ${row.id}`.execute(ctx.db)
      return { isRecorded: true, sentence: 'The mail is delayed.' }
    }
    const state = kind === 'bounce' ? 'bounced' : 'complained'
    await sql`
      update mails set
        state = ${state}, response = ${words}, returned_at = ${ctx.now}, claim = null, claimed_at = null,
        ended_at = coalesce(ended_at, ${ctx.now}::timestamptz)
      where id = ${row.id}`.execute(ctx.db)
    if (kind === 'complaint' || isPermanent) await suppress(ctx, { ...row, reason: state, words })
    return { isRecorded: true, sentence: `The mail has ${kind === 'bounce' ? 'come back' : 'caused a complaint'}.` }
  })
}

type Suppressed = { siteId: number; addressKey: string | null; words: string }

/**
 * Suppresses an address that is gone for good, after the mail had come back for a while or caused a complaint. Returns
 * false for a report that has been recorded before, also if an admin has released the address since.
 */
async function suppressGone(ctx: SystemCtx, row: Suppressed & { returnedAt: Date | null }): Promise<boolean> {
  const { siteId, addressKey, returnedAt } = row
  const { rows } = await sql`
    select from mail_suppressions
    where site_id = ${siteId} and address_key = ${addressKey} and reason = 'bounced' and since >= ${returnedAt}
    limit 1`.execute(ctx.db)
  return rows.length === 0 && (await suppress(ctx, { ...row, reason: 'bounced' }))
}

/** A complaint leaves mails about the account, and what cannot be delivered ends those too. Returns whether that is new. */
async function suppress(
  ctx: SystemCtx,
  { siteId, addressKey, reason, words }: Suppressed & { reason: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into mail_suppressions as known (site_id, address_key, reason, response, since)
    values (${siteId}, ${addressKey}, ${reason}, ${words}, ${ctx.now})
    on conflict (site_id, address_key) where released_at is null do update set
      reason = excluded.reason, response = excluded.response
      where known.reason = 'complained' and excluded.reason = 'bounced'`.execute(ctx.db)
  return Number(numAffectedRows ?? 0) > 0
}

function wordsOf({ words }: ReturnedMail): string {
  const storable = words.replace(/\p{Cs}/gu, '\ufffd').slice(0, 10_000)
  return cutText(tidyLine(storable), 1900)
}
