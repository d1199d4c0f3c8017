/**
 * The dialog that writes a message. Next keeps what is typed as a draft of its author and opens the next step, which goes
 * on with that draft, so that every step is also a page of its own. Changes of the recipients are kept in a choice, which
 * the form names; saving takes its steps.
 */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type {
  CandidateRow,
  ChosenView,
  MessageDialogView,
  MessagePreview,
  RecipientsView,
} from '~/components/console/messages/view.ts'
import { brands } from '~/config/brands.ts'
import { deliveryLabels, deliveryTypes, messageSteps, messageStepsForm } from '~/forms/announcements.ts'
import { type DraftFields, draftKeyOf } from '~/forms/draft-fields.ts'
import {
  chosenTable,
  type RecipientStep,
  recipientStatuses,
  recipientStatusLabels,
  recipientsTable,
} from '~/forms/recipients.ts'
import { openStep, stepField } from '~/forms/steps.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { escapeHtml } from '~/lib/mail-text.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import { fillPlaceholders, type PlaceholderValues } from '~/lib/placeholders.ts'
import { longestLiveList, readTableQuery, type TableQuery } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { localTimeOf } from '~/lib/zoned-time.ts'
import {
  type Candidate,
  type ChoiceInput,
  countRecipients,
  getRecipientsKey,
  listAnswerChoices,
  listAudienceChoices,
  listCandidates,
  listChosenRecipients,
} from '~/services/announcements/list-recipients.server.ts'
import { getOwnPlaceholders } from '~/services/announcements/preview-message.server.ts'
import {
  getAnnouncementToEdit,
  listTakenUids,
  type MessageToEdit,
  timesKeyOf,
} from '~/services/announcements/read-announcement.server.ts'
import { getRecipientChoice } from '~/services/announcements/recipient-choice.server.ts'
import { copyOf as copyOfValues, defaultSender } from '~/services/announcements/save-announcement.server.ts'
import type { Ctx } from '~/services/context.ts'
import { findDraft, listEndedDrafts } from '~/services/drafts/drafts.server.ts'
import { fileInputs, sentFileOf } from './content-forms.server.ts'
import { offeredDraft } from './form-drafts.server.ts'
import { noteOf } from './messages.server.ts'

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
  const known = message?.uid ?? uidOr(params.get('uid'), '')
  // The Back button of the browser may open the steps of a form that has ended. It begins as that of another message.
  const isEnded = isNew && known !== '' && (await hasFormEnded(ctx, known))
  const uid = isEnded || known === '' ? randomUUID() : known
  const requested = isEnded ? null : params.get(stepField)
  const formKey = draftKeyOf('message', { uid, isNew })
  const kept = requested === null ? null : await findDraft(ctx, { formKey })
  const copied = kept ? valueIn(kept.fields, 'copyOf') : params.get('copy')
  const original = isNew ? await findOriginal(ctx, copied, { withDeleted: kept !== null }) : null
  const defaults = kept ? defaultsIn(kept.fields) : startValues(ctx, message ?? original, { isCopy: original !== null })
  const keptChoice = kept && (valueIn(kept.fields, 'choice') || valueIn(kept.fields, 'choiceUid'))
  const choiceUid = uidOr(params.get('choice'), uidOr(keptChoice, randomUUID()))
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
    timesKey: String(defaults.shownTimes ?? timesKeyOf(message)),
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
            recipientsKey: await getRecipientsKey(ctx, choice),
          }
        : null,
  }
}

/** Tells whether the form of a new message has ended: the message was saved, or its draft was discarded. */
export async function hasFormEnded(ctx: Ctx, uid: string): Promise<boolean> {
  return (await findEndedForms(ctx, [uid.toLowerCase()])).size > 0
}

/** The uids of those forms of new messages that have ended. The uids are in lowercase. */
export async function findEndedForms(ctx: Ctx, uids: string[]): Promise<Set<string>> {
  const uidOf = new Map(uids.map((uid) => [draftKeyOf('message', { uid, isNew: true }), uid]))
  const [ended, taken] = await Promise.all([
    listEndedDrafts(ctx, { formKeys: [...uidOf.keys()] }),
    listTakenUids(ctx, { uids }),
  ])
  return new Set([...taken, ...ended.flatMap((key) => uidOf.get(key) ?? [])])
}

function uidOr(value: string | null | undefined, other: string): string {
  return value && isUid(value) ? value.toLowerCase() : other
}

/** The message that a copy begins with; null for anything that is not there. */
async function findOriginal(
  ctx: Ctx,
  uid: string | null,
  { withDeleted }: { withDeleted: boolean },
): Promise<MessageToEdit | null> {
  if (!uid || !isUid(uid)) return null
  return getAnnouncementToEdit(ctx, { announcementUid: uid, withDeleted }).catch(() => null)
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

/** What the fields of the dialog begin with. */
export function startValues(
  ctx: Ctx,
  source: MessageToEdit | null,
  { isCopy }: { isCopy: boolean },
): Record<string, string> {
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
  return {
    ...values,
    attachment: values.attachment ?? '',
    ...fileInputs('attachment', source.attachment),
    ...timeValues(ctx, isCopy ? null : { ...source, isLate: source.sending === 'late' }),
  }
}

type Times = Pick<MessageToEdit, 'sendAt' | 'notAfter'> & { isLate: boolean }

/** What the review has in the fields about when a message goes out. Times that have passed are not proposed again. */
export function timeValues({ site }: Ctx, message: Times | null) {
  const { sendAt = null, notAfter = null } = message?.isLate ? {} : (message ?? {})
  const moment = (at: Date | null) => (at ? localTimeOf(at, site.timeZone) : '')
  return { when: sendAt ? 'later' : 'now', sendAt: moment(sendAt), notAfter: moment(notAfter) }
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
      choice.deliveryType === 'email' ? 'they have opted out of emails, or are disabled' : 'they are disabled',
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
export function previewOf(own: PlaceholderValues, values: Record<string, unknown>): MessagePreview {
  const [subject, markdown] = [String(values.subject ?? ''), String(values.text ?? '')]
  const html = renderMarkdown(markdown, { headingsFrom: 4 })
  const filled = { subject: fillPlaceholders(subject, own), html: fillPlaceholders(html, own, escapeHtml) }
  return {
    ...filled,
    isPersonal: filled.subject !== subject || filled.html !== html,
    from: String(values.from ?? ''),
    attachment: values.attachment
      ? {
          name: String(values['attachment-fileName'] ?? ''),
          size: formatFileSize(Number(values['attachment-fileSize'] ?? 0) || 0),
        }
      : null,
  }
}
