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

/** In which states a mail may be when this is reported. A repeated report finds none of them. */
const statesBefore = {
  bounce: ['sending', 'accepted', 'in_doubt'],
  complaint: ['sending', 'accepted', 'in_doubt', 'bounced'],
  delayed: ['accepted', 'in_doubt'],
}

async function record(ctx: SystemCtx, report: ReturnedMail, siteId: number | null): Promise<Recorded> {
  const { kind, isPermanent, recipients, mail } = report
  if (mail === null || !isUid(mail)) return nothing('The report names no mail that was sent from here.')
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ id: number; siteId: number; state: string; addressKey: string | null }>`
      select id, site_id as "siteId", state, address_key as "addressKey" from mails
      where (token = ${mail} or uid = ${mail}) and (${siteId}::bigint is null or site_id = ${siteId}) for update`.execute(
      ctx.db,
    )
    const [row] = rows
    if (!row || row.addressKey === null) return nothing('The report names no mail that was sent from here.')
    if (recipients.length > 0 && !recipients.some((address) => emailKey(address) === row.addressKey)) {
      return nothing('The mail was not sent to the address in the report.')
    }
    if (!statesBefore[kind].includes(row.state)) return nothing('Nothing new: this is known, or the mail was not sent.')
    const words = wordsOf(report)
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

/** A complaint leaves mails about the account, and what cannot be delivered ends those too. */
async function suppress(
  ctx: SystemCtx,
  { siteId, addressKey, reason, words }: { siteId: number; addressKey: string | null; reason: string; words: string },
): Promise<void> {
  await sql`
    insert into mail_suppressions as known (site_id, address_key, reason, response, since)
    values (${siteId}, ${addressKey}, ${reason}, ${words}, ${ctx.now})
    on conflict (site_id, address_key) where released_at is null do update set
      reason = excluded.reason, response = excluded.response
      where known.reason = 'complained' and excluded.reason = 'bounced'`.execute(ctx.db)
}

function wordsOf({ words }: ReturnedMail): string {
  const storable = words.replace(/\p{Cs}/gu, '\ufffd').slice(0, 10_000)
  return cutText(tidyLine(storable), 1900)
}
