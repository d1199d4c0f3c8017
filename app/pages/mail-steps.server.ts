/** What became of a mail, step by step, in the words of its states. */
import { type MailState, mailStates, skipReasons } from '~/forms/mails.ts'

/** `at` is null for what has no time. `words` are those of the mail server, or say why. */
export type MailStep = { at: Date | null; what: string; words: string | null }

type Mail = {
  state: MailState
  response: string | null
  attempts: number
  createdAt: Date
  triedAt: Date | null
  nextAt: Date
  endedAt: Date | null
  returnedAt: Date | null
  isTracked?: boolean
}

export function stepsOfMail(mail: Mail): MailStep[] {
  const { state, response, attempts, createdAt, triedAt, nextAt, endedAt, returnedAt, isTracked } = mail
  const steps: MailStep[] = [{ at: createdAt, what: 'Prepared', words: null }]
  if (triedAt && attempts > 0) {
    steps.push({
      at: triedAt,
      what: attempts > 1 ? `First of ${attempts} attempts` : 'Handed to the mail server',
      words: isTracked === false ? 'Without tracking: whether it is opened is not known.' : null,
    })
  }
  const isReturned = state === 'bounced' || state === 'complained'
  if (isReturned && returnedAt) steps.push({ at: endedAt, what: mailStates.accepted, words: null })
  if (state === 'queued' && attempts > 0) {
    return [...steps, { at: nextAt, what: 'To be tried again', words: response }]
  }
  const at = (isReturned ? returnedAt : null) ?? endedAt
  return [...steps, { at, what: mailStates[state], words: state === 'skipped' ? skipReason(response) : response }]
}

export function skipReason(reason: string | null): string | null {
  return reason === null ? null : (skipReasons[reason] ?? reason)
}
