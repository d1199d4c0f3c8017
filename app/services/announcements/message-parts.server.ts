/** The files of a message: the attachment, and the pictures in its text. */
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { fileIdOf } from '../storage/files.server.ts'
import { getUploadedFile } from '../uploads/uploads.server.ts'

/** Attaches an upload of the viewer, or removes the attachment. `isFromHistory`: the message had the file before. */
export async function setAttachment(
  ctx: Ctx,
  {
    announcementId,
    name,
    isFromHistory = false,
  }: { announcementId: number; name: string | null; isFromHistory?: boolean },
): Promise<void> {
  const uid =
    name === null
      ? null
      : (await getUploadedFile(ctx, { name, kind: 'attachment', field: 'attachment', isFromHistory })).uid
  await ctx.db
    .updateTable('announcements')
    .set({ attachment_file_id: uid === null ? null : fileIdOf(ctx, uid) })
    .where('id', '=', announcementId)
    .execute()
}

/** Attaches what another message has, whoever uploaded it. */
export async function copyFiles(ctx: Ctx, from: number, to: number): Promise<void> {
  await sql`
    update announcements set attachment_file_id = (select attachment_file_id from announcements where id = ${from})
    where id = ${to}`.execute(ctx.db)
}

/** Keeps the uploaded pictures in the text as long as the message. */
export async function setImages(ctx: Ctx, announcementId: number, text: string): Promise<void> {
  const uids = [...text.matchAll(/\/images\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.webp/g)].map(
    ([, uid]) => uid,
  )
  await ctx.db.deleteFrom('announcement_files').where('announcement_id', '=', announcementId).execute()
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
