/**
 * The way of a message from a draft to its recipients. `announcements.sending` says where it stands:
 *
 *     null ─► scheduled ─► preparing ─► sending ─► done
 *                 └─► late      └─► stopped ◄─┘
 *
 * Preparing expands audiences, leaves out who cannot get the message, and writes the ledger of its mails; then they are
 * sent. Dashboards have no mails, so they go from preparing to done. Every step is decided by an update of the row.
 */
import { type RawBuilder, sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { queueInDoubt } from '../mail/resend.server.ts'
import { queue, queueAll } from '../queue/queue.server.ts'
import { deliverToDashboards } from './deliver-to-dashboards.server.ts'
import { type MessageToEdit, requireShownTimes, type Sending } from './read-announcement.server.ts'
import { queueSending } from './send-messages.server.ts'

/** Up to so many dashboards are delivered to while somebody waits. */
const mostAtOnce = 1000

/**
 * Starts sending a draft, or schedules it. Call it in a transaction that has locked the row, validated the message and
 * checked who may. Throws Conflict if the message is being sent already, so that a repeated request sends nothing twice.
 */
export async function startSending(
  ctx: Ctx,
  input: { announcementId: number; sendAt: Date | null; notAfter: Date | null },
): Promise<{ sending: Sending }> {
  const { announcementId, sendAt, notAfter } = input
  const next = sendAt ? 'scheduled' : 'preparing'
  const message = await ctx.db
    .updateTable('announcements')
    .set({ sending: next, send_at: sendAt ?? ctx.now, not_after: notAfter, ...(!sendAt && { started_at: ctx.now }) })
    .where('id', '=', announcementId)
    .where('site_id', '=', ctx.site.id)
    .where('status', '=', 'draft')
    .where('sending', 'is', null)
    .where('deleted_at', 'is', null)
    .returning(['uid', 'delivery_type as deliveryType'])
    .executeTakeFirst()
  if (!message) throw new Conflict('announcement.sending', 'This message is being sent already.')
  if (sendAt) {
    await queue(ctx, 'start-scheduled-messages', {}, { runAt: sendAt, key: `start-message:${message.uid}` })
    return { sending: 'scheduled' }
  }
  if (message.deliveryType === 'dashboard' && (await isSmall(ctx, announcementId))) {
    await deliverToDashboards(ctx, announcementId)
    return { sending: 'done' }
  }
  await queuePreparing(ctx, message.uid)
  return { sending: 'preparing' }
}

/** True if nobody is added by an audience and the recipients are few. */
async function isSmall(ctx: Ctx, announcementId: number): Promise<boolean> {
  const { rows } = await sql<{ isSmall: boolean }>`
    select not exists (select from announcement_audiences where announcement_id = ${announcementId})
      and (select count(*) from (
        select from announcement_recipients where announcement_id = ${announcementId} limit ${mostAtOnce + 1}) counted
      ) <= ${mostAtOnce} as "isSmall"`.execute(ctx.db)
  return rows[0]?.isSmall ?? false
}

const prepareJob = 'prepare-message'

function preparingOf(announcementUid: string) {
  return { payload: { announcementUid }, key: `${prepareJob}:${announcementUid}` }
}

async function queuePreparing(ctx: Ctx, announcementUid: string): Promise<void> {
  const { payload, key } = preparingOf(announcementUid)
  await queue(ctx, prepareJob, payload, { key })
}

/** Stops sending: who has not got the message yet does not get it until somebody resumes. */
export async function stopSending(ctx: Ctx, input: { uid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  await change(ctx, input.uid, {
    from: ['preparing', 'sending'],
    done: ['stopped'],
    action: 'announcement.stopped',
    refusal: 'This message is not being sent.',
    set: (ctx) => sql`sending = 'stopped', stopped_at = ${ctx.now}`,
  })
}

/** Sends the rest of a message that was stopped. */
export async function resumeSending(ctx: Ctx, input: { uid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  await change(ctx, input.uid, {
    from: ['stopped'],
    done: ['preparing', 'sending', 'done'],
    action: 'announcement.resumed',
    refusal: 'This message has not been stopped.',
    set: () => sql`sending = case when prepared_at is null then 'preparing' else 'sending' end, stopped_at = null`,
  })
}

/**
 * Makes a scheduled or late message a draft again. Throws ReviewOutdated if the message goes out at another time than the
 * one that was shown, whose key is `shownTimes`.
 */
export async function cancelSchedule(ctx: Ctx, input: { uid: string; shownTimes?: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  await change(ctx, input.uid, {
    check: (message) =>
      requireShownTimes(ctx, message, { shown: input.shownTimes, advice: 'The schedule has not been canceled.' }),
    from: ['scheduled', 'late'],
    done: [null],
    action: 'announcement.schedule_canceled',
    refusal: 'This message is no longer waiting: it is being sent, or has been sent.',
    set: () => sql`sending = null, send_at = null, not_after = null`,
  })
}

type Change = {
  from: Sending[]
  /** The states in which the change has been made already, so that a second click is not refused. */
  done: (Sending | null)[]
  action: string
  refusal: string
  check?: (message: Pick<MessageToEdit, 'sending' | 'sendAt' | 'notAfter'>) => void
  set: (ctx: Ctx) => RawBuilder<unknown>
}

async function change(ctx: Ctx, uid: string, { from, done, action, refusal, check, set }: Change): Promise<void> {
  if (!isUid(uid)) throw new NotFound()
  await inTransaction(ctx, async (ctx) => {
    const { rows: found } = await sql<{
      id: number
      sending: Sending | null
      sendAt: Date | null
      notAfter: Date | null
    }>`
      select id, sending, send_at as "sendAt", not_after as "notAfter" from announcements
      where uid = ${uid} and site_id = ${ctx.site.id} and deleted_at is null for update`.execute(ctx.db)
    const [message] = found
    if (!message) throw new NotFound()
    const { sending } = message
    if (sending === null || !from.includes(sending)) {
      if (done.includes(sending)) return
      throw new Conflict('announcement.sending', refusal)
    }
    check?.(message)
    const { rows } = await sql<{ sending: Sending | null }>`
      update announcements set ${set(ctx)}, updated_at = ${ctx.now}
      where id = ${message.id} returning sending`.execute(ctx.db)
    const after = rows[0]?.sending ?? null
    if (after === 'preparing') await queuePreparing(ctx, uid.toLowerCase())
    if (after === 'sending') await queueSending(ctx)
    await recordAudit(ctx, {
      action,
      entity: 'announcement',
      entityUid: uid.toLowerCase(),
      before: { sending },
      after: { sending: after },
    })
  })
}

/**
 * Job, each minute and at the time of each message: starts the messages whose time has come. One that is later than its
 * "not after" waits for a decision.
 */
export async function startScheduledMessages(ctx: Ctx): Promise<{ started: number; late: number }> {
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ uid: string; sending: Sending }>`
      update announcements set
        sending = case when not_after < ${ctx.now} then 'late' else 'preparing' end,
        started_at = case when not_after < ${ctx.now} then null else ${ctx.now}::timestamptz end
      where site_id = ${ctx.site.id} and sending = 'scheduled' and send_at <= ${ctx.now} and deleted_at is null
      returning uid, sending`.execute(ctx.db)
    const started = rows.filter(({ sending }) => sending === 'preparing')
    await queueAll(
      ctx,
      prepareJob,
      started.map(({ uid }) => preparingOf(uid)),
    )
    return { started: started.length, late: rows.length - started.length }
  })
}

/**
 * Sends again what is in doubt of a message: one of its mails, or all of them. Whoever got the first one then gets a
 * second, so only an admin decides. Returns how many; a repeated request finds none.
 */
export async function resendInDoubt(ctx: Ctx, input: { uid: string; mailUid?: string }): Promise<{ count: number }> {
  requireAdmin(ctx, 'write')
  const { uid, mailUid = null } = input
  if (!isUid(uid) || (mailUid !== null && !isUid(mailUid))) throw new NotFound()
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ id: number; uid: string; sending: Sending | null }>`
      select id, uid, sending from announcements
      where uid = ${uid} and site_id = ${ctx.site.id} and deleted_at is null for update`.execute(ctx.db)
    const [message] = rows
    if (!message) throw new NotFound()
    const count = await queueInDoubt(ctx, { announcementId: message.id, mailUid })
    if (count === 0) return { count }
    if (message.sending === 'done') {
      await sql`
        update announcements set sending = 'sending', finished_at = null where id = ${message.id}`.execute(ctx.db)
    }
    if (message.sending !== 'stopped') await queueSending(ctx)
    const after = { count, ...(mailUid !== null && { mailUid }) }
    await recordAudit(ctx, { action: 'announcement.resent', entity: 'announcement', entityUid: message.uid, after })
    return { count }
  })
}
