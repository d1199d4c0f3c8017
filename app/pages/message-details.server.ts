/** A message that is sent or on its way: what it says, how it was received, and what became of it for each recipient. */
import type {
  DeletedMessageView,
  MessageHeadView,
  MessageRecipientsView,
  MessageStatsView,
  RecipientStoryView,
} from '~/components/console/messages/view.ts'
import { deliveryLabels } from '~/forms/announcements.ts'
import { mailStates } from '~/forms/mails.ts'
import { userStatusLabels } from '~/forms/user-tables.ts'
import type { CsvRow } from '~/lib/csv.ts'
import { formatDay, formatMoment } from '~/lib/dates.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import { shortName } from '~/lib/short-name.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { localTimeOf } from '~/lib/zoned-time.ts'
import { listMessageFigures, type MessageFigures } from '~/services/announcements/compare.server.ts'
import {
  countDeliveries,
  type DeliveryState,
  findWaitingMails,
  getRecipientStory,
  listMessageRecipients,
  listRecipientStories,
  type MessageRecipient,
  type RecipientStory,
  type TrackingCounts,
  type WaitingMails,
} from '~/services/announcements/details.server.ts'
import type { MessageToEdit } from '~/services/announcements/read-announcement.server.ts'
import { countSendingProgress, listMessageEntries } from '~/services/announcements/table.server.ts'
import type { Ctx } from '~/services/context.ts'
import { ratesAmong } from './compare-messages.server.ts'
import { offeredDraft } from './form-drafts.server.ts'
import { type MailStep, skipReason, stepsOfMail } from './mail-steps.server.ts'
import { noteOf } from './messages.server.ts'

/** A deleted message, if the viewer has typed something into it that is not saved; null for any other. */
export async function getDeletedMessage(
  ctx: Ctx,
  { uid, values, deletedAt }: MessageToEdit,
): Promise<DeletedMessageView | null> {
  const draft = deletedAt && (await offeredDraft(ctx, { kind: 'message', uid }))
  if (!draft) return null
  return { uid, name: values.name, draft: { formKey: draft.formKey, typedAt: draft.typedAt, typedOn: draft.typedOn } }
}

export async function getMessageHead(ctx: Ctx, message: MessageToEdit): Promise<MessageHeadView> {
  const { uid, values, status, sending, sentAt } = message
  const { timeZone } = ctx.site
  const [progress, [entry], draft] = await Promise.all([
    countSendingProgress(ctx, [uid]),
    listMessageEntries(ctx, [uid]),
    offeredDraft(ctx, { kind: 'message', uid }),
  ])
  return {
    uid,
    name: values.name,
    isEmail: values.deliveryType === 'email',
    status,
    sending,
    note: noteOf(ctx, message, progress.get(uid)),
    draft: draft && { formKey: draft.formKey, typedAt: draft.typedAt, typedOn: draft.typedOn },
    author: entry?.author ? shortName(entry.author) : (entry?.authorName ?? ''),
    updatedOn: entry ? formatDay(entry.updatedAt, timeZone) : '',
    sentOn: sentAt && formatDay(sentAt, timeZone),
  }
}

/** The tab "Stats" (C-063 to C-066). */
export async function getMessageStats(ctx: Ctx, message: MessageToEdit): Promise<MessageStatsView> {
  const { uid, values, attachment } = message
  const [[figures], { deliveries, tracking }, waiting] = await Promise.all([
    listMessageFigures(ctx, { uids: [uid] }),
    countDeliveries(ctx, { announcementUid: uid }),
    findWaitingMails(ctx, { announcementUid: uid }),
  ])
  return {
    ...ratesAmong(figures ?? null, figures ? [figures] : []),
    remarks: values.deliveryType === 'email' ? remarksOf(tracking, figures) : [],
    deliveries: deliveries.map((one) => ({
      label: inWords(one.state, one.reason),
      people: one.people.toLocaleString('en'),
    })),
    waiting: waiting && waitingInWords(ctx, waiting),
    inDoubt: deliveries.find(({ state }) => state === 'in_doubt')?.people ?? 0,
    review: {
      subject: values.subject,
      deliveryType: deliveryLabels[values.deliveryType],
      from: values.from,
      html: renderMarkdown(values.text, { headingsFrom: 4 }),
      isPersonal: false,
      attachment: attachment && { name: attachment.originalFileName, size: formatFileSize(attachment.size) },
    },
  }
}

