/** The table of the recipients of a message that was sent. The service sorts and filters by the same names. */

export const sentRecipientSorts = ['name', 'email', 'status', 'outcome'] as const
export type SentRecipientSort = (typeof sentRecipientSorts)[number]

export const sentRecipientsTable = {
  prefix: 'people.',
  sorts: sentRecipientSorts,
  descendingFirst: [],
  sizes: [20, 50, 100],
  filters: ['outcome'],
} as const

/** What became of a message for somebody. Delivered: on the dashboard, or accepted by the mail server. */
export const outcomes = [
  'waiting',
  'delivered',
  'refused',
  'in_doubt',
  'bounced',
  'complained',
  'left_out',
] as const
export type Outcome = (typeof outcomes)[number]

/** What people did with it, which can be filtered by too. */
export const deeds = ['opened', 'unread', 'clicked', 'pinned', 'unsubscribed'] as const
export type Deed = (typeof deeds)[number]

export const outcomeLabels: Record<Outcome | Deed, string> = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  refused: 'Refused',
  in_doubt: 'In doubt',
  bounced: 'Came back',
  complained: 'Complained',
  left_out: 'Left out',
  opened: 'Opened',
  unread: 'Unread',
  clicked: 'Followed a link',
  pinned: 'Pinned',
  unsubscribed: 'Unsubscribed',
}

export const outcomeOptions = [...outcomes, ...deeds].map((value) => ({ value, label: outcomeLabels[value] }))

export const skipReasons = {
  opted_out: 'opted out of emails',
  no_address: 'no address',
  disabled: 'the account is disabled or deleted',
  suppressed: 'the address is suppressed',
} as const
