import type { ScheduledAction } from '~/forms/schedule.ts'

/** A change that waits for its time, as the dialog of its content shows it: "Published on Nov 25, 2026, 9:00 AM". */
export type WaitingChange = { uid: string; text: string; at: number }

export type ScheduleView = {
  kind: string
  uid: string
  name: string
  status: 'draft' | 'published'
  /** Learners see it, or are to see it. */
  canUnpublish: boolean
  waiting: WaitingChange[]
  /** What is worth a look before it is published. */
  problems: string[]
  /** What the form begins with. */
  defaults: { action: ScheduledAction; at: string }
  /** The time of the page, in milliseconds. Times before it are refused. */
  now: number
}

/** A row of the schedule. */
export type ScheduleRow = {
  uid: string
  name: string
  kind: string
  /** The address of its dialog; null if it is gone. */
  to: string | null
  change: 'Publish' | 'Unpublish'
  on: string
  /** The same in milliseconds. */
  at: number
  plannedBy: string
  state: string
  isWaiting: boolean
  hasFailed: boolean
}
