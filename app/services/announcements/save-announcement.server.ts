/**
 * Writes messages before they are sent, for admins: creates, changes and duplicates them, and hands them to sending. Two people who edit the same message are merged. A message that has been sent is never changed.
 */
import { sql } from 'kysely'
import { brands } from '~/config/brands.ts'
import { deliveryLabels, type MessageValues, messageForm, messageLimits } from '~/forms/announcements.ts'
import { type RecipientStep, recipientStep } from '~/forms/recipients.ts'
import { excerptOf } from '~/lib/markdown.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { authorColumns, type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Invalid } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { ChangedMeanwhile, changedFields, mergeSave, pickFields } from '../revisions.ts'
import { keepReplacedFiles } from '../storage/sweep.server.ts'
import { filtersOf } from './message-filters.ts'
import { copyFiles, setAttachment, setImages } from './message-parts.server.ts'
import type { Sending } from './read-announcement.server.ts'
import {
  getEditable,
  isEditable,
  lockMessage,
  lockMessageOrDeleted,
  type MessageRow,
  ReviewOutdated,
  requireShownTimes,
  timesKeyOf,
} from './read-announcement.server.ts'
import { getRecipientChoice, takeRecipientChoice } from './recipient-choice.server.ts'
import { applySteps, findRecipientsProblem, fitRecipients, forgetUncounted } from './save-recipients.server.ts'
import { requireKnownPlaceholders, requireRecipients, sendSaved, timesOf } from './send-saved.server.ts'

/** What a save can change. What is missing stays as it is. */
export type MessageInput = Partial<Record<keyof MessageValues, unknown>> & {
  /** Changes of the recipients, in their order. */
  recipients?: RecipientStep[]
  /** The viewer's own choice of recipients, whose steps come after these. It ends with the save. */
  choiceUid?: string
  /** Who was ticked and not added, and the filters: what step 2 shows when it is opened again (C-127). */
  selectedUserUids?: string[]
  filters?: unknown
  /** Sends the message after the save: now, or at a time of the site. */
  send?: { when: string; sendAt?: unknown; notAfter?: unknown }
  /** The key of when the message was to go out, as it was shown. A form that shows another time saves nothing. */
  shownTimes?: string
  /**
   * The key of the recipients, as the review has shown them. A form that shows others neither sends the message nor saves
   * into a scheduled one. Whoever is not among them does not get the message, even if they come back.
   */
  shownRecipients?: string
}

export type SavedMessage = {
  uid: string
  name: string
  sending: Sending | null
  keptOfOthers: (keyof MessageValues)[]
  /** The request was repeated, and the message has taken what was typed since the first one. */
  isUpdated?: boolean
  /** How many people were removed, because they have opted out of emails (C-049). */
  optedOut: number
}

/** The name that messages are from unless the sender chooses another one (C-044). */
export function defaultSender({ site }: Pick<Ctx, 'site'>): string {
  return site.senderName ?? brands[site.key].name
}

/**
 * Creates a message, which is a draft unless it is sent at once. With a `uid` made by the client, a repeated request
 * creates only one. What its author has typed since the first request, whose answer was lost, is saved as a change of
 * it. Throws UidTaken if that can no longer be done, or if a draft was wanted and the message is sent.
 */
export async function createAnnouncement(
  ctx: Ctx,
  input: MessageInput & { uid?: string; copyOf?: string },
): Promise<SavedMessage> {
  requireAdmin(ctx, 'write')
  const uid = newUid(input.uid)
  const usual = { deliveryType: 'dashboard', from: defaultSender(ctx) }
  const values = parseInput(messageForm, { ...usual, ...withoutUndefined(input) })
  return inTransaction(ctx, async (ctx) => {
    const { author_id, author_name } = authorColumns(ctx)
    const made = await ctx.db
      .insertInto('announcements')
      .values({
        uid,
        site_id: ctx.site.id,
        ...textColumns(values),
        status: 'draft',
        author_id,
        author_name: author_name.slice(0, messageLimits.from),
        created_at: ctx.now,
        updated_at: ctx.now,
      })
      .onConflict((oc) => oc.column('uid').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) return repeatCreate(ctx, uid, { ...input, ...values })
    const changes = await withChoice(ctx, input)
    if (input.copyOf) await copyParts(ctx, input.copyOf, made.id, values)
    else if (values.attachment !== null) await setAttachment(ctx, { announcementId: made.id, name: values.attachment })
    await setImages(ctx, made.id, values.text)
    await recordAudit(ctx, {
      action: 'announcement.created',
      entity: 'announcement',
      entityUid: uid,
      after: { ...values, revision: 0 },
    })
    const row = await getEditable(ctx, uid)
    return { ...(await finish(ctx, row, values, changes)), keptOfOthers: [] }
  })
}

