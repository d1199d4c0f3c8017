import type { DraftFields } from '~/forms/draft-fields.ts'

/** A draft that was typed earlier and can be restored. */
export type OfferedDraft = {
  formKey: string
  fields: DraftFields
  /** In milliseconds, and as people read it. */
  typedAt: number
  typedOn: string
}

/** A form that comes back with the values of a draft. */
export type RestoredDraft = { restoredFrom: string }
