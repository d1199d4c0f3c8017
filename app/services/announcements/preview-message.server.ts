/** A message as an email before it is sent, with the viewer's own values in the placeholders. */
import type { MessageValues } from '~/forms/announcements.ts'
import type { PlaceholderValues } from '~/lib/placeholders.ts'
import { tidyLine, tidyText } from '~/lib/text.ts'
import { type Ctx, requireAdmin, requireViewer } from '../context.ts'
import { unsubscribeUrlOf } from '../mail/letter.ts'
import { getUser } from '../users/users.server.ts'
import { writeMessage } from './message-letter.ts'

type Written = Pick<MessageValues, 'subject' | 'text' | 'from'>

/** What the viewer has for each placeholder. */
export async function getOwnPlaceholders(ctx: Ctx): Promise<PlaceholderValues> {
  const { uid } = requireViewer(ctx)
  const { firstName, universityName } = await getUser(ctx, { userUid: uid })
  return { 'first name': firstName, institution: universityName }
}

/**
 * Writes what the sender would write, saved or not, and counts nothing. Nothing is checked, as in the preview for
 * dashboards. Each mail has its own link to unsubscribe, and here it belongs to no mail.
 */
export async function previewAsEmail(
  ctx: Ctx,
  { subject, text, from }: Written,
): Promise<{ subject: string; html: string; text: string }> {
  requireAdmin(ctx)
  const { firstName, lastName, email } = requireViewer(ctx)
  const message = { subject: tidyLine(subject), text: tidyText(text), from, attachments: [] }
  const mail = writeMessage(
    ctx.site,
    message,
  )({
    name: `${firstName} ${lastName}`.trim(),
    address: email,
    values: await getOwnPlaceholders(ctx),
    unsubscribeUrl: unsubscribeUrlOf(ctx.site, ofNoMail),
  })
  return { subject: mail.subject, html: mail.html, text: mail.text }
}

const ofNoMail = '00000000-0000-0000-0000-000000000000'
