/** The buttons of the dialog that writes a message: steps, preview, test, schedule, save and send. */
import { createHash, randomUUID } from 'node:crypto'
import { type ActionFunctionArgs, data, redirect } from '@remix-run/node'
import type { PreviewedMessage } from '~/components/console/messages/view.ts'
import { messageForm, messageFormId, messageSteps, messageStepsForm, messageTexts } from '~/forms/announcements.ts'
import {
  type DraftFields,
  discardDraft,
  draftKeyOf,
  isKeptInDrafts,
  offeredAtField,
  offeredKeyField,
  restoreDraft,
  typedAtField,
} from '~/forms/draft-fields.ts'
import { exitIntent, goOnIntent, testIntent, unscheduleIntent, watchIntent } from '~/forms/intents.ts'
import { readRecipientFilters, recipientsTable } from '~/forms/recipients.ts'
import { nextStep, previousStep, stepField } from '~/forms/steps.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { answerStep } from '~/http/form-steps.server.ts'
import { refusalOf, revisionIn, text } from '~/http/respond.server.ts'
import { type TableQuery, tableSearch, writeTableQuery } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { getOwnPlaceholders, previewAsEmail } from '~/services/announcements/preview-message.server.ts'
import {
  getAnnouncementToEdit,
  isEditable,
  listTakenUids,
  type MessageToEdit,
} from '~/services/announcements/read-announcement.server.ts'
import { copyRecipientChoice, getRecipientChoice } from '~/services/announcements/recipient-choice.server.ts'
import {
  createAnnouncement,
  type MessageInput,
  type SavedMessage,
  UidTaken,
  updateAnnouncement,
} from '~/services/announcements/save-announcement.server.ts'
import { RecipientsChanged } from '~/services/announcements/save-recipients.server.ts'
import { sendTestToSelf } from '~/services/announcements/send-test.server.ts'
import { cancelSchedule } from '~/services/announcements/start-sending.server.ts'
import type { Ctx } from '~/services/context.ts'
import { type Draft, deleteDraft, findDraft, keepDraft } from '~/services/drafts/drafts.server.ts'
import { Conflict, Invalid, NotFound, ServiceError } from '~/services/errors.ts'
import { answerSave, fileInputs, keptInWords } from './content-forms.server.ts'
import { answerDraft, draftGone, draftIn, endDraft, timeIn } from './form-drafts.server.ts'
import { findEndedForms, hasFormEnded, previewOf, startValues } from './message-dialog.server.ts'

const list = '/dashboard/messages/'

/** Answers the buttons of the dialog, of a new message or an existing one. */
export async function answerMessageDialog(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, uid: string | null) {
  const intent = text(form, 'intent')
  const message = uid && (await getAnnouncementToEdit(ctx, { announcementUid: uid, withDeleted: true }))
  if (message && intent !== discardDraft && isTooLate(message)) return answerTooLate(args, ctx, form, message)
  const discarded = intent === discardDraft ? await findDraft(ctx, { formKey: text(form, offeredKeyField) }) : null
  const offered = await answerDraft(args, ctx, form)
  // The page of a deleted message is gone with its draft.
  if (message && message.deletedAt !== null) return redirect(list + ownSearch(args))
  if (discarded && offered instanceof Response) return withoutChoiceOf(discarded, offered)
  if (offered) return offered
  // It can be changed again, so its page offers what was typed.
  if (message && intent === goOnIntent) return redirect(`${list}${uid}/${ownSearch(args)}`)
  if (intent === watchIntent) return answerPreview(args, ctx, form, null)
  if (intent === testIntent) return answerPreview(args, ctx, form, await sendTest(ctx, form))
  if (intent === unscheduleIntent && uid !== null) return unschedule(args, ctx, form, uid)
  if (intent === exitIntent) return data(await refusalOf(ctx, args.context.exchange, form, { message: '' }))
  if (uid === null && (intent === nextStep || intent === previousStep)) {
    const saved = await findMessage(ctx, text(form, 'uid'))
    if (saved) return answerSaved(args, ctx, form, saved)
  }
  const schema = messageStepsForm({ timeZone: ctx.site.timeZone, now: ctx.now })
  const step = await answerStep(args, ctx, form, {
    steps: messageSteps,
    schema,
    saveDraft: () => keepSteps(args, ctx, form, uid),
  })
  if (step) return step
  if (intent !== 'save' && intent !== 'send') throw new Invalid('Please press one of the buttons.')
  const input = inputOf(form)
  const answer = uid === null ? create(args, ctx, form, input) : update(args, ctx, form, input, uid)
  return answer.catch((error: unknown) => refuseReview(args, ctx, form, uid, error))
}

