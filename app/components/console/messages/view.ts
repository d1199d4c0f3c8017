/** What the pages of messages show. Dates are texts in the site's time zone. */
import type { Option } from '../../ui/choice-fields.tsx'
import type { DraftOfForm } from '../drafts/form-draft.tsx'
import type { TablePage } from '../grid/types.ts'
import type { SentFile } from '../send-file.ts'

export type MessageRow = {
  uid: string
  name: string
  subject: string
  status: 'draft' | 'sent'
  /** What is happening beside the status: "Scheduled for 3 Dec 2026, 09:00", "Sending 20 of 300". */
  note: string | null
  isEditable: boolean
  /** Its time has passed, and it waits for a decision. */
  isLate: boolean
  /** The first two names. */
  recipients: string[]
  people: number
  audiences: string[]
  author: string
  updatedOn: string
  sentOn: string | null
}

export type CandidateRow = {
  uid: string
  name: string
  email: string
  status: string
  group: string
  institution: string | null
  position: string | null
  research: string | null
  modality: string | null
  region: string | null
  isAdded: boolean
  /** Why the person cannot be chosen. */
  obstacle: string | null
}

export type ChosenView = {
  people: number
  total: number
  page: { uid: string; name: string; email: string }[]
  pageNumber: number
  pageSize: number
  audiences: { uid: string; name: string; people: number }[]
  optedOut: number
}

export type RecipientsView = {
  choiceUid: string
  /** Grows with each change of the choice. */
  changes: number
  candidates: TablePage<CandidateRow>
  /** How many of the people found cannot be chosen. */
  leftOut: number
  whyLeftOut: string
  /** The last change has added all that can be chosen of those found. */
  isFoundAdded: boolean
  options: Record<
    'status' | 'group' | 'institution' | 'position' | 'research' | 'modality' | 'region' | 'due',
    Option[]
  >
  audienceChoices: Option[]
  chosen: ChosenView
}

export type ReviewView = MessagePreview & {
  name: string
  deliveryType: string
  chosen: ChosenView
  /** Names these recipients when the message is sent. */
  recipientsKey: string
}

/** A message as its recipients will see it. */
export type MessagePreview = {
  subject: string
  from: string
  html: string
  attachment: { name: string; size: string } | null
  /** It has placeholders, which are filled with the viewer's own name. */
  isPersonal: boolean
}

/** A message as an email: the source of its HTML part, and its plain text. */
export type EmailPreviewView = { subject: string; html: string; text: string }

/** What the preview shows. `testSentTo`: the address that a test has just been sent to. */
export type PreviewedMessage = MessagePreview & {
  email: EmailPreviewView
  testSentTo: string | null
}

export type MessageDialogView = {
  uid: string
  isNew: boolean
  /** The message that a copy is made of. */
  copyOf: string
  revision: number
  /** Names when the message was to go out as the fields of its time were filled in. */
  timesKey: string
  defaults: Record<string, string | string[]>
  attachment: SentFile | null
  senders: Option[]
  timeZone: string
  /** Now, as an ISO date, for times that have passed. */
  now: string
  draft: DraftOfForm['offered']
  isContinued: boolean
  /** The id of the open step. */
  open: string
  choiceUid: string
  /** Names the next test, so that a double click sends one. */
  testUid: string
  selectedUids: string[]
  note: string | null
  /** Its time has passed, and it waits for a decision. */
  isLate: boolean
  people: number
  /** There are changes of the recipients that are not saved. */
  hasChoice: boolean
  recipients: RecipientsView | null
  review: ReviewView | null
}

/** A message that can no longer be changed. */
/** A message that was deleted while the viewer typed into it. */
export type DeletedMessageView = { uid: string; name: string; draft: NonNullable<MessageHeadView['draft']> }

export type MessageHeadView = {
  uid: string
  name: string
  isEmail: boolean
  status: 'draft' | 'sent'
  note: string | null
  /** What the viewer typed before it was sent, and did not save. */
  draft: { formKey: string; typedAt: number; typedOn: string } | null
  sending: 'scheduled' | 'late' | 'preparing' | 'sending' | 'stopped' | 'done' | null
  /** "Ada L". */
  author: string
  updatedOn: string
  sentOn: string | null
}

export type MessageStatsView = {
  email: RateView[]
  dashboard: RateView[]
  /** What the rates of emails show and what they leave out: machines, and mails without tracking. */
  remarks: string[]
  /** What became of the message, with the number of people. */
  deliveries: { label: string; people: string }[]
  /** Why emails do not go out at the moment, and when the next try is; null if they do. */
  waiting: string | null
  /** Mails in doubt, which only a person sends again. */
  inDoubt: number
  review: Omit<ReviewView, 'name' | 'chosen' | 'recipientsKey'>
}

export type MessageRecipientsView = {
  rows: {
    id: string
    userUid: string | null
    name: string
    status: string
    email: string
    /** What became of the message, in words and times. */
    story: string[]
  }[]
  total: number
}

/** Everything that happened to a message for one person, in the order of time. */
export type RecipientStoryView = {
  userUid: string
  name: string
  email: string
  status: string
  steps: { at: string | null; what: string; words: string | null }[]
  /** The mail that is in doubt and may be sent again. */
  doubtful: string | null
}

/**
 * A share of the recipients: "67%", or "N/A" where the message was not sent that way. `tag`: "Best open rate". `note` says
 * that the difference may be chance.
 */
export type RateView = { label: string; value: string; tag: string | null; note: string | null }

export type ComparedMessage = {
  uid: string
  name: string
  subject: string
  deliveryType: 'email' | 'dashboard'
  sentOn: string
  email: RateView[]
  dashboard: RateView[]
}
