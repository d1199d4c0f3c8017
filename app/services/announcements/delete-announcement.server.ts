/** Deletes messages and brings them back, for admins. */

import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin, type SystemCtx } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { lockMessage, lockMessageOrDeleted } from './read-announcement.server.ts'

/** Deletes a message, also one that was sent: it leaves the dashboards. For thirty days it can be undone. */
export async function deleteAnnouncement(
  ctx: Ctx,
  input: { announcementUid: string },
): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const row = await lockMessage(ctx, input.announcementUid)
    if (row.sending === 'preparing' || row.sending === 'sending') {
      throw new Conflict('announcement.sending', 'This message is being sent. Stop sending it first.')
    }
    await ctx.db
      .updateTable('announcements')
      .set({
        deleted_at: ctx.now,
        deleted_by: ctx.viewer?.id ?? null,
        updated_at: ctx.now,
        // A message that comes back from the trash is not sent by surprise.
        ...(row.status === 'draft' && { sending: null, send_at: null, not_after: null }),
      })
      .where('id', '=', row.id)
      .execute()
    const { name, subject } = row.values
    await recordAudit(ctx, {
      action: 'announcement.deleted',
      entity: 'announcement',
      entityUid: row.uid,
      before: { name, subject },
    })
    return { uid: row.uid, name }
  })
}

/** Brings back a message that was deleted in the last thirty days. One that is there stays as it is. */
export async function restoreAnnouncement(
  ctx: Ctx,
  input: { announcementUid: string },
): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const row = await lockMessageOrDeleted(ctx, input.announcementUid)
    const { uid, deletedAt } = row
    const { name } = row.values
    if (deletedAt === null) return { uid, name }
    if (deletedAt <= daysAgo(ctx, restorableDays)) throw new NotFound()
    await ctx.db
      .updateTable('announcements')
      .set({ deleted_at: null, deleted_by: null, updated_at: ctx.now })
      .where('id', '=', row.id)
      .execute()
    await recordAudit(ctx, { action: 'announcement.restored', entity: 'announcement', entityUid: uid, after: { name } })
    return { uid, name }
  })
}

/** The job: deletes messages that can no longer be brought back, with their recipients. */
export async function purgeDeletedAnnouncements(ctx: SystemCtx): Promise<void> {
  await ctx.db.deleteFrom('announcements').where('deleted_at', '<=', daysAgo(ctx, restorableDays)).execute()
}