/**
 * The review is made of the draft, so what was sent from it is kept before it is refused: the page then shows what its button
 * sends, whatever was typed in another window. If the recipients have changed, the review is opened again.
 */
async function refuseReview(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  uid: string | null,
  error: unknown,
): Promise<Response> {
  if (!(error instanceof ServiceError) || text(form, stepField) !== 'review') throw error
  const saved = uid === null ? await findMessage(ctx, text(form, 'uid')) : null
  if (saved) return answerSaved(args, ctx, form, saved, error.message)
  // The page of a form that has ended keeps its uid, and a draft under another one would be left over.
  const isEnded = uid === null && (await hasFormEnded(ctx, text(form, 'uid')))
  if (isEnded && !(error instanceof RecipientsChanged)) throw error
  const kept = await keepSteps(args, ctx, form, uid).catch(nullIfRefused)
  if (!(error instanceof RecipientsChanged) || kept === null) throw error
  const to = new URL(kept, 'http://site')
  to.searchParams.set(stepField, 'review')
  return redirectWithNotice(args, to.pathname + to.search, { kind: 'error', text: error.message })
}

function nullIfRefused(error: unknown): null {
  if (error instanceof ServiceError) return null
  throw error
}

/** The choice of recipients that the form goes on with. One without steps is not named in `choice`. */
function choiceIn(form: FormData): string {
  return text(form, 'choice') || text(form, 'choiceUid')
}

/** Shows what is typed, saved or not. */
async function answerPreview(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, testSentTo: string | null) {
  const [subject, from] = [text(form, 'subject'), text(form, 'from')]
  const preview: PreviewedMessage = {
    ...previewOf(await getOwnPlaceholders(ctx), Object.fromEntries(form)),
    email: await previewAsEmail(ctx, { subject, text: text(form, 'text'), from }),
    testSentTo,
  }
  return data({ ...(await refusalOf(ctx, args.context.exchange, form, { message: '' })), preview })
}

async function sendTest(ctx: SignedIn, form: FormData): Promise<string> {
  const { address } = await sendTestToSelf(ctx, {
    requestUid: text(form, 'testUid'),
    subject: text(form, 'subject'),
    text: text(form, 'text'),
    from: text(form, 'from'),
    attachment: text(form, 'attachment'),
  })
  return address
}

/** What a message that is no longer scheduled has in the fields of its schedule. */
const unscheduled: Record<string, string> = { when: 'now', sendAt: '', notAfter: '' }

/**
 * Cancels the schedule of a message, and goes on with what is typed at its first step, where its recipients are counted
 * again. Where nothing is typed, a draft that the page offers stays.
 */
async function unschedule(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, uid: string): Promise<Response> {
  const message = await getAnnouncementToEdit(ctx, { announcementUid: uid })
  const isTyped = !(await isAsSaved(ctx, form, message, { besides: Object.keys(unscheduled) }))
  // First what can be refused for its length: then the message is still scheduled, as the page says.
  const address = isTyped ? await keepSteps(args, ctx, form, uid, unscheduled) : `${list}${uid}/${ownSearch(args)}`
  await cancelSchedule(ctx, { uid })
  const next = new URL(address, 'http://site')
  if (isTyped) next.searchParams.set(stepField, 'message')
  return redirectWithNotice(args, next.pathname + next.search, {
    kind: 'success',
    text: 'The schedule has been canceled. The message is a draft again.',
  })
}

