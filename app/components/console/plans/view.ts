import type { RenewalWindow } from '~/forms/plans.ts'
import type { BulkView } from '../bulk/view.ts'

export type PlanRow = {
  uid: string
  name: string
  isPublic: boolean
  isRetired: boolean
  learners: number
  ended: number
  in30: number
  in60: number
  in90: number
  items: number
}

export type PlanForm = { uid: string; name: string; isPublic: boolean; revision: number; isRetired: boolean }

/** What a renewal would do, shown before it is confirmed. `length`: "2 months". */
export type RenewalPreview = {
  /** Sent with the confirmation, so that one that is sent twice renews once. */
  uid: string
  window: RenewalWindow
  duration: string
  unit: string
  learners: number
  length: string
}

export type RenewalView = { plan: { uid: string; name: string }; operation: BulkView | null; window: RenewalWindow }
