/** The buttons of the dialog that writes a message: steps, preview, test, schedule, save and send. */
import { type ActionFunctionArgs, data, redirect } from '@remix-run/node'
import type { PreviewedMessage } from '~/components/console/messages/view.ts'
import { messageFormId, messageSteps, messageStepsForm, messageTexts } from '~/forms/announcements.ts'
import { discardDraft, offeredAtField, offeredKeyField, restoreDraft } from '~/forms/draft-fields.ts'
import { exitIntent, goOnIntent, testIntent, unscheduleIntent, watchIntent } from '~/forms/intents.ts'
import { nextStep, previousStep, stepField } from '~/forms/steps.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { answerStep } from '~/http/form-steps.server.ts'
import { refusalOf, revisionIn, text } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { getOwnPlaceholders, previewAsEmail } from '~/services/announcements/preview-message.server.ts'
import {
  getAnnouncementToEdit,
  isEditable,
  listTakenUids,
  type MessageToEdit,
  ReviewOutdated,
  timesInKey,
  timesKeyOf,
} from '~/services/announcements/read-announcement.server.ts'
import {
  createAnnouncement,
  type MessageInput,
  type SavedMessage,
  UidTaken,
  updateAnnouncement,
} from '~/services/announcements/save-announcement.server.ts'
import { sendTestToSelf } from '~/services/announcements/send-test.server.ts'
import { cancelSchedule } from '~/services/announcements/start-sending.server.ts'
import type { Ctx } from '~/services/context.ts'
import { type Draft, findDraft } from '~/services/drafts/drafts.server.ts'
import { Conflict, Invalid, NotFound, ServiceError } from '~/services/errors.ts'
import { answerSave, fileInputs, keptInWords } from './content-forms.server.ts'
import { answerDraft, draftGone, draftIn, endDraft } from './form-drafts.server.ts'
import { hasFormEnded, previewOf, timeValues } from './message-dialog.server.ts'
import {
  choiceIn,
  goOnAsNew,
  isAsSaved,
  isKept,
  keepSteps,
  list,
  reviewWithTime,
  storedFilters,
  typedIn,
  uidAfter,
  unscheduled,
} from './message-drafts.server.ts'

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
 * sends, whatever was typed in another window. If the recipients or the time have changed, its step is opened again.
 */
async function refuseReview(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  uid: string | null,
  error: unknown,
): Promise<Response> {
  const step = text(form, stepField)
  if (error instanceof Invalid && error.fieldErrors.recipients && step === 'message') {
    const there = new URL(await keepSteps(args, ctx, form, uid), 'http://site')
    there.searchParams.set(stepField, 'recipients')
    return redirectWithNotice(args, there.pathname + there.search, { kind: 'error', text: error.message })
  }
  if (!(error instanceof ServiceError) || (step !== 'review' && !(error instanceof ReviewOutdated))) throw error
  const saved = uid === null ? await findMessage(ctx, text(form, 'uid')) : null
  if (saved) return answerSaved(args, ctx, form, saved, error.message)
  // The page of a form that has ended keeps its uid, and a draft under another one would be left over.
  const isEnded = uid === null && (await hasFormEnded(ctx, text(form, 'uid')))
  if (isEnded && !(error instanceof ReviewOutdated)) throw error
  const kept = await keepTold(args, ctx, form, uid, error).catch(nullIfRefused)
  if (!(error instanceof ReviewOutdated) || kept === null) throw error
  const to = new URL(kept, 'http://site')
  to.searchParams.set(stepField, step)
  return redirectWithNotice(args, to.pathname + to.search, { kind: 'error', text: error.message })
}

/** Keeps what a refused form has sent. If the refusal has told the time, a second press may replace it. */
async function keepTold(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  uid: string | null,
  { code }: ServiceError,
): Promise<string> {
  if (code !== 'announcement.time_changed' || uid === null) return keepSteps(args, ctx, form, uid)
  const message = await getAnnouncementToEdit(ctx, { announcementUid: uid, withDeleted: true })
  return keepSteps(args, ctx, form, uid, { shownTimes: timesKeyOf(message) })
}

