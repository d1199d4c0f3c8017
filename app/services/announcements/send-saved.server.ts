/** Sends a message that was just saved, or gives it a time. */
import { sql } from 'kysely'
import { type MessageValues, sendForm } from '~/forms/announcements.ts'
import { noRecipients } from '~/forms/recipients.ts'
import { unknownPlaceholderProblem, unknownPlaceholders } from '~/lib/placeholders.ts'
import { recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import {
  type MessageRow,
  ReviewOutdated,
  requireShownTimes,
  type Sending,
  timesKeyOf,
} from './read-announcement.server.ts'
import { countSet, findAudiences, recipientsKeyOf, storedAudiences } from './save-recipients.server.ts'
import { startSending } from './start-sending.server.ts'

type Times = { when: string; sendAt?: unknown; notAfter?: unknown }

/** Checks that the message can be sent, and starts sending. One that is scheduled or late gets the new time. */
export async function sendSaved(
  ctx: Ctx,
  row: MessageRow,
  values: MessageValues,
  input: Times & { shownRecipients?: string; shownTimes?: string },
): Promise<Sending> {
  const { id, uid } = row
  const { sendAt, notAfter } = timesOf(ctx, input)
  requireKnownPlaceholders(values)
  const { total } = await requireRecipients(ctx, {
    id,
    deliveryType: values.deliveryType,
    isNow: !sendAt,
    shown: input.shownRecipients,
    advice: 'Check them, and send again.',
  })
  // A repeated request asks for the time that the message has.
  const isRepeated = sendAt && timesKeyOf({ sending: 'scheduled', sendAt, notAfter }) === timesKeyOf(row)
  if (!isRepeated) {
    requireShownTimes(ctx, row, { shown: input.shownTimes, advice: 'Check the time, and send again.' })
  }
  await sql`
    update announcements set sending = null, send_at = null, not_after = null
    where id = ${id} and sending in ('scheduled', 'late')`.execute(ctx.db)
  const { sending } = await startSending(ctx, { announcementId: id, sendAt, notAfter })
  await recordAudit(ctx, {
    action: sendAt ? 'announcement.scheduled' : 'announcement.sent',
    entity: 'announcement',
    entityUid: uid,
    after: { recipients: total, ...(sendAt && { sendAt }), ...(notAfter && { notAfter }) },
  })
  return sending
}

type Counted = {
  id: number
  deliveryType: MessageValues['deliveryType']
  isNow?: boolean
  /** The key of the recipients that a review has shown; undefined for programs. */
  shown?: string
  /** Ends the sentence for a review that has shown others. */
  advice: string
}

/**
 * Counts the recipients of a message. Refuses one that would reach nobody, although an audience may be empty until it is
 * sent. Throws ReviewOutdated if the review has shown others.
 */
export async function requireRecipients(
  ctx: Ctx,
  { id, deliveryType, isNow = false, shown, advice }: Counted,
): Promise<{ total: number }> {
  const audiences = await findAudiences(ctx, await storedAudiences(ctx, id))
  const set = { announcementId: id, deliveryType, steps: [] }
  const { total } = await countSet(ctx, set, audiences)
  if (total === 0 && (isNow || audiences.length === 0)) throw new Invalid(noRecipients, { recipients: noRecipients })
  if (shown !== undefined && shown !== (await recipientsKeyOf(ctx, set, audiences))) {
    const sentence = `The recipients have changed since you were shown them. ${advice}`
    throw new ReviewOutdated('announcement.recipients_changed', sentence)
  }
  return { total }
}

/** Refuses what stands in two braces and is no placeholder. */
export function requireKnownPlaceholders({ subject, text }: Pick<MessageValues, 'subject' | 'text'>): void {
  const unknown = unknownPlaceholders(`${subject}\n${text}`)
  if (unknown.length === 0) return
  const problem = unknownPlaceholderProblem(unknown)
  throw new Invalid(problem, { [unknownPlaceholders(subject).length > 0 ? 'subject' : 'text']: problem })
}

export function timesOf(ctx: Ctx, { when, sendAt, notAfter }: Times) {
  const form = sendForm({ timeZone: ctx.site.timeZone, now: ctx.now })
  return parseInput(form, { when, sendAt: asText(sendAt), notAfter: asText(notAfter) })
}

function asText(moment: unknown): unknown {
  return moment instanceof Date ? moment.toISOString() : moment
}