/** Adds the steps of the choice, once the message is locked: a repeated request finds none. */
async function withChoice(ctx: Ctx, input: MessageInput): Promise<MessageInput> {
  if (!input.choiceUid) return input
  const steps = await takeRecipientChoice(ctx, { choiceUid: input.choiceUid })
  return { ...input, recipients: [...(input.recipients ?? []), ...steps] }
}

/**
 * A new message has the uid of one that can no longer be saved. `isOwn`: the viewer has created that one. `asksForMore`:
 * the request says or does something that it has not.
 */
export class UidTaken extends Conflict {
  readonly isOwn: boolean
  readonly asksForMore: boolean
  constructor(sentence: string, { isOwn, asksForMore = true }: { isOwn: boolean; asksForMore?: boolean }) {
    super('announcement.uid_taken', sentence)
    this.isOwn = isOwn
    this.asksForMore = asksForMore
  }
}

/** The message of the first request takes what has changed since; one that the first request has sent stays as it is. */
async function repeatCreate(ctx: Ctx, uid: string, input: MessageInput & MessageValues): Promise<SavedMessage> {
  const own = await ctx.db
    .selectFrom('announcements')
    .select('id')
    .where('uid', '=', uid)
    .where('site_id', '=', ctx.site.id)
    .where('author_id', 'is not distinct from', authorColumns(ctx).author_id)
    .executeTakeFirst()
  if (!own) throw new UidTaken('This form has been used before.', { isOwn: false })
  const row = await lockMessageOrDeleted(ctx, uid)
  const { name } = row.values
  if (row.deletedAt !== null) throw new UidTaken(`“${name}” has been deleted.`, { isOwn: true })
  const chosen = await getRecipientChoice(ctx, { choiceUid: input.choiceUid ?? '' })
  const isChanged = chosen.length > 0 || changedFields(row.values, input).length > 0
  if (isEditable(row) && row.sending === null) {
    const saved = await updateAnnouncement(ctx, { ...input, announcementUid: uid, revision: 0 }).catch((error) => {
      throw error instanceof ChangedMeanwhile || error instanceof ReviewOutdated
        ? new UidTaken(`“${name}” has been changed since.`, { isOwn: true })
        : error
    })
    return { ...saved, isUpdated: isChanged }
  }
  // The first request has sent it, or given it a time. A repetition asks for the same.
  const isOtherTime =
    isEditable(row) &&
    input.send &&
    timesKeyOf({ sending: 'scheduled', ...timesOf(ctx, input.send) }) !== timesKeyOf({ ...row, sending: 'scheduled' })
  if (!input.send || isOtherTime || isChanged) {
    const what = isEditable(row)
      ? row.sending === 'late'
        ? 'is late'
        : 'has been scheduled'
      : row.status === 'sent'
        ? 'has already been sent'
        : 'is being sent already'
    throw new UidTaken(`“${name}” ${what}.`, { isOwn: true, asksForMore: isChanged || input.send !== undefined })
  }
  return { uid, name, sending: row.sending, keptOfOthers: [], optedOut: 0 }
}

/**
 * Changes a message that is not sent. With the `revision` at which a form was opened, the change is merged with what
 * others have saved since (ChangedMeanwhile). People who are added or removed by two people at once are added or removed.
 * A message is sent only by a form that shows what others have saved: otherwise it throws ChangedMeanwhile or
 * ReviewOutdated.
 */