/** Why emails do not go out. The words are those of the mail server, or of the connection to it. */
function waitingInWords(ctx: Ctx, { count, response, nextAt }: WaitingMails): string {
  const wait = count === 1 ? 'One email waits' : `${count.toLocaleString('en')} emails wait`
  const next = formatMoment(nextAt, ctx.site.timeZone)
  return `${wait}, because the mail server did not take ${count === 1 ? 'it' : 'them'}: “${response}”. The next try is on ${next}.`
}

/** Says what the rates of emails show, what they leave out, and what is still known without tracking. */
function remarksOf({ tracked, untracked, unsubscribed }: TrackingCounts, figures?: MessageFigures): string[] {
  const { machineOpens = 0, machineClicks = 0 } = figures ?? {}
  const remarks: string[] = []
  if (tracked > 0) {
    remarks.push(
      machineOpens + machineClicks === 0
        ? 'The rates count people. No machine has opened an email or followed a link.'
        : `The rates count people. They leave out machines, such as Apple’s proxy and scanners: these opened ${emails(machineOpens)} and followed links in ${emails(machineClicks)}.`,
    )
  }
  if (untracked > 0 && tracked === 0) {
    remarks.push(
      'These emails were sent without tracking. It is known what became of each on its way and who unsubscribed, but not who opened it or followed a link.',
    )
  } else if (untracked > 0) {
    const sent = untracked === 1 ? 'One email was' : `${untracked.toLocaleString('en')} emails were`
    remarks.push(`${sent} sent without tracking. Whether people opened them is not known, so they count as unread.`)
  }
  if (unsubscribed > 0) {
    const people = unsubscribed === 1 ? 'One person has' : `${unsubscribed.toLocaleString('en')} people have`
    remarks.push(`${people} unsubscribed with the link in the email.`)
  }
  return remarks
}

function emails(count: number): string {
  return count === 1 ? 'one email' : `${count.toLocaleString('en')} emails`
}

const stateLabels: Record<DeliveryState, string> = {
  ...mailStates,
  open: 'Not decided yet',
  delivered: 'On the dashboard',
}

/** "Left out. The address was suppressed." */
function inWords(state: DeliveryState, reason: string | null): string {
  return reason === null ? stateLabels[state] : `${stateLabels[state]}. ${skipReason(reason)}`
}

/** The tab "Recipients" (C-067), with what became of the message for each of them. */
export async function getMessageRecipients(
  ctx: Ctx,
  { announcementUid, query }: { announcementUid: string; query: Pick<TableQuery, 'search' | 'page'> },
): Promise<MessageRecipientsView> {
  const { search, page } = query
  const { items, total } = await listMessageRecipients(ctx, { announcementUid, search, page })
  return {
    rows: items.map((person) => ({
      id: String(person.id),
      userUid: person.userUid,
      name: person.name,
      status: person.status === null ? 'Erased' : userStatusLabels[person.status],
      email: person.email,
      story: storyOf(ctx, person),
    })),
    total,
  }
}

/** Everything that is known, in the order in which it happened. */
function storyOf(ctx: Ctx, person: MessageRecipient): string[] {
  const at = (moment: Date | null) => (moment ? ` on ${formatMoment(moment, ctx.site.timeZone)}` : '')
  const { state, reason, attempts, sentAt, endedAt } = person
  const outcome =
    state === 'skipped'
      ? inWords(state, reason)
      : `${stateLabels[state]}${at(endedAt ?? sentAt)}${attempts > 1 ? `, after ${attempts} attempts` : ''}`
  return [
    outcome,
    ...(reason !== null && state !== 'skipped' ? [`“${reason}”`] : []),
    ...(person.openedAt ? [`Opened${at(person.openedAt)}`] : []),
    ...(person.clickedAt ? [`Link followed${at(person.clickedAt)}`] : []),
    ...(person.pinnedAt ? [`Pinned${at(person.pinnedAt)}`] : []),
    ...(person.unsubscribedAt ? [`Unsubscribed with the link${at(person.unsubscribedAt)}`] : []),
  ]
}

