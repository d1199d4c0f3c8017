/**
 * The dialog that writes a message. Next keeps what is typed as a draft of its author and opens the next step, which goes
 * on with that draft, so that every step is also a page of its own. Changes of the recipients are kept in a choice, which
 * the form names; saving takes its steps.
 */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type ActionFunctionArgs, data } from '@remix-run/node'
import type {
  CandidateRow,
  ChosenView,
  MessageDialogView,
  MessagePreview,
  PreviewedMessage,
  RecipientsView,
} from '~/components/console/messages/view.ts'
import { brands } from '~/config/brands.ts'
import {
  deliveryLabels,
  deliveryTypes,
  messageFormId,
  messageSteps,
  messageStepsForm,
  messageTexts,
} from '~/forms/announcements.ts'
import { type DraftFields, draftKeyOf, isKeptInDrafts } from '~/forms/draft-fields.ts'
import { exitIntent, testIntent, unscheduleIntent, watchIntent } from '~/forms/intents.ts'
import {
  chosenTable,
  type RecipientStep,
  readRecipientFilters,
  recipientStatuses,
  recipientStatusLabels,
  recipientsTable,
} from '~/forms/recipients.ts'
import { openStep, stepField } from '~/forms/steps.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { answerStep } from '~/http/form-steps.server.ts'
import { refusalOf, revisionIn, text } from '~/http/respond.server.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { escapeHtml } from '~/lib/mail-text.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import { fillPlaceholders, type PlaceholderValues } from '~/lib/placeholders.ts'
import { longestLiveList, readTableQuery, type TableQuery, tableSearch, writeTableQuery } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { localTimeOf } from '~/lib/zoned-time.ts'
import {
  type Candidate,
  type ChoiceInput,
  countRecipients,
  listAnswerChoices,
  listAudienceChoices,
  listCandidates,
  listChosenRecipients,
} from '~/services/announcements/list-recipients.server.ts'
import { getOwnPlaceholders, previewAsEmail } from '~/services/announcements/preview-message.server.ts'
import { getAnnouncementToEdit, type MessageToEdit } from '~/services/announcements/read-announcement.server.ts'
import { getRecipientChoice } from '~/services/announcements/recipient-choice.server.ts'
import {
  copyOf as copyOfValues,
  createAnnouncement,
  defaultSender,
  type MessageInput,
  type SavedMessage,
  updateAnnouncement,
} from '~/services/announcements/save-announcement.server.ts'
import { sendTestToSelf } from '~/services/announcements/send-test.server.ts'
import { cancelSchedule } from '~/services/announcements/start-sending.server.ts'
import type { Ctx } from '~/services/context.ts'
import { deleteDraft, findDraft, keepDraft } from '~/services/drafts/drafts.server.ts'
import { Invalid } from '~/services/errors.ts'
import { answerSave, fileInputs, sentFileOf } from './content-forms.server.ts'
import { answerDraft, endDraft, offeredDraft } from './form-drafts.server.ts'
import { noteOf } from './messages.server.ts'

const list = '/dashboard/messages/'

/** Which message a dialog is about: an existing one, or a new one, which may be a copy. */
type Which = { uid: string | null; params: URLSearchParams }

