/** Writes a message for dashboards and starts sending it in one transaction, checked with its form's schema. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { type AnnouncementValues, announcementForm } from '~/forms/announcements.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { authorColumns, type Ctx, requireAdmin } from '../context.ts'
import { Invalid } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { setAttachment, setImages } from './message-parts.server.ts'
import { startSending } from './start-sending.server.ts'

export type NewDashboardAnnouncement = Omit<z.input<typeof announcementForm>, 'name'> & {
  uid?: string
  /** The name in the console's lists; default: the subject. */
  name?: string
}

/**
 * Sends a message, for admins. With a `uid` made by the client, a repeated request sends only one message and returns
 * `isNew: false`.
 */
export async function sendDashboardAnnouncement(
  ctx: Ctx,
  input: NewDashboardAnnouncement,
): Promise<{ announcementUid: string; isNew: boolean }> {
  requireAdmin(ctx, 'write')
  const announcementUid = newUid(input.uid)
  const values = parseInput(announcementForm, { ...input, name: input.name ?? input.subject })
  const isNew = await inTransaction(ctx, (ctx) => send(ctx, announcementUid, values))
  return { announcementUid, isNew }
}

/** Returns false if the message was already sent. */
async function send(ctx: Ctx, uid: string, values: AnnouncementValues): Promise<boolean> {
  const announcement = await ctx.db
    .insertInto('announcements')
    .values({
      uid,
      site_id: ctx.site.id,
      name: values.name,
      subject: values.subject,
      text: values.text,
      from_field: values.from,
      delivery_type: 'dashboard',
      status: 'draft',
      selected_user_uids: values.userUids,
      ...authorColumns(ctx),
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!announcement) return false
  if (values.attachment !== null) await setAttachment(ctx, { announcementId: announcement.id, name: values.attachment })
  await setImages(ctx, announcement.id, values.text)
  await addRecipients(ctx, announcement.id, values.userUids)
  await startSending(ctx, { announcementId: announcement.id, sendAt: null, notAfter: null })
  const { userUids, ...after } = values
  await recordAudit(ctx, {
    action: 'announcement.sent',
    entity: 'announcement',
    entityUid: uid,
    after: { ...after, recipients: userUids.length },
  })
  return true
}

/** Adds all recipients or none, because a recipient who does not exist is a mistake of the sender. */
async function addRecipients(ctx: Ctx, announcementId: number, userUids: string[]): Promise<void> {
  const added = await ctx.db
    .insertInto('announcement_recipients')
    .columns(['site_id', 'announcement_id', 'user_id', 'channel', 'state'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .select([
          'users.site_id',
          sql<number>`${announcementId}::bigint`.as('announcement_id'),
          'users.id',
          sql<string>`'dashboard'`.as('channel'),
          sql<string>`'draft'`.as('state'),
        ])
        .where('users.site_id', '=', ctx.site.id)
        .where('users.erased_at', 'is', null)
        .where(sql<boolean>`users.uid = any(${userUids}::uuid[])`),
    )
    .onConflict((oc) => oc.columns(['announcement_id', 'user_id']).doNothing())
    .executeTakeFirstOrThrow()
  if (Number(added.numInsertedOrUpdatedRows) === userUids.length) return
  const sentence = 'One of the recipients does not exist.'
  throw new Invalid(sentence, { userUids: sentence })
}