export async function updateAnnouncement(
  ctx: Ctx,
  input: MessageInput & { announcementUid: string; revision?: number },
): Promise<SavedMessage> {
  requireAdmin(ctx, 'write')
  const mine = parseInput(messageForm.partial(), withoutUndefined(input)) as Partial<MessageValues>
  const given = pickFields(
    mine,
    (Object.keys(mine) as (keyof MessageValues)[]).filter((field) => input[field] !== undefined),
  )
  return inTransaction(ctx, async (ctx) => {
    const row = await getEditable(ctx, input.announcementUid)
    if (!input.send) requireShownTimes(ctx, row, { shown: input.shownTimes, advice: 'Check the time, and save again.' })
    const all = await withChoice(ctx, input)
    const { values: state, revision } = row
    const { changes, keptOfOthers } = await mergeSave<MessageValues>(ctx, {
      entity: 'announcement',
      entityUid: row.uid,
      subject: 'this message',
      now: { state, revision },
      revision: input.revision,
      mine: given,
      describe: describeField,
      otherProblem: await findRecipientsProblem(ctx, row, all),
      // Both show to whom the message goes in which way, so they must show what others have saved.
      isSending: input.send !== undefined || (row.sending === 'scheduled' && input.shownRecipients !== undefined),
    })
    return { ...(await writeChanges(ctx, row, { changes, input: all })), keptOfOthers }
  })
}

type Changes = { changes: Partial<MessageValues>; input?: MessageInput; isRestore?: boolean }

/** Writes what changes of a message that is locked. With `isRestore`, an attachment may be somebody else's upload. */
export async function writeChanges(
  ctx: Ctx,
  row: MessageRow,
  { changes, input = {}, isRestore = false }: Changes,
): Promise<Omit<SavedMessage, 'keptOfOthers'>> {
  requireAdmin(ctx, 'write')
  const { values: state, revision } = row
  const fields = changedFields(state, changes)
  const next = { ...state, ...changes }
  if (fields.length > 0) {
    await ctx.db
      .updateTable('announcements')
      .set({ ...textColumns(next), revision: revision + 1, updated_at: ctx.now })
      .where('id', '=', row.id)
      .execute()
    if (fields.includes('attachment')) {
      await keepReplacedFiles(ctx, [state.attachment])
      await setAttachment(ctx, { announcementId: row.id, name: next.attachment, isFromHistory: isRestore })
    }
    if (fields.includes('text')) await setImages(ctx, row.id, next.text)
    await recordAudit(ctx, {
      action: isRestore ? 'announcement.revision_restored' : 'announcement.updated',
      entity: 'announcement',
      entityUid: row.uid,
      before: pickFields(state, fields),
      after: { ...changes, revision: revision + 1 },
    })
  }
  return finish(ctx, { ...row, revision: revision + (fields.length > 0 ? 1 : 0) }, next, input)
}

/** Writes the recipients and what step 2 showed, and sends the message if it is to be sent. */
async function finish(
  ctx: Ctx,
  row: MessageRow,
  values: MessageValues,
  input: MessageInput,
): Promise<Omit<SavedMessage, 'keptOfOthers'>> {
  const { id, uid } = row
  const { deliveryType } = values
  const steps = (input.recipients ?? []).map(stepOf)
  const before = await countStored(ctx, id)
  const isChanged = await applySteps(ctx, { id, deliveryType }, steps)
  const optedOut = await fitRecipients(ctx, { id, deliveryType })
  const isWaiting = !input.send && row.sending === 'scheduled'
  const isCounted = input.send
    ? timesOf(ctx, input.send).sendAt !== null
    : isWaiting && input.shownRecipients !== undefined
  const uncounted = isCounted ? await forgetUncounted(ctx, { id, deliveryType }) : 0
  if (isWaiting) {
    requireKnownPlaceholders(values)
    if (isCounted || isChanged || optedOut > 0) {
      const { shownRecipients: shown } = input
      await requireRecipients(ctx, { id, deliveryType, shown, advice: 'Check them, and save again.' })
    }
  }
  if (isChanged || optedOut + uncounted > 0) {
    const revision = row.revision + 1
    await sql`update announcements set revision = ${revision}, updated_at = ${ctx.now} where id = ${id}`.execute(ctx.db)
    await recordAudit(ctx, {
      action: 'announcement.recipients_changed',
      entity: 'announcement',
      entityUid: uid,
      before: { recipients: before },
      after: { recipients: await countStored(ctx, id), revision },
    })
  }
  await writeView(ctx, id, input)
  const sending = input.send ? await sendSaved(ctx, row, values, { ...input, ...input.send }) : row.sending
  return { uid, name: values.name, sending, optedOut }
}