/** Reads everything that the dialog shows. */
export async function getMessageDialog(
  ctx: SignedIn,
  which: Which,
  message: MessageToEdit | null,
): Promise<MessageDialogView> {
  const { params } = which
  const isNew = which.uid === null
  const uid = message?.uid ?? uidOr(params.get('uid'), randomUUID())
  const requested = params.get(stepField)
  const formKey = draftKeyOf('message', { uid, isNew })
  const kept = requested === null ? null : await findDraft(ctx, { formKey })
  const original = isNew ? await findOriginal(ctx, kept ? valueIn(kept.fields, 'copyOf') : params.get('copy')) : null
  const defaults = kept ? defaultsIn(kept.fields) : startValues(ctx, message ?? original, { isCopy: original !== null })
  const choiceUid = uidOr(params.get('choice'), uidOr(kept && valueIn(kept.fields, 'choice'), randomUUID()))
  const steps = await getRecipientChoice(ctx, { choiceUid })
  const deliveryType = deliveryTypes.find((one) => one === defaults.deliveryType) ?? 'dashboard'
  const choice: ChoiceInput = {
    announcementUid: message?.uid ?? original?.uid ?? null,
    deliveryType,
    steps,
    isCopy: original !== null,
  }
  const needsCount = steps.length > 0 || (requested !== null && requested !== 'message')
  const { total: people } = needsCount ? await countRecipients(ctx, choice) : { total: 0 }
  const form = messageStepsForm({ timeZone: ctx.site.timeZone, now: ctx.now })
  const open = openStep(form, messageSteps, { ...defaults, recipients: String(people) }, requested)
  const pageNumber = readTableQuery(params, chosenTable).page
  const chosen =
    open === 'message' ? null : chosenOf(await listChosenRecipients(ctx, { ...choice, page: pageNumber }), pageNumber)
  const source = message ?? original
  return {
    uid,
    isNew,
    copyOf: original?.uid ?? '',
    revision: Number(defaults.revision ?? message?.revision ?? 0),
    defaults,
    attachment: kept ? keptAttachment(kept.fields) : sentFileOf(source?.attachment),
    senders: sendersOf(ctx, source?.values.from),
    timeZone: ctx.site.timeZone,
    now: ctx.now.toISOString(),
    draft:
      kept || requested !== null || original
        ? null
        : await offeredDraft(ctx, { kind: 'message', ...(!isNew && { uid }) }),
    isContinued: kept !== null || original !== null,
    open,
    choiceUid,
    testUid: randomUUID(),
    selectedUids: source?.selectedUserUids ?? [],
    note: message ? noteOf(ctx, message) : null,
    isLate: message?.sending === 'late',
    people,
    hasChoice: steps.length > 0,
    recipients: open === 'recipients' && chosen ? await recipientsOf(ctx, { choice, choiceUid, chosen, params }) : null,
    review:
      open === 'review' && chosen
        ? {
            ...previewOf(await getOwnPlaceholders(ctx), defaults),
            name: String(defaults.name),
            deliveryType: deliveryLabels[deliveryType],
            chosen,
          }
        : null,
  }
}

function uidOr(value: string | null | undefined, other: string): string {
  return value && isUid(value) ? value.toLowerCase() : other
}

/** The message that a copy begins with; null for anything that is not there. */
async function findOriginal(ctx: Ctx, uid: string | null): Promise<MessageToEdit | null> {
  if (!uid || !isUid(uid)) return null
  return getAnnouncementToEdit(ctx, { announcementUid: uid }).catch(() => null)
}

function valueIn(fields: DraftFields, name: string): string {
  return fields.findLast(([known]) => known === name)?.[1] ?? ''
}

function defaultsIn(fields: DraftFields): Record<string, string> {
  return Object.fromEntries(fields)
}

function keptAttachment(fields: DraftFields) {
  const name = valueIn(fields, 'attachment')
  if (name === '') return null
  const [originalFileName, size] = [
    valueIn(fields, 'attachment-fileName'),
    Number(valueIn(fields, 'attachment-fileSize')),
  ]
  return sentFileOf({ name, originalFileName, size: Number.isFinite(size) ? size : 0 })
}

function startValues(ctx: Ctx, source: MessageToEdit | null, { isCopy }: { isCopy: boolean }): Record<string, string> {
  if (!source) {
    return {
      name: '',
      subject: '',
      text: '',
      deliveryType: 'dashboard',
      from: defaultSender(ctx),
      attachment: '',
      when: 'now',
    }
  }
  const values = isCopy ? copyOfValues(source.values) : source.values
  const moment = (at: Date | null) => (at && !isCopy ? localTimeOf(at, ctx.site.timeZone) : '')
  return {
    ...values,
    attachment: values.attachment ?? '',
    ...fileInputs('attachment', source.attachment),
    when: source.sendAt && !isCopy ? 'later' : 'now',
    sendAt: moment(source.sendAt),
    notAfter: moment(source.notAfter),
  }
}

/** The default sender, the viewer, and whoever the message is from already (C-044). */
function sendersOf(ctx: SignedIn, from: string | undefined) {
  const { firstName, lastName } = ctx.viewer
  const names = [defaultSender(ctx), `${firstName} ${lastName}`.trim(), from ?? '']
  return [...new Set(names)].filter((name) => name !== '').map((name) => ({ value: name, label: name }))
}

function chosenOf(chosen: Awaited<ReturnType<typeof listChosenRecipients>>, pageNumber: number): ChosenView {
  return { ...chosen, pageNumber, pageSize: chosenTable.sizes[0] }
}

type RecipientsInput = { choice: ChoiceInput; choiceUid: string; chosen: ChosenView; params: URLSearchParams }

