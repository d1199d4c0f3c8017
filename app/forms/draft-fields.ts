/** The names under which drafts of console forms are kept and sent. Without a library, for the browser. */
import { isUid } from '~/lib/uid.ts'
import { neverSentBack } from './never-sent-back.ts'

/**
 * `recipients`: a choice of recipients, which the form of its message names. `test`: what a test of a message says, until
 * it is sent.
 */
const draftKinds = ['course', 'lecture', 'message', 'module', 'recipients', 'term', 'test', 'video'] as const
export type DraftKind = (typeof draftKinds)[number]

/** The names and values of a form's fields, in the order in which the form posts them. */
export type DraftFields = [name: string, value: string][]

/** What the buttons of an offered draft send as `intent`. Nothing of the form is checked or saved then. */
export const restoreDraft = 'restore-draft'
export const discardDraft = 'discard-draft'
/** Deletes the draft of a form that stays open, because what was typed into it has been taken back. */
export const takeBackDraft = 'take-back-draft'

/**
 * Hidden fields: the key of the form's own draft, and when it was sent, by the browser's clock; the key of the offered
 * draft, and if the browser has it, its fields and when it was typed.
 */
export const draftKeyField = 'draftKey'
export const typedAtField = 'typedAt'
export const offeredKeyField = 'offeredDraftKey'
export const offeredFieldsField = 'offeredDraft'
export const offeredAtField = 'offeredDraftAt'

/** The key of a draft: of the form of an existing thing, or of a new one that will get this uid. */
export function draftKeyOf(kind: DraftKind, thing: { uid: string; isNew: boolean }): string {
  return `${newDraftsOf(kind, thing.isNew)}${thing.uid.toLowerCase()}`
}

/** What the keys of a kind's new things, or of its existing ones, begin with. */
export function newDraftsOf(kind: DraftKind, isNew = true): string {
  return `${kind}:${isNew ? 'new:' : ''}`
}

export function isDraftKey(key: string): boolean {
  const uid = key.slice(key.lastIndexOf(':') + 1)
  return (
    isUid(uid) &&
    uid === uid.toLowerCase() &&
    draftKinds.some((kind) => [true, false].some((isNew) => key === newDraftsOf(kind, isNew) + uid))
  )
}

export function isKeyOfNew(key: string): boolean {
  return key.includes(':new:')
}

/** Tells whether a draft keeps a field: what people enter, and what the form was opened with. */
export function isKeptInDrafts(name: string): boolean {
  if (name.startsWith('__') || neverSentBack.test(name)) return false
  return !['intent', draftKeyField, typedAtField, offeredKeyField, offeredFieldsField, offeredAtField].includes(name)
}