function isTooLate(message: MessageToEdit): boolean {
  return message.deletedAt !== null || !isEditable(message)
}

/**
 * Answers a form whose message was sent or deleted while it was open, and the offer to go on with what was typed into it.
 */
async function answerTooLate(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  message: MessageToEdit,
): Promise<Response> {
  const { uid, deletedAt } = message
  const sentence = whatBecameOf(message)
  const goOn = { formUid: uid, isNew: false, copyOf: uid, sentence }
  const intent = text(form, 'intent')
  if (intent === restoreDraft || intent === goOnIntent) {
    const formKey = text(form, offeredKeyField)
    const draft = await draftIn(ctx, form, formKey).catch(nullIfRefused)
    const typedAt = String(draft?.typedAt.getTime() ?? text(form, offeredAtField))
    const next = await uidAfter(ctx, uid, `${formKey} ${typedAt}`)
    // A second press: the first one has made the new message of it.
    if (!draft && !(await isKept(ctx, next))) {
      const at = deletedAt !== null ? '' : `${uid}/`
      return redirectWithNotice(args, list + at + ownSearch(args), { kind: 'error', text: draftGone })
    }
    const typed = new FormData()
    for (const [name, value] of draft?.fields ?? []) typed.append(name, value)
    return goOnAsNew(args, ctx, typed, { ...goOn, next })
  }
  if (await isAsSaved(ctx, form, message, { besides: Object.keys(unscheduled), isAnyRevision: true })) {
    if (deletedAt !== null) return redirectWithNotice(args, list + ownSearch(args), { kind: 'error', text: sentence })
    // A repeated Send, whose first answer was lost.
    const notice: { kind: 'info' | 'error'; text: string } =
      intent === 'send'
        ? { kind: 'info', text: sentence }
        : { kind: 'error', text: `${sentence} It can no longer be changed.` }
    return redirectWithNotice(args, `${list}${uid}/${ownSearch(args)}`, notice)
  }
  return goOnAsNew(args, ctx, form, { ...goOn, next: await uidAfter(ctx, uid, typedIn(form)) })
}

/**
 * Answers an old page of a new message that has been saved since, so that nobody sends it twice. A `problem` of the page leads
 * to the review of the saved message.
 */
async function answerSaved(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  message: MessageToEdit,
  problem?: string,
): Promise<Response> {
  const { uid, deletedAt } = message
  const sentence = whatBecameOf(message)
  if (await isAsSaved(ctx, form, message, { besides: Object.keys(unscheduled), isAnyRevision: true })) {
    if (problem !== undefined && !isTooLate(message)) {
      const text = `${sentence} ${problem}`
      return redirectWithNotice(args, `${list}${uid}/?${stepField}=review`, { kind: 'error', text })
    }
    const at = deletedAt !== null ? '' : `${uid}/`
    return redirectWithNotice(args, list + at + ownSearch(args), { kind: 'info', text: sentence })
  }
  const next = await uidAfter(ctx, uid, typedIn(form))
  return goOnAsNew(args, ctx, form, { formUid: uid, isNew: true, next, copyOf: uid, sentence })
}

function whatBecameOf({ values, status, sending, deletedAt }: MessageToEdit): string {
  const what = () => {
    if (deletedAt !== null) return 'has been deleted'
    if (status === 'sent') return 'has been sent'
    if (sending === null) return 'has been saved'
    return isEditable({ status, sending }) ? 'has been scheduled' : 'is being sent'
  }
  return `“${values.name}” ${what()}.`
}

type GoingOn = { formUid: string; isNew: boolean; next: string; copyOf: string; sentence: string }

/**
 * Goes on with what is typed as a new message with the uid `next`, which is not saved yet, to the recipients of `copyOf`.
 * The sentence says why the message of the form cannot take it.
 */