async function countStored(ctx: Ctx, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from announcement_recipients where announcement_id = ${id} and state = 'draft')::int
      as count`.execute(ctx.db)
  return rows[0]?.count ?? 0
}

/** Names the field that forms and programs have. */
function stepOf(step: RecipientStep): RecipientStep {
  try {
    return parseInput(recipientStep, step)
  } catch (error) {
    throw error instanceof Invalid ? new Invalid(error.message, { recipients: error.message }) : error
  }
}

async function writeView(ctx: Ctx, id: number, { selectedUserUids, filters }: MessageInput): Promise<void> {
  if (selectedUserUids === undefined && filters === undefined) return
  const uids = [...new Set((selectedUserUids ?? []).map((uid) => uid.toLowerCase()))].filter(isUid).slice(0, 10_000)
  await ctx.db
    .updateTable('announcements')
    .set({
      ...(selectedUserUids !== undefined && { selected_user_uids: uids }),
      ...(filters !== undefined && { filters: JSON.stringify(filtersOf(filters)) }),
    })
    .where('id', '=', id)
    .execute()
}

/** Makes a draft "Copy of {name}" of a message, with its text, files and recipients, and with no time (C-152). */
export async function duplicateAnnouncement(
  ctx: Ctx,
  input: { announcementUid: string; uid?: string },
): Promise<SavedMessage> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const row = await lockMessage(ctx, input.announcementUid)
    return createAnnouncement(ctx, { ...copyOf(row.values), uid: input.uid, copyOf: row.uid })
  })
}

/** The values of a copy. A long name loses its end. */
export function copyOf(values: MessageValues): MessageValues {
  return { ...values, name: [...`Copy of ${values.name}`].slice(0, messageLimits.name).join('').trim() }
}

/**
 * Takes over the attachment, if the copy still has it, and the recipients, also those whom the message was sent to. The
 * original may have been deleted since.
 */
async function copyParts(ctx: Ctx, uid: string, id: number, values: MessageValues): Promise<void> {
  const original = await lockMessageOrDeleted(ctx, uid)
  if (values.attachment !== null && values.attachment === original.values.attachment) {
    await copyFiles(ctx, original.id, id)
  } else if (values.attachment !== null) await setAttachment(ctx, { announcementId: id, name: values.attachment })
  await sql`
    insert into announcement_recipients (site_id, announcement_id, user_id, channel, state)
    select r.site_id, ${id}, r.user_id, ${values.deliveryType}, 'draft'
    from announcement_recipients r join users on users.id = r.user_id
    where r.announcement_id = ${original.id} and users.erased_at is null
    order by r.user_id`.execute(ctx.db)
  // The people of the audiences of a sent message are among its recipients.
  if (original.status === 'sent') return
  await sql`
    insert into announcement_audiences (site_id, announcement_id, audience_id)
    select site_id, ${id}, audience_id from announcement_audiences where announcement_id = ${original.id}`.execute(
    ctx.db,
  )
}

function textColumns({ name, subject, text, deliveryType, from }: MessageValues) {
  return { name, subject, text, delivery_type: deliveryType, from_field: from }
}

function withoutUndefined(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}

function describeField(field: keyof MessageValues, now: MessageValues): string {
  if (field === 'text') return `It now begins with “${excerptOf(now.text, 80)}”.`
  if (field === 'deliveryType') return `It is now “${deliveryLabels[now.deliveryType]}”.`
  if (field === 'attachment') return now.attachment === null ? 'There is no file now.' : 'It is another file now.'
  return `It is now “${now[field]}”.`
}