function nullIfRefused(error: unknown): null {
  if (error instanceof ServiceError) return null
  throw error
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

/**
 * Cancels the schedule of a message, and goes on with what is typed at its first step, where its recipients are counted
 * again. Where nothing is typed, a draft that the page offers stays.
 */
async function unschedule(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, uid: string): Promise<Response> {
  const message = await getAnnouncementToEdit(ctx, { announcementUid: uid })
  const isTyped = !(await isAsSaved(ctx, form, message, { besides: Object.keys(unscheduled) }))
  // First what can be refused for its length: then the message is still scheduled, as the page says.
  const address = isTyped ? await keepSteps(args, ctx, form, uid, unscheduled) : `${list}${uid}/${ownSearch(args)}`
  const shownTimes = form.has('shownTimes') ? text(form, 'shownTimes') : undefined
  const refused = await cancelSchedule(ctx, { uid, shownTimes }).catch((error: unknown) => {
    if (error instanceof ReviewOutdated) return error
    throw error
  })
  if (refused) {
    if (isTyped) await keepTold(args, ctx, form, uid, refused)
    return redirectWithNotice(args, address, { kind: 'error', text: refused.message })
  }
  const next = new URL(address, 'http://site')
  if (isTyped) next.searchParams.set(stepField, 'message')
  return redirectWithNotice(args, next.pathname + next.search, {
    kind: 'success',
    text: 'The schedule has been canceled. The message is a draft again.',
  })
}

/** The message can no longer be changed. */
export function isTooLate(message: MessageToEdit): boolean {
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
      return redirectWithNotice(args, placeOf(message) + ownSearch(args), { kind: 'error', text: draftGone })
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
  const { uid } = message
  const sentence = whatBecameOf(message)
  if (await isAsSaved(ctx, form, message, { besides: Object.keys(unscheduled), isAnyRevision: true })) {
    if (problem !== undefined && !isTooLate(message)) {
      const notice = { kind: 'error', text: `${sentence} ${problem}` } as const
      return redirectWithNotice(args, await reviewWithTime(args, ctx, form, message), notice)
    }
    return redirectWithNotice(args, placeOf(message) + ownSearch(args), { kind: 'info', text: sentence })
  }
  const next = await uidAfter(ctx, uid, typedIn(form))
  return goOnAsNew(args, ctx, form, { formUid: uid, isNew: true, next, copyOf: uid, sentence })
}

/** The page of a message; of one that was deleted, the list. */
export function placeOf({ uid, deletedAt }: MessageToEdit): string {
  return deletedAt === null ? `${list}${uid}/` : list
}

/** "“News” has been sent." */
export function whatBecameOf({ values, status, sending, deletedAt }: MessageToEdit): string {
  const what = () => {
    if (deletedAt !== null) return 'has been deleted'
    if (status === 'sent') return 'has been sent'
    if (sending === null) return 'has been saved'
    if (sending === 'late') return 'is late'
    return isEditable({ status, sending }) ? 'has been scheduled' : 'is being sent'
  }
  return `“${values.name}” ${what()}.`
}

/** The message with the uid of a form of a new one; null while there is none. */
export async function findMessage(ctx: Ctx, uid: string): Promise<MessageToEdit | null> {
  const [taken] = await listTakenUids(ctx, { uids: [uid] })
  return taken === undefined ? null : getAnnouncementToEdit(ctx, { announcementUid: taken, withDeleted: true })
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
    shownTimes: given('shownTimes'),
    ...((text(form, 'intent') === 'send' || form.has('shownRecipients')) && {
      // A page that shows nobody sends to nobody.
      shownRecipients: text(form, 'shownRecipients'),
    }),
    ...(form.has('tickedUids') && { selectedUserUids: text(form, 'tickedUids').split(' ') }),
    ...(form.has('filterState') && { filters: storedFilters(text(form, 'filterState')) }),
    ...(text(form, 'intent') === 'send' && {
      send: {
        when: text(form, 'when'),
        sendAt: given('sendAt'),
        notAfter: given('notAfter'),
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
    const own = saved.isOwn ? await findMessage(ctx, uid) : null
    const besides = Object.keys(unscheduled)
    if (own && !isTooLate(own) && (await isAsSaved(ctx, form, own, { besides, isAnyRevision: true }))) {
      const what = own.sending === null ? 'it' : 'its time'
      return answerSaved(args, ctx, form, own, `Check ${what}, and send again.`)
    }
    const next = await uidAfter(ctx, uid, typedIn(form))
    const goOn = { formUid: uid, isNew: true, next, copyOf: saved.isOwn ? uid : copy, sentence: saved.message }
    return goOnAsNew(args, ctx, form, goOn)
  }
  await endDraft(ctx, form)
  const usual = saved.isUpdated ? messageTexts.updated : messageTexts.created(saved.name)
  const sentences = noticeOf(usual, saved, text(form, 'intent')) + unsavedTime(ctx, form) + keptInWords(saved)
  const notice = { kind: 'success', text: sentences } as const
  return redirectWithNotice(args, list + ownSearch(args), notice)
}

async function update(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, input: MessageInput, uid: string) {
  const time = unsavedTime(ctx, form)
  return answerSave(args, ctx, form, {
    noun: 'message',
    place: list,
    notice: (saved: SavedMessage) => noticeOf(messageTexts.updated, saved, text(form, 'intent')) + time,
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

/** Says that Save, which keeps a draft or a schedule as it is, has not taken the time that was typed on the review. */
function unsavedTime(ctx: Ctx, form: FormData): string {
  if (text(form, 'intent') !== 'save' || !form.has('when')) return ''
  const { when, ...moments } = timeValues(ctx, timesInKey(text(form, 'shownTimes')))
  const isSame =
    text(form, 'when') === when &&
    (when === 'now' || Object.entries(moments).every(([name, value]) => text(form, name) === value))
  return isSame ? '' : ' The time was not saved. To set it, press the button that sends or schedules the message.'
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