/** The whole story of a message for one person, step by step. */
export async function getRecipientStoryView(
  ctx: Ctx,
  input: { announcementUid: string; userUid: string },
): Promise<RecipientStoryView> {
  const story = await getRecipientStory(ctx, input)
  const { userUid, name, email, status, state, mail } = story
  const time = ({ at }: MailStep) => at?.getTime() ?? Number.POSITIVE_INFINITY
  return {
    userUid: userUid ?? '',
    name,
    email,
    status: status === null ? 'Erased' : userStatusLabels[status],
    steps: [...stepsOf(story), ...deedsOf(story)]
      .sort((one, other) => time(one) - time(other))
      .map(({ at, what, words }) => ({ at: at && formatMoment(at, ctx.site.timeZone), what, words })),
    doubtful: mail && state === 'in_doubt' ? mail.uid : null,
  }
}

const dateOf = (text: string | null | undefined) => (text ? new Date(text) : null)

/** The way of the message to somebody. */
function stepsOf({ state, skipped, sentAt, mail }: RecipientStory): MailStep[] {
  if (mail && state !== 'open' && state !== 'delivered') {
    return stepsOfMail({
      ...mail,
      state,
      createdAt: new Date(mail.createdAt),
      triedAt: dateOf(mail.triedAt),
      nextAt: new Date(mail.nextAt),
      endedAt: dateOf(mail.endedAt),
      returnedAt: dateOf(mail.returnedAt),
    })
  }
  return [{ at: state === 'open' ? null : sentAt, what: stateLabels[state], words: skipReason(skipped) }]
}

/** What was done with it. */
function deedsOf(story: RecipientStory): MailStep[] {
  const deeds: [Date | null, string][] = [
    [story.machineOpenedAt, 'Opened by a machine'],
    [story.machineClickedAt, 'Link followed by a machine'],
    [story.openedAt, 'Opened'],
    [story.clickedAt, 'Link followed'],
    [story.pinnedAt, 'Pinned'],
    [dateOf(story.mail?.unsubscribedAt), 'Unsubscribed with the link in the email'],
  ]
  return deeds.flatMap(([at, what]) => (at ? [{ at, what, words: null }] : []))
}

const storiesAtOnce = 1000

/** The ledger of a message as a file: a row for each recipient. */
export async function* recipientParts(ctx: Ctx, announcementUid: string): AsyncGenerator<CsvRow[]> {
  const times = ['Prepared', 'First attempt', 'Ended', 'Came back', 'Opened', 'Link followed', 'Pinned', 'Unsubscribed']
  const ofMachines = ['Opened by a machine', 'Link followed by a machine']
  yield [
    [
      ...['Name', 'Email', 'Status', 'What became of it', 'Why left out', 'Answer of the mail server', 'Attempts'],
      'Tracked',
      ...[...times, ...ofMachines].map((head) => `${head} (${ctx.site.timeZone})`),
    ],
  ]
  let after: number | null = 0
  while (after !== null) {
    const batch: Awaited<ReturnType<typeof listRecipientStories>> = await listRecipientStories(ctx, {
      announcementUid,
      after,
      size: storiesAtOnce,
    })
    yield batch.items.map((story) => csvRowOf(ctx, story))
    after = batch.next
  }
}

function csvRowOf(ctx: Ctx, story: RecipientStory): CsvRow {
  const { name, email, status, state, skipped, sentAt, mail } = story
  const moments = [
    ...[dateOf(mail?.createdAt) ?? sentAt, dateOf(mail?.triedAt), dateOf(mail?.endedAt), dateOf(mail?.returnedAt)],
    ...[story.openedAt, story.clickedAt, story.pinnedAt, dateOf(mail?.unsubscribedAt)],
    ...[story.machineOpenedAt, story.machineClickedAt],
  ]
  return [
    ...[name, email, status === null ? 'Erased' : userStatusLabels[status], stateLabels[state]],
    ...[skipReason(skipped) ?? '', state === 'skipped' ? '' : (mail?.response ?? ''), mail?.attempts ?? ''],
    mail ? (mail.isTracked ? 'Yes' : 'No') : '',
    ...moments.map((at) => (at ? localTimeOf(at, ctx.site.timeZone).replace('T', ' ') : '')),
  ]
}
