/**
 * Tests: an admin gets a message in their own mailbox, saved or not. A test is no message: it has no recipients and
 * counts nowhere. Jobs carry only ids, so what it says is kept as a draft of its author until it is sent.
 */

import { sql } from 'kysely'
import { type TestValues, testForm } from '~/forms/announcements.ts'
import { draftKeyOf } from '~/forms/draft-fields.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, isAdmin, requireAdmin, requireViewer, type Viewer } from '../context.ts'
import { deleteDraft, findDraft, keepDraft } from '../drafts/drafts.server.ts'
import { Conflict, NotFound, Unavailable } from '../errors.ts'
import { parseInput } from '../input.ts'
import { countAttempts } from '../limits/limits.server.ts'
import { isDeliverable, isSuppressed } from '../mail/addresses.server.ts'
import { unsubscribeUrlOf } from '../mail/letter.ts'
import { sendMail } from '../mail/send-mail.server.ts'
import { queue } from '../queue/queue.server.ts'
import { findViewer } from '../sessions/sessions.server.ts'
import { getUploadedFile } from '../uploads/uploads.server.ts'
import { writeMessage } from './message-letter.ts'
import { getOwnPlaceholders } from './preview-message.server.ts'
import { attachmentsOf } from './send-messages.server.ts'
import { requireKnownPlaceholders } from './send-saved.server.ts'

/** How many tests somebody may send to themselves within an hour. */
const mostTests = 30
const hourSeconds = 3600

/**
 * Sends what is typed to the admin who asks for it, and returns the address. `requestUid` is made by the client, so that
 * a double click sends one and counts as one.
 */
export async function sendTestToSelf(
  ctx: Ctx,
  input: { requestUid: string } & Record<keyof TestValues, unknown>,
): Promise<{ address: string }> {
  requireAdmin(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  if (!isUid(input.requestUid)) throw new NotFound()
  const requestUid = input.requestUid.toLowerCase()
  const values = parseInput(testForm, input)
  requireKnownPlaceholders(values)
  await requireOwnMailbox(ctx, viewer)
  await inTransaction(ctx, async (ctx) => {
    // Also the lock for a second request with this uid, which waits here until the first one is committed.
    const [times = 0] = await countAttempts(ctx, [`message-test-request:${viewer.uid}:${requestUid}`], hourSeconds)
    if (times > 1) return
    const [count = 0] = await countAttempts(ctx, [`message-test:${viewer.uid}`], hourSeconds)
    if (count > mostTests) throw new Unavailable('You have sent many tests. Please try again in an hour.', hourSeconds)
    const { attachment } = values
    // Admins may open all attachments of the site, so it need not be their own upload.
    if (attachment !== null) {
      await getUploadedFile(ctx, { name: attachment, kind: 'attachment', field: 'attachment', isFromHistory: true })
    }
    await keepDraft(ctx, {
      formKey: keyOf(requestUid),
      fields: Object.entries({ ...values, attachment: attachment ?? '' }),
      typedAt: ctx.now.getTime(),
    })
    await queue(ctx, 'send-test-message', { userUid: viewer.uid, requestUid }, { key: `test-message:${requestUid}` })
  })
  return { address: viewer.email }
}

/** A test that would not arrive is refused at once, because whoever asks for it waits for it. */
async function requireOwnMailbox(ctx: Ctx, { id, email }: Viewer): Promise<void> {
  const { rows } = await sql<{ isDeliverable: boolean; isSuppressed: boolean }>`
    select ${isDeliverable(sql`email`)} as "isDeliverable", ${isSuppressed(ctx, sql`email_key`)} as "isSuppressed"
    from users where id = ${id}`.execute(ctx.db)
  const [own] = rows
  if (!own?.isDeliverable) throw new Conflict('mail.no_address', 'Your account has no address that can get emails.')
  if (!own.isSuppressed) return
  throw new Conflict('mail.suppressed', `${email} gets no emails, because it is a suppressed address.`)
}

function keyOf(requestUid: string): string {
  return draftKeyOf('test', { uid: requestUid, isNew: false })
}

/** Job: sends the test, once however often it runs. Whoever is no longer an admin gets none. */
export async function sendTestMessage(ctx: Ctx, input: { userUid: string; requestUid: string }): Promise<void> {
  const { userUid, requestUid } = input
  const viewer = await findViewer(ctx, { userUid })
  if (!viewer || !isAdmin(viewer)) return
  const own = { ...ctx, viewer }
  const draft = await findDraft(own, { formKey: keyOf(requestUid) })
  const values = testForm.safeParse(Object.fromEntries(draft?.fields ?? [])).data
  if (!values) return
  const [attachments, placeholders] = await Promise.all([
    attachmentsOf(await findFile(ctx, values.attachment)),
    getOwnPlaceholders(own),
  ])
  const write = writeMessage(ctx.site, { ...values, subject: `[Test] ${values.subject}`, attachments })
  await sendMail(ctx, {
    kind: 'test',
    source: `test:${requestUid}`,
    userUid,
    write: ({ token }) =>
      write({
        name: `${viewer.firstName} ${viewer.lastName}`.trim(),
        address: viewer.email,
        values: placeholders,
        unsubscribeUrl: unsubscribeUrlOf(ctx.site, token),
      }),
  })
  await deleteDraft(own, { formKey: keyOf(requestUid) })
}

async function findFile(ctx: Ctx, name: string | null) {
  const row = await ctx.db
    .selectFrom('stored_files')
    .select(['original_file_name as fileName', 'content_type as contentType', 'storage_key as storageKey'])
    .where('site_id', '=', ctx.site.id)
    .where('kind', '=', 'attachment')
    .where('name', '=', name ?? '')
    .executeTakeFirst()
  return row ?? { fileName: null, contentType: null, storageKey: null }
}