async function recipientsOf(ctx: Ctx, { choice, choiceUid, chosen, params }: RecipientsInput): Promise<RecipientsView> {
  const query = readTableQuery(params, recipientsTable)
  const [{ items, total, leftOut }, answers, audiences] = await Promise.all([
    listCandidates(ctx, { ...choice, query }),
    listAnswerChoices(ctx),
    listAudienceChoices(ctx),
  ])
  const groups = groupNames(ctx)
  return {
    choiceUid,
    changes: changesIn(choice.steps),
    // The rows depend on the choice, so the browser asks for each page.
    candidates: { rows: items.map((one) => candidateRow(one, groups)), total, listed: longestLiveList + 1, state: '' },
    leftOut,
    whyLeftOut:
      choice.deliveryType === 'email'
        ? 'they have opted out of emails, or are disabled'
        : 'their accounts are disabled',
    isFoundAdded: isAdded(choice.steps.at(-1), query),
    options: {
      status: recipientStatuses.map((value) => ({ value, label: recipientStatusLabels[value] })),
      group: Object.entries(groups).map(([value, label]) => ({ value, label })),
      ...answers,
      due: [{ value: 'late', label: 'Late with something assigned' }],
    },
    audienceChoices: audiences.map(({ uid, name }) => ({ value: uid, label: name })),
    chosen,
  }
}

function isAdded(last: RecipientStep | undefined, { search, filters }: TableQuery): boolean {
  return last?.kind === 'found' && isDeepStrictEqual([last.search, last.filters], [search, filters])
}

function changesIn(steps: RecipientStep[]): number {
  return steps.reduce((sum, step) => sum + 1 + ('uids' in step ? step.uids.length : 0), 0)
}

/** C-136, C-137: the names come from the brand. */
function groupNames({ site }: Pick<Ctx, 'site'>): Record<Candidate['group'], string> {
  const brand = brands[site.key]
  return { site: brand.name, university: brand.defaultUniversity, external: 'External' }
}

const statusNames: Record<Candidate['status'], string> = {
  active: 'Active',
  inactive: 'Inactive',
  disabled: 'Disabled',
  invited: 'Invited',
}
const obstacles = { opted_out: 'Opted-out of emails', disabled: 'This account is disabled' }

function candidateRow(
  { status, group, obstacle, ...person }: Candidate,
  groups: ReturnType<typeof groupNames>,
): CandidateRow {
  return { ...person, status: statusNames[status], group: groups[group], obstacle: obstacle && obstacles[obstacle] }
}

/** The message as its recipients see it on their dashboards, with the viewer's own values in the placeholders. */
function previewOf(own: PlaceholderValues, values: Record<string, unknown>): MessagePreview {
  const markdown = String(values.text ?? '')
  return {
    subject: fillPlaceholders(String(values.subject ?? ''), own),
    from: String(values.from ?? ''),
    html: fillPlaceholders(renderMarkdown(markdown, { headingsFrom: 4 }), own, escapeHtml),
    attachment: values.attachment
      ? {
          name: String(values['attachment-fileName'] ?? ''),
          size: formatFileSize(Number(values['attachment-fileSize'] ?? 0) || 0),
        }
      : null,
  }
}

// The buttons