async function goOnAsNew(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  { formUid, isNew, next, copyOf, sentence }: GoingOn,
): Promise<Response> {
  // A second press leads to what has been typed there since the first one.
  const wasKept = await isKept(ctx, next)
  const formKey = draftKeyOf('message', { uid: formUid, isNew })
  const draft = await findDraft(ctx, { formKey })
  const isOfThisPage = !draft || saysTheSame(draft.fields, form)
  if (!wasKept) await giveOwnChoice(ctx, form)
  form.set('uid', next)
  form.set('copyOf', copyOf)
  const to = wasKept
    ? `${list}new/?${new URLSearchParams({ uid: next })}`
    : await keepSteps(args, ctx, form, null, { ...unscheduled, revision: '0' })
  const address = new URL(to, 'http://site')
  address.searchParams.set(stepField, 'message')
  // What was kept in another window stays, and is offered.
  if (isOfThisPage) await deleteDraft(ctx, { formKey })
  return redirectWithNotice(args, address.pathname + address.search, {
    kind: 'error',
    text: `${sentence} What you typed is here as a new message, which is not saved yet.`,
  })
}

/** Gives the new message its own choice of recipients, so that another window cannot take or change it. */
async function giveOwnChoice(ctx: Ctx, form: FormData): Promise<void> {
  const choiceUid = randomUUID()
  const hasSteps = await copyRecipientChoice(ctx, { from: choiceIn(form), to: choiceUid })
  form.set('choiceUid', choiceUid)
  form.set('choice', hasSteps ? choiceUid : '')
}

const comparedFields = [...Object.keys(messageForm.shape), 'choice', ...Object.keys(unscheduled)]

function saysTheSame(kept: DraftFields, form: FormData): boolean {
  const [one, other] = [new Map(kept), new Map(fieldsToKeep(form))]
  const valueIn = (fields: Map<string, string>, name: string) => (fields.get(name) ?? '').replaceAll('\r\n', '\n')
  return comparedFields.every((name) => valueIn(one, name) === valueIn(other, name))
}

/** So many messages can follow each other from one page that stays open. */
const mostFollowing = 10

/** What is typed in one page: each has a test request of its own among its fields. */
function typedIn(form: FormData): string {
  return JSON.stringify(fieldsToKeep(form))
}

function fieldsToKeep(form: FormData): [string, string][] {
  return [...form].filter(
    (field): field is [string, string] => typeof field[1] === 'string' && isKeptInDrafts(field[0]),
  )
}

async function isKept(ctx: Ctx, newUid: string): Promise<boolean> {
  return (await findDraft(ctx, { formKey: draftKeyOf('message', { uid: newUid, isNew: true }) })) !== null
}

/**
 * Returns the uid under which a form goes on whose own uid is taken. It is the same for each press that sends what was
 * typed in one page, or in one draft, so that a second press makes no second draft and replaces no other text.
 */
async function uidAfter(ctx: SignedIn, uid: string, typed: string): Promise<string> {
  const following: string[] = []
  let last = uid.toLowerCase()
  while (following.length < mostFollowing) {
    const hex = createHash('sha256').update(`${ctx.viewer.uid} ${last} ${typed}`).digest('hex')
    last = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
    following.push(last)
  }
  const ended = await findEndedForms(ctx, following)
  return following.find((one) => !ended.has(one)) ?? randomUUID()
}

/**
 * Keeps what is typed as the author's draft, unless it is what has been saved, and returns the address of the step that
 * goes on with it. The draft has the `changed` values in place of those of the form.
 */
