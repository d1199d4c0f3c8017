import type { MailFilters } from '~/forms/mails.ts'

type Tone = 'sent' | 'processing' | 'error' | 'draft'

export type MailRow = {
  uid: string
  at: string
  kind: string
  subject: string
  /** The name and the address. */
  to: string
  userUid: string | null
  state: { label: string; tone: Tone }
}

export type MailsView = {
  rows: MailRow[]
  filters: Omit<MailFilters, 'after'>
  /** The addresses of the next page and of the first one; null if there is none, or if this is it. */
  next: string | null
  newest: string | null
  /** What an empty list is about. */
  isFiltered: boolean
  timeZone: string
}

export type MailView = MailRow & {
  message: { uid: string; name: string } | null
  /** What happened, in order. */
  story: { at: string | null; what: string; words: string | null }[]
  suppressionUid: string | null
}

export type SuppressionRow = { uid: string; address: string; reason: string; words: string; since: string }

export type SuppressionsView = { rows: SuppressionRow[]; total: number; page: number; size: number }
