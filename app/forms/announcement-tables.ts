/** The queries that the address of the console's table of messages may contain. */

/** Subject is no column. It is the usual order, and stands below the name (C-030). */
export const messageSorts = ['subject', 'name', 'status', 'recipients', 'author', 'updated', 'sent'] as const
export type MessageSort = (typeof messageSorts)[number]

export const messagesTable = {
  prefix: '',
  sorts: messageSorts,
  sortsWithoutColumn: { subject: 'Subject' },
  descendingFirst: ['recipients', 'updated', 'sent'],
  sizes: [10, 20],
  filters: ['status'],
} as const

/** The people who got a message, by name. */
export const messageRecipientsTable = {
  prefix: 'recipients.',
  sorts: ['name'],
  descendingFirst: [],
  sizes: [20],
  filters: [],
} as const

export const messageStates = ['draft', 'scheduled', 'sending', 'stopped', 'late', 'sent'] as const
export type MessageState = (typeof messageStates)[number]

export const messageStateOptions: { value: MessageState; label: string }[] = [
  { value: 'draft', label: 'Draft' },
  { value: 'scheduled', label: 'Scheduled' },
  { value: 'late', label: 'Late' },
  { value: 'sending', label: 'Sending' },
  { value: 'stopped', label: 'Stopped' },
  { value: 'sent', label: 'Sent' },
]

/** How many messages can be compared (C-034). */
export const mostCompared = 4
export const mostComparedNote = 'Maximum of 4 messages can be selected for comparison.'
