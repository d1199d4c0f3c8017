import { useFetcher } from '@remix-run/react'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import {
  type Answered,
  answerErrors,
  type nothingChosen,
  type ProfileQuestion,
  readAnswers,
} from '~/forms/questionnaire-rules.ts'
import { LogoutForm } from '../layout/account-menu.tsx'
import { CsrfField, useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { QuestionFields, type Typed } from './question-fields.tsx'

export const allAnswered = 'Your answers have been saved. Redirecting'
export const someAnswered = 'Your answers have been saved. Complete all required questions to continue.'

export const answerMissing = 'Please choose an answer'

export type GateAnswer =
  | { saved: typeof allAnswered }
  /** `open` has the messages of required questions that are still open, by field. */
  | { saved: typeof someAnswered; open: Record<string, string> }
  | { unsaved: typeof nothingChosen; open: Record<string, string> }
  | (Typed & { csrf: string })

type Props = {
  firstName: string
  questions: ProfileQuestion[]
  answers: Answered[]
  next: string
  csrf: string | null
  answer: GateAnswer | undefined
}

/**
 * Blocks the learner area until the required questions are answered. With JavaScript it is a modal dialog, without it
 * the whole page. People can only answer or log out.
 */
export function QuestionnaireGate({ firstName, questions, answers, next, csrf, answer: posted }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const fetcher = useFetcher<GateAnswer>()
  const [found, setFound] = useState<Typed | null>(null)
  useModalGate(ref)
  const form = useRef<HTMLFormElement>(null)
  const isHydrated = useHydrated()
  // The message of the last save disappears when the person changes the form.
  const [dismissed, setDismissed] = useState<GateAnswer | null>(null)
  const lastAnswer = fetcher.data ?? posted
  const answer = lastAnswer === dismissed ? undefined : lastAnswer
  const refused = answer && 'fieldErrors' in answer ? answer : undefined
  const saved = answer && 'saved' in answer ? answer.saved : undefined
  const unsaved = answer && 'unsaved' in answer ? answer.unsaved : undefined
  // A question that has been answered since the last save is no longer open.
  const [chosen, setChosen] = useState<string[]>([])
  const open =
    lastAnswer && 'open' in lastAnswer ? without(lastAnswer.open, dismissed === lastAnswer ? chosen : []) : undefined
  const refusal = found ?? refused
  useEffect(() => {
    // Loads a whole document, so that nothing of the gate remains.
    if (saved === allAnswered) setTimeout(() => window.location.replace(next), 1200)
  }, [saved, next])
  useEffect(() => {
    const isOpen = lastAnswer !== undefined && 'open' in lastAnswer
    if (isOpen || refusal) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [lastAnswer, refusal])
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const fieldErrors = answerErrors(questions, readAnswers(new FormData(event.currentTarget), questions))
    const [message] = Object.values(fieldErrors)
    if (message === undefined) return setFound(null)
    event.preventDefault()
    setFound({ message, fieldErrors, values: {} })
  }
  const isBusy = fetcher.state !== 'idle' || saved === allAnswered
  return (
    <dialog ref={ref} className="gate" open aria-labelledby="gate-title" onKeyDown={stayOnEscape}>
      <header>
        <h1 id="gate-title" tabIndex={-1}>
          {firstName ? `Welcome, ${firstName}` : 'Welcome!'}
        </h1>
        <p>Please answer the following to continue:</p>
        <p className="small muted">* indicates a required question</p>
        {!isHydrated && (refusal || open) && (
          <p className="notice notice--error mt-4">
            <Icon name="alert" />
            <span>{refusal ? sentenceOf(refusal) : (unsaved ?? saved)}</span>
          </p>
        )}
      </header>
      <fetcher.Form
        id="questionnaire"
        method="post"
        action={`/questionnaire/?next=${encodeURIComponent(next)}`}
        noValidate
        ref={form}
        onSubmit={onSubmit}
        onChange={({ target }) => {
          if (!lastAnswer || !('open' in lastAnswer)) return
          const { name } = target as unknown as HTMLInputElement
          setChosen(dismissed === lastAnswer ? [...chosen, name] : [name])
          setDismissed(lastAnswer)
        }}
      >
        <QuestionFields questions={questions} answers={answers} refusal={refusal} open={open} />
        <CsrfField token={(refused && 'csrf' in refused && refused.csrf) || csrf} />
      </fetcher.Form>
      <footer>
        <div className="acts">
          <button
            className="btn btn--primary"
            type="submit"
            form="questionnaire"
            name="intent"
            value="save"
            aria-disabled={isBusy || undefined}
          >
            Save
          </button>
          <LogoutForm csrf={csrf} className="btn btn--quiet" />
        </div>
        <div aria-live="polite">
          {isHydrated && (refusal || unsaved) && (
            <p className="error">
              <Icon name="alert" />
              {refusal ? sentenceOf(refusal) : unsaved}
            </p>
          )}
          {!refusal && saved && (isHydrated || !open) && (
            <p className="said">
              <Icon name="check" />
              {saved}
            </p>
          )}
        </div>
      </footer>
    </dialog>
  )
}

/** What is said beside a question is not repeated. */
function sentenceOf({ message, fieldErrors }: Typed): string {
  const count = Object.keys(fieldErrors).length
  if (!Object.values(fieldErrors).includes(message)) return message
  return count === 1
    ? 'Please correct the answer that is marked.'
    : `Please correct the ${count} answers that are marked.`
}

function without(open: Record<string, string>, chosen: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(open).filter(([field]) => !chosen.includes(field)))
}

function stayOnEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.preventDefault()
}

/**
 * Turns the page's dialog into a modal dialog after hydration and keeps its values. It opens again if the browser
 * closes it.
 */
function useModalGate(ref: React.RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    const show = () => {
      if (!dialog.isConnected || dialog.matches(':modal')) return
      const focused = dialog.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null
      const top = dialog.scrollTop
      dialog.removeAttribute('open')
      dialog.showModal()
      // Without this the browser focuses the first element that scrolls.
      ;(focused ?? dialog.querySelector('h1'))?.focus()
      dialog.scrollTop = top
    }
    const stay = (event: Event) => event.preventDefault()
    show()
    dialog.addEventListener('cancel', stay)
    dialog.addEventListener('close', show)
    return () => {
      dialog.removeEventListener('cancel', stay)
      dialog.removeEventListener('close', show)
    }
  }, [ref])
}
