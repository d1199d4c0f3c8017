import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { unsubscribeUrlOf } from '../mail/letter.ts'
import type { Mail } from '../mail/mail.server.ts'
import { type MailToSend, sendQueuedMails } from '../mail/send-queued.server.ts'
import { queue } from '../queue/queue.server.ts'
import { storage } from '../storage/storage.server.ts'
import { writeMessage } from './message-letter.ts'

/** So long other jobs wait for their turn, in milliseconds. */
const sliceMs = 30_000

/** Queues the sender of the site. Only one works at a time, and one more waits. */
export async function queueSending(ctx: Pick<Ctx, 'db' | 'site'>, runAt?: Date): Promise<void> {
  const name = `send-messages:${ctx.site.key}`
  await queue(ctx, 'send-messages', {}, { key: name, queueName: name, ...(runAt && { runAt }) })
}

/**
 * Job, each minute and whenever there is something to send: sends the mails of messages that are due in the ledger, for
 * half a minute, and queues itself for the rest.
 */
export async function sendMessages(
  ctx: Ctx,
  input: { signal?: AbortSignal; forMs?: number } = {},
): Promise<{ handedOver: number; finished: number; problem: string | null }> {
  const { signal = new AbortController().signal, forMs = sliceMs } = input
  const messages = await findMessagesToSend(ctx)
  const writers = new Map<number, (mail: MailToSend) => Mail>()
  for (const message of messages) writers.set(message.id, await writerOf(ctx, message))
  const { handedOver, problem } = await sendQueuedMails(ctx, {
    messages: writers,
    signal,
    endAt: Date.now() + forMs,
  })
  const finished = await finishMessages(ctx)
  if (problem === null && !signal.aborted) await queueRest(ctx)
  return { handedOver, finished, problem }
}

type Message = {
  id: number
  subject: string
  text: string
  from: string
  fileName: string | null
  contentType: string | null
  storageKey: string | null
}

const messageColumns = sql`message.id, message.subject, message.text, message.from_field as "from",
  file.original_file_name as "fileName", file.content_type as "contentType", file.storage_key as "storageKey"`

/** With its first mail in hand, a message is sent and can no longer change. */
async function findMessagesToSend(ctx: Ctx): Promise<Message[]> {
  const { rows } = await sql<Message>`
    with message as (
      update announcements set
        status = 'sent', sent_at = coalesce(announcements.sent_at, ${ctx.now})
      where site_id = ${ctx.site.id} and sending = 'sending' and deleted_at is null and exists (
        select from mails where mails.announcement_id = announcements.id and mails.state = 'queued'
          and mails.next_at <= ${ctx.now})
      returning *)
    select ${messageColumns} from message left join stored_files file on file.id = message.attachment_file_id
    order by message.started_at, message.id`.execute(ctx.db)
  return rows
}

async function writerOf(ctx: Ctx, message: Message): Promise<(mail: MailToSend) => Mail> {
  const [attachments, links] = await Promise.all([attachmentsOf(message), linksOf(ctx, message)])
  const write = writeMessage(ctx.site, { ...message, attachments, links })
  return ({ uid, name, address, token, firstName, institution, isTracked }) =>
    write({
      name,
      address,
      values: { 'first name': firstName, institution },
      unsubscribeUrl: unsubscribeUrlOf(ctx.site, token),
      ...(isTracked && { trackedBy: uid }),
    })
}

async function linksOf(ctx: Ctx, { id }: Message): Promise<{ url: string; token: string }[]> {
  return ctx.db.selectFrom('announcement_links').select(['url', 'token']).where('announcement_id', '=', id).execute()
}

/** Read once for all recipients. */
export async function attachmentsOf({
  fileName,
  contentType,
  storageKey,
}: Pick<Message, 'fileName' | 'contentType' | 'storageKey'>): Promise<NonNullable<Mail['attachments']>> {
  if (!fileName || !contentType || !storageKey) return []
  return [{ filename: fileName, contentType, content: await buffer(await storage().read(storageKey)) }]
}

/** Marks messages as done of which no mail is waiting any more. */
async function finishMessages(ctx: Ctx): Promise<number> {
  const { numAffectedRows } = await sql`
    update announcements set
      sending = 'done', finished_at = ${ctx.now}, status = 'sent', sent_at = coalesce(sent_at, ${ctx.now})
    where site_id = ${ctx.site.id} and sending = 'sending' and not exists (
      select from mails where mails.announcement_id = announcements.id and mails.state in ('queued', 'sending'))`.execute(
    ctx.db,
  )
  return Number(numAffectedRows ?? 0)
}

/** Continues at once, or when the next mail is to be tried again. */
async function queueRest(ctx: Ctx): Promise<void> {
  const { rows } = await sql<{ nextAt: Date | null }>`
    select min(due.next_at) as "nextAt" from announcements message cross join lateral (
      select next_at from mails where announcement_id = message.id and state = 'queued' order by next_at limit 1) due
    where message.site_id = ${ctx.site.id} and message.sending = 'sending' and message.deleted_at is null`.execute(
    ctx.db,
  )
  const nextAt = rows[0]?.nextAt
  if (nextAt) await queueSending(ctx, nextAt)
}
