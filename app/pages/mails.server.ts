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
import { getMail, type LedgerMail, listMails } from '~/services/mail/list-mails.server.ts'
import { getSuppression, listSuppressions, type Suppression } from '~/services/mail/suppressions.server.ts'
import { stepsOfMail } from './mail-steps.server.ts'

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
    story: stepsOfMail(mail).map(({ at, ...step }) => ({ at: at && formatMoment(at, ctx.site.timeZone), ...step })),
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
