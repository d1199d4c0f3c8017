/** What a form of the console holds: to find out whether it has changed, and to keep it as a draft. */
import { type DraftFields, isKeptInDrafts } from '~/forms/draft-fields.ts'
import { isPickerState } from '~/forms/picked.ts'
import { stepField } from '~/forms/steps.ts'

/**
 * What a form sends beside what a person has entered: its token, its step, the thing that it is about, and what it was
 * opened with. A page that loads again has another token, and another uid for a new thing.
 */
const notEntered = new Set([
  ...['csrf', stepField, 'uid', 'revision', 'opened', 'openedItems', 'openedText'],
  // The request of a test, and what steps 2 and 3 of a message show.
  ...['testUid', 'recipients', 'choiceUid', 'tickedUids', 'filterState', 'shownRecipients', 'shownTimes'],
])

/** Returns the values of a form that a person has entered, without what a picker shows. */
export function contentOf(form: HTMLFormElement): string {
  const entries = [...new FormData(form)].filter(
    ([name]) => isKeptInDrafts(name) && !notEntered.has(name) && !isPickerState(name),
  )
  return JSON.stringify(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : [value.name, value.size]]),
  )
}

/** Returns the fields of a form as a draft keeps them. Chosen files are not part of it until they are uploaded. */
export function draftFieldsOf(form: HTMLFormElement): DraftFields {
  return [...new FormData(form)].filter(
    (field): field is [string, string] =>
      typeof field[1] === 'string' && isKeptInDrafts(field[0]) && !isPickerState(field[0]),
  )
}

/** Tells whether two drafts have the same content, of whatever revision of the thing. */
export function isSameDraft(one: DraftFields, other: DraftFields): boolean {
  return enteredIn(one) === enteredIn(other)
}

function enteredIn(fields: DraftFields): string {
  return JSON.stringify(fields.filter(([name]) => !notEntered.has(name)))
}