async function keepSteps(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  uid: string | null,
  changed: Record<string, string> = {},
): Promise<string> {
  // A form whose draft was discarded in another window goes on as that of another message.
  const newUid = text(form, 'uid')
  const isEnded = uid === null && (await hasFormEnded(ctx, newUid))
  const formUid = isEnded ? await uidAfter(ctx, newUid, typedIn(form)) : (uid ?? newUid)
  const wasKept = isEnded && (await isKept(ctx, formUid))
  if (isEnded && !wasKept) await giveOwnChoice(ctx, form)
  const values: Record<string, string> = { ...changed, ...(form.has('uid') && { uid: formUid }) }
  const fields = fieldsToKeep(form).map(([name, value]): [string, string] => [name, values[name] ?? value])
  const formKey = draftKeyOf('message', { uid: formUid, isNew: uid === null })
  const message = uid === null ? null : await getAnnouncementToEdit(ctx, { announcementUid: uid })
  if (message && (await isAsSaved(ctx, form, message))) await deleteDraft(ctx, { formKey })
  // A second press of what ended leads to what has been typed there since the first one.
  else if (!wasKept)
    await keepWhole(ctx, { formKey, fields, typedAt: timeIn(ctx, form, typedAtField).getTime(), isPressed: true })
  const { search } = new URL(args.request.url)
  const params = new URLSearchParams(search)
  if (uid === null) params.set('uid', formUid)
  params.delete('copy')
  if (wasKept) params.delete('choice')
  else params.set('choice', text(form, 'choiceUid') || params.get('choice') || randomUUID())
  const filters = storedFilters(text(form, 'filterState'))
  const hasQuery = tableSearch(search, recipientsTable.prefix) !== ''
  const shown = hasQuery ? `?${params}` : writeTableQuery(`?${params}`, recipientsTable, { filters })
  return `${list}${uid ?? 'new'}/${shown}`
}

/** The message with the uid of a form of a new one; null while there is none. */
async function findMessage(ctx: Ctx, uid: string): Promise<MessageToEdit | null> {
  const [taken] = await listTakenUids(ctx, { uids: [uid] })
  return taken === undefined ? null : getAnnouncementToEdit(ctx, { announcementUid: taken, withDeleted: true })
}

/** Keeps a draft. What is wrong with it is about the whole form, which has no field of this name. */
async function keepWhole(ctx: Ctx, draft: Parameters<typeof keepDraft>[1]): Promise<void> {
  await keepDraft(ctx, draft).catch((error: unknown) => {
    throw error instanceof Invalid ? new Invalid(error.message) : error
  })
}

/** Tells whether the form says what has been saved, in all fields but `besides`, without a choice of recipients. */
async function isAsSaved(
  ctx: Ctx,
  form: FormData,
  message: MessageToEdit,
  { besides = [], isAnyRevision = false }: { besides?: string[]; isAnyRevision?: boolean } = {},
): Promise<boolean> {
  if ((await getRecipientChoice(ctx, { choiceUid: choiceIn(form) })).length > 0) return false
  if (!isAnyRevision && text(form, 'revision') !== String(message.revision)) return false
  // A save tidies what is typed.
  const tidied = messageForm.partial().safeParse(Object.fromEntries(form))
  const typed: Record<string, unknown> = tidied.success ? tidied.data : {}
  const saved = Object.entries(startValues(ctx, message, { isCopy: false }))
  const compared = saved.filter(([name]) => form.has(name) && !besides.includes(name))
  return compared.every(([name, value]) => {
    return (name in typed ? (typed[name] ?? '') : text(form, name).replaceAll('\r\n', '\n')) === value
  })
}

function storedFilters(value: string): TableQuery['filters'] {
  try {
    return readRecipientFilters(JSON.parse(value || '{}'))
  } catch {
    return {}
  }
}

function inputOf(form: FormData): MessageInput {
  const given = (name: string) => (form.has(name) ? text(form, name) : undefined)
  return {
    name: text(form, 'name'),
    subject: text(form, 'subject'),
    text: text(form, 'text'),
    deliveryType: text(form, 'deliveryType'),
    from: text(form, 'from'),
    attachment: text(form, 'attachment'),
    choiceUid: choiceIn(form),
    ...(form.has('tickedUids') && { selectedUserUids: text(form, 'tickedUids').split(' ') }),
    ...(form.has('filterState') && { filters: storedFilters(text(form, 'filterState')) }),
    ...(text(form, 'intent') === 'send' && {
      send: {
        when: text(form, 'when'),
        sendAt: given('sendAt'),
        notAfter: given('notAfter'),
        shown: text(form, 'shownRecipients'),
      },
    }),
  }
}

