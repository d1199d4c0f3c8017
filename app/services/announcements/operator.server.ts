/** A message to dashboards by whoever owns the installation, for seeds: one transaction, by the rules of the form. Safe to repeat. */
import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { type AnnouncementValues, announcementForm } from '~/forms/announcements.ts'
import { linksOf } from '~/lib/markdown.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import { createStoredFile, discardFile, type ReceivedFile } from '../storage/files.server.ts'
import { receiveCheckedFile } from '../uploads/uploads.server.ts'

export type OperatorAnnouncement = Omit<AnnouncementValues, 'name'> & {
  /** Decides whether the message is there already; then nothing of it is changed, and nobody gets it twice. */
  uid: string
  /** What lists of the console call it; the subject, unless it is given. */
  name?: string
  attachment?: { fileName: string; source: Readable }
}

/** More than this an address of a link is not recorded; it stays as it is. */
const longestLink = 2000

export async function sendDashboardAnnouncementAsOperator(
  ctx: Ctx,
  input: OperatorAnnouncement,
): Promise<{ announcementUid: string; isNew: boolean }> {
  const { uid: announcementUid, attachment } = input
  const values = parseInput(announcementForm, { ...input, name: input.name ?? input.subject })
  const file = attachment ? await receiveCheckedFile({ kind: 'attachment', ...attachment }) : null
  try {
    const isNew = await inTransaction(ctx, (ctx) => send(ctx, announcementUid, values, file))
    if (file && !isNew) await discardFile(file)
    return { announcementUid, isNew }
  } catch (error) {
    if (file) await discardFile(file)
    throw error
  }
}

/** False when it was there already. */
async function send(ctx: Ctx, uid: string, values: AnnouncementValues, file: ReceivedFile | null): Promise<boolean> {
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
      status: 'sent',
      sent_at: ctx.now,
      selected_user_uids: values.userUids,
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!announcement) return false
  if (file) await attach(ctx, announcement.id, file)
  await keepImages(ctx, announcement.id, values.text)
  await keepLinks(ctx, announcement.id, values.text)
  await deliver(ctx, announcement.id, values.userUids)
  const { userUids, ...after } = values
  await recordAudit(ctx, {
    action: 'announcement.sent',
    entity: 'announcement',
    entityUid: uid,
    after: { ...after, recipients: userUids.length },
  })
  return true
}

/** All or none: somebody who is not there is a mistake of the sender. */
async function deliver(ctx: Ctx, announcementId: number, userUids: string[]): Promise<void> {
  const delivered = await ctx.db
    .insertInto('announcement_recipients')
    .columns(['site_id', 'announcement_id', 'user_id', 'channel', 'state', 'sent_at'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .select([
          'users.site_id',
          sql<number>`${announcementId}::bigint`.as('announcement_id'),
          'users.id',
          sql<string>`'dashboard'`.as('channel'),
          sql<string>`'sent'`.as('state'),
          sql<Date>`${ctx.now}::timestamptz`.as('sent_at'),
        ])
        .where('users.site_id', '=', ctx.site.id)
        .where('users.erased_at', 'is', null)
        .where(sql<boolean>`users.uid = any(${userUids}::uuid[])`),
    )
    .onConflict((oc) => oc.columns(['announcement_id', 'user_id']).doNothing())
    .executeTakeFirstOrThrow()
  if (Number(delivered.numInsertedOrUpdatedRows) === userUids.length) return
  const sentence = 'One of the recipients does not exist.'
  throw new Invalid(sentence, { userUids: sentence })
}

async function attach(ctx: Ctx, announcementId: number, file: ReceivedFile): Promise<void> {
  const { uid } = await createStoredFile(ctx, file)
  await ctx.db
    .updateTable('announcements')
    .set((eb) => ({ attachment_file_id: eb.selectFrom('stored_files').select('id').where('uid', '=', uid) }))
    .where('id', '=', announcementId)
    .execute()
}

/** A mail's own protocol leads nowhere that could be counted. */
async function keepLinks(ctx: Ctx, announcementId: number, text: string): Promise<void> {
  const urls = linksOf(text).filter((url) => /^https?:/i.test(url) && url.length <= longestLink)
  if (urls.length === 0) return
  await ctx.db
    .insertInto('announcement_links')
    .values(urls.map((url) => ({ announcement_id: announcementId, url })))
    .execute()
}

/** Pictures of ours in the text stay as long as the message. */
async function keepImages(ctx: Ctx, announcementId: number, text: string): Promise<void> {
  const uids = [...text.matchAll(/\/images\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.webp/g)].map(
    ([, uid]) => uid,
  )
  if (uids.length === 0) return
  await ctx.db
    .insertInto('announcement_files')
    .columns(['site_id', 'announcement_id', 'file_id'])
    .expression((eb) =>
      eb
        .selectFrom('stored_files')
        .select([
          'stored_files.site_id',
          sql<number>`${announcementId}::bigint`.as('announcement_id'),
          'stored_files.id',
        ])
        .where('stored_files.site_id', '=', ctx.site.id)
        .where(sql<boolean>`stored_files.uid = any(${uids}::uuid[])`)
        .where('stored_files.original_id', 'is not', null),
    )
    .execute()
}