/** Answers the buttons of the dialog, of a new message or an existing one. */
export async function answerMessageDialog(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, uid: string | null) {
  const intent = text(form, 'intent')
  const offered = await answerDraft(args, ctx, form)
  if (offered) return offered
  if (intent === watchIntent) return answerPreview(args, ctx, form, null)
  if (intent === testIntent) return answerPreview(args, ctx, form, await sendTest(ctx, form))
  if (intent === unscheduleIntent && uid !== null) return unschedule(args, ctx, form, uid)
  if (intent === exitIntent) return data(await refusalOf(ctx, args.context.exchange, form, { message: '' }))
  const schema = messageStepsForm({ timeZone: ctx.site.timeZone, now: ctx.now })
  const step = await answerStep(args, ctx, form, {
    steps: messageSteps,
    schema,
    saveDraft: () => keepSteps(args, ctx, form, uid),
  })
  if (step) return step
  if (intent !== 'save' && intent !== 'send') throw new Invalid('Please press one of the buttons.')
  const input = await inputOf(ctx, form)
  return uid === null ? create(args, ctx, form, input) : update(args, ctx, form, input, uid)
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

/** Cancels the schedule of a message, and goes on with what is typed at its first step, where its recipients are counted again. */
async function unschedule(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, uid: string): Promise<Response> {
  await cancelSchedule(ctx, { uid })
  form.set('when', 'now')
  for (const time of ['sendAt', 'notAfter']) if (form.has(time)) form.set(time, '')
  const address = new URL(await keepSteps(args, ctx, form, uid), 'http://site')
  address.searchParams.set(stepField, 'message')
  return redirectWithNotice(args, address.pathname + address.search, {
    kind: 'success',
    text: 'The schedule has been canceled. The message is a draft again.',
  })
}

/**
 * Keeps what is typed as the author's draft, unless it is what has been saved, and returns the address of the step that
 * goes on with it.
 */
async function keepSteps(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, uid: string | null): Promise<string> {
  const fields = [...form].filter(
    (field): field is [string, string] => typeof field[1] === 'string' && isKeptInDrafts(field[0]),
  )
  const formUid = text(form, 'uid')
  const formKey = draftKeyOf('message', { uid: formUid, isNew: uid === null })
  if (uid !== null && (await isAsSaved(ctx, form, uid))) await deleteDraft(ctx, { formKey })
  else await keepDraft(ctx, { formKey, fields, typedAt: ctx.now.getTime() })
  const { search } = new URL(args.request.url)
  const params = new URLSearchParams(search)
  if (uid === null) params.set('uid', formUid)
  params.delete('copy')
  const known = params.has('choice') ? '' : text(form, 'choiceUid') || randomUUID()
  if (known !== '') params.set('choice', known)
  const filters = storedFilters(text(form, 'filterState'))
  const hasQuery = tableSearch(search, recipientsTable.prefix) !== ''
  const shown = hasQuery ? `?${params}` : writeTableQuery(`?${params}`, recipientsTable, { filters })
  return `${list}${uid ?? 'new'}/${shown}`
}

/** Tells whether the first step says what has been saved, without a choice of recipients. */
async function isAsSaved(ctx: Ctx, form: FormData, announcementUid: string): Promise<boolean> {
  if (text(form, stepField) !== 'message') return false
  if ((await getRecipientChoice(ctx, { choiceUid: text(form, 'choice') })).length > 0) return false
  const message = await getAnnouncementToEdit(ctx, { announcementUid })
  const saved = Object.entries(startValues(ctx, message, { isCopy: false }))
  const isSame = ([name, value]: [string, string]) => text(form, name).replaceAll('\r\n', '\n') === value
  return text(form, 'revision') === String(message.revision) && saved.filter(([name]) => form.has(name)).every(isSame)
}

function storedFilters(value: string): TableQuery['filters'] {
  try {
    return readRecipientFilters(JSON.parse(value || '{}'))
  } catch {
    return {}
  }
}

async function inputOf(ctx: Ctx, form: FormData): Promise<MessageInput & { choiceUid: string }> {
  const choiceUid = text(form, 'choice')
  const given = (name: string) => (form.has(name) ? text(form, name) : undefined)
  return {
    name: text(form, 'name'),
    subject: text(form, 'subject'),
    text: text(form, 'text'),
    deliveryType: text(form, 'deliveryType'),
    from: text(form, 'from'),
    attachment: text(form, 'attachment'),
    recipients: await getRecipientChoice(ctx, { choiceUid }),
    ...(form.has('tickedUids') && { selectedUserUids: text(form, 'tickedUids').split(' ') }),
    ...(form.has('filterState') && { filters: storedFilters(text(form, 'filterState')) }),
    ...(text(form, 'intent') === 'send' && {
      send: { when: text(form, 'when'), sendAt: given('sendAt'), notAfter: given('notAfter') },
    }),
    choiceUid,
  }
}

async function create(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  { choiceUid, ...input }: MessageInput & { choiceUid: string },
) {
  const copy = text(form, 'copyOf')
  const saved = await createAnnouncement(ctx, {
    ...input,
    uid: text(form, 'uid'),
    ...(isUid(copy) && { copyOf: copy }),
  })
  await endDraft(ctx, form)
  await endChoice(ctx, choiceUid)
  const notice = {
    kind: 'success',
    text: noticeOf(messageTexts.created(saved.name), saved, text(form, 'intent')),
  } as const
  return redirectWithNotice(args, list + ownSearch(args), notice)
}

async function update(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  { choiceUid, ...input }: MessageInput & { choiceUid: string },
  uid: string,
) {
  const answer = await answerSave(args, ctx, form, {
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
  })
  if (answer instanceof Response) await endChoice(ctx, choiceUid)
  return answer
}

/** The part of the address that is about the list. */
function ownSearch(args: ActionFunctionArgs): string {
  return tableSearch(new URL(args.request.url).search, '')
}

async function endChoice(ctx: Ctx, choiceUid: string): Promise<void> {
  if (isUid(choiceUid)) await deleteDraft(ctx, { formKey: draftKeyOf('recipients', { uid: choiceUid, isNew: false }) })
}

function noticeOf(usual: string, { name, sending, optedOut }: SavedMessage, intent: string): string {
  const left =
    optedOut === 0
      ? ''
      : optedOut === 1
        ? ' One person has opted out of emails and was removed from the recipients.'
        : ` ${optedOut.toLocaleString('en')} people have opted out of emails and were removed from the recipients.`
  if (intent !== 'send') return usual + left
  if (sending === 'scheduled') return `Message "${name}" has been scheduled.${left}`
  return `Message "${name}" ${sending === 'done' ? 'has been sent' : 'is being sent'}.${left}`
}
