/** The ledger of mails and the suppressed addresses in the console, in words. */
import type { MailRow, MailsView, MailView, SuppressionRow, SuppressionsView } from '~/components/console/mails/view.ts'
import {
  type MailFilters,
  type MailState,
  mailFilters,
  mailKinds,
  mailStates,
  suppressionReasons,
  suppressionsTable,
} from '~/forms/mails.ts'
import { formatMoment } from '~/lib/dates.ts'
import { type TableQuery, tableSearch } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import { getMail, type LedgerMail, listMails, type MailStory } from '~/services/mail/list-mails.server.ts'
import { getSuppression, listSuppressions, type Suppression } from '~/services/mail/suppressions.server.ts'

const path = '/dashboard/mails/'

export function mailFiltersOf(params: URLSearchParams): MailFilters {
  return mailFilters.parse(Object.fromEntries(params))
}

export async function getMailsPage(ctx: Ctx, filters: MailFilters): Promise<MailsView> {
  const { items, endCursor, hasNextPage } = await listMails(ctx, filters)
  const { after, ...shown } = filters
  const query = new URLSearchParams(Object.entries(shown).filter(([, value]) => value !== ''))
  const next = new URLSearchParams(query)
  next.set('after', endCursor ?? '')
  return {
    rows: items.map((mail) => rowOf(ctx, mail)),
    filters: shown,
    next: hasNextPage ? `${path}?${next}` : null,
    newest: after === '' ? null : path + tableSearch(`?${query}`),
    isFiltered: query.size > 0,
    timeZone: ctx.site.timeZone.replaceAll('_', ' '),
  }
}

export async function getMailPage(ctx: Ctx, input: { uid: string }): Promise<MailView> {
  const mail = await getMail(ctx, input)
  return {
    ...rowOf(ctx, mail),
    message: mail.announcement,
    story: storyOf(ctx, mail),
    suppressionUid: mail.suppression?.uid ?? null,
  }
}

const tones: Record<MailState, MailRow['state']['tone']> = {
  queued: 'processing',
  sending: 'processing',
  accepted: 'sent',
  refused: 'error',
  in_doubt: 'error',
  bounced: 'error',
  complained: 'error',
  skipped: 'draft',
}

function rowOf(ctx: Ctx, mail: LedgerMail): MailRow {
  const { uid, kind, subject, name, address, userUid, state, createdAt } = mail
  return {
    uid,
    at: formatMoment(createdAt, ctx.site.timeZone),
    kind: mailKinds[kind],
    subject: subject || '(no subject)',
    to: [name, address].filter(Boolean).join(', ') || 'A person who was erased',
    userUid,
    state: { label: mailStates[state], tone: tones[state] },
  }
}

const reasons: Record<string, string> = {
  opted_out: 'The person does not want mails of this kind.',
  no_address: 'The address cannot get mail.',
  disabled: 'The account cannot be used.',
  suppressed: 'The address was suppressed.',
}

const endings: Partial<Record<MailState, string>> = {
  accepted: 'The mail server accepted it.',
  refused: 'The mail server refused it for good.',
  in_doubt: 'It was handed over, and no answer came. It may have arrived.',
  bounced: 'The mail server accepted it.',
  complained: 'The mail server accepted it.',
  skipped: 'It was left out.',
}

function storyOf(ctx: Ctx, mail: MailStory): MailView['story'] {
  const { state, response, attempts, createdAt, triedAt, endedAt, returnedAt, nextAt } = mail
  const at = (moment: Date) => formatMoment(moment, ctx.site.timeZone)
  const isReturned = state === 'bounced' || state === 'complained'
  const words = state === 'skipped' ? (reasons[response ?? ''] ?? response) : response
  const story: MailView['story'] = [{ at: at(createdAt), what: 'It was queued.', words: null }]
  if (triedAt) {
    const times = attempts > 1 ? ` It was handed over ${attempts} times in all.` : ''
    story.push({ at: at(triedAt), what: `It was handed to the mail server.${times}`, words: null })
  }
  if (endedAt) story.push({ at: at(endedAt), what: endings[state] ?? '', words: isReturned ? null : words })
  if (returnedAt) {
    const what = state === 'complained' ? 'The recipient complained about it.' : 'It came back.'
    story.push({ at: at(returnedAt), what, words })
  }
  if (state === 'queued' && attempts > 0) story.push({ at: at(nextAt), what: 'It is tried again.', words })
  return story
}

export async function getSuppressionsPage(ctx: Ctx, { search, page }: TableQuery): Promise<SuppressionsView> {
  const size = suppressionsTable.sizes[0] ?? 50
  const { items, total } = await listSuppressions(ctx, { search, page, size })
  return { rows: items.map((one) => suppressionRow(ctx, one)), total, page, size }
}

export async function getSuppressionPage(ctx: Ctx, input: { uid: string }): Promise<SuppressionRow> {
  return suppressionRow(ctx, await getSuppression(ctx, input))
}

function suppressionRow(ctx: Ctx, { uid, address, reason, response, since }: Suppression): SuppressionRow {
  return {
    uid,
    address,
    reason: suppressionReasons[reason],
    words: response ?? '',
    since: formatMoment(since, ctx.site.timeZone),
  }
}