async function create(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, input: MessageInput) {
  const copy = text(form, 'copyOf')
  const uid = text(form, 'uid')
  const saved = await createAnnouncement(ctx, { ...input, uid, ...(isUid(copy) && { copyOf: copy }) }).catch(
    (error: unknown) => {
      if (error instanceof UidTaken) return error
      throw error
    },
  )
  if (saved instanceof UidTaken && !saved.asksForMore) {
    await endDraft(ctx, form)
    return redirectWithNotice(args, list + ownSearch(args), { kind: 'info', text: saved.message })
  }
  if (saved instanceof UidTaken) {
    const next = await uidAfter(ctx, uid, typedIn(form))
    const goOn = { formUid: uid, isNew: true, next, copyOf: saved.isOwn ? uid : copy, sentence: saved.message }
    return goOnAsNew(args, ctx, form, goOn)
  }
  await endDraft(ctx, form)
  const usual = saved.isUpdated ? messageTexts.updated : messageTexts.created(saved.name)
  const notice = { kind: 'success', text: noticeOf(usual, saved, text(form, 'intent')) + keptInWords(saved) } as const
  return redirectWithNotice(args, list + ownSearch(args), notice)
}

async function update(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, input: MessageInput, uid: string) {
  return answerSave(args, ctx, form, {
    noun: 'message',
    place: list,
    notice: (saved: SavedMessage) => noticeOf(messageTexts.updated, saved, text(form, 'intent')),
    save: () => updateAnnouncement(ctx, { ...input, announcementUid: uid, revision: revisionIn(form) }),
    merged: async ({ now }) => {
      const { attachment } = await getAnnouncementToEdit(ctx, { announcementUid: uid })
      return {
        formId: messageFormId(uid, now.revision),
        valuesOf: (field) =>
          field === 'attachment'
            ? fileInputs('attachment', attachment)
            : { [field]: String((now.state as Record<string, unknown>)[field] ?? '') },
      }
    },
  }).catch(async (error: unknown) => {
    if (!(error instanceof Conflict || error instanceof NotFound)) throw error
    // It was sent or deleted since the form was checked.
    const message = await getAnnouncementToEdit(ctx, { announcementUid: uid, withDeleted: true })
    if (!isTooLate(message)) throw error
    return answerTooLate(args, ctx, form, message)
  })
}

/** The part of the address that is about the list. */
function ownSearch(args: ActionFunctionArgs): string {
  return tableSearch(new URL(args.request.url).search, '')
}

/** Leads to the page without the recipients that a discarded draft has chosen. Another window may go on with them. */
function withoutChoiceOf({ fields }: Draft, answer: Response): Response {
  const to = new URL(answer.headers.get('Location') ?? list, 'http://site')
  const chosen = to.searchParams.get('choice')
  const isOfDraft = fields.some(([name, value]) => ['choice', 'choiceUid'].includes(name) && value === chosen)
  if (isOfDraft) to.searchParams.delete('choice')
  answer.headers.set('Location', to.pathname + to.search)
  return answer
}

function noticeOf(usual: string, { name, sending, optedOut }: SavedMessage, intent: string): string {
  const left =
    optedOut === 0
      ? ''
      : optedOut === 1
        ? ' One person has opted out of emails and was removed from the recipients.'
        : ` ${optedOut.toLocaleString('en')} people have opted out of emails and were removed from the recipients.`
  if (intent !== 'send') return usual + (sending === 'late' ? ' It is late and waits for your decision.' : '') + left
  if (sending === 'scheduled') return `Message "${name}" has been scheduled.${left}`
  return `Message "${name}" ${sending === 'done' ? 'has been sent' : 'is being sent'}.${left}`
}
