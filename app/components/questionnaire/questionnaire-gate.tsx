import { useFetcher } from '@remix-run/react'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type Answered, answerErrors, type ProfileQuestion, readAnswers } from '~/forms/questionnaire-rules.ts'
import { LogoutForm } from '../layout/account-menu.tsx'
import { CsrfField, useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { QuestionFields, type Typed } from './question-fields.tsx'

export const allAnswered = 'Your answers have been saved. Redirecting'
export const someAnswered = 'Your answers have been saved. Complete all required questions to continue.'

export const answerMissing = 'Please choose an answer'

export type GateAnswer =
  | { saved: typeof allAnswered }
  /** By field: the required questions that are open. */
  | { saved: typeof someAnswered; open: Record<string, string> }
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
 * Stands before the learner area until the required questions are answered: with JavaScript a modal dialog over it, without the page itself. It has
 * no way out but answering and logging out.
 */
export function QuestionnaireGate({ firstName, questions, answers, next, csrf, answer: posted }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const fetcher = useFetcher<GateAnswer>()
  const [found, setFound] = useState<Typed | null>(null)
  useModal(ref)
  const form = useRef<HTMLFormElement>(null)
  const isHydrated = useHydrated()
  // What was said of the last saving goes as soon as one goes on.
  const [left, setLeft] = useState<GateAnswer | null>(null)
  const said = fetcher.data ?? posted
  const answer = said === left ? undefined : said
  const refused = answer && 'fieldErrors' in answer ? answer : undefined
  const saved = answer && 'saved' in answer ? answer.saved : undefined
  // A question that has got its answer since is open no more.
  const [chosen, setChosen] = useState<string[]>([])
  const open = said && 'open' in said ? without(said.open, left === said ? chosen : []) : undefined
  const refusal = found ?? refused
  useEffect(() => {
    // A whole document, so that nothing of the gate is left.
    if (saved === allAnswered) setTimeout(() => window.location.replace(next), 1200)
  }, [saved, next])
  useEffect(() => {
    const isOpen = said !== undefined && 'open' in said
    if (isOpen || refusal) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [said, refusal])
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
            <span>{refusal?.message ?? saved}</span>
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
          if (!said || !('open' in said)) return
          const { name } = target as unknown as HTMLInputElement
          setChosen(left === said ? [...chosen, name] : [name])
          setLeft(said)
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
          {refusal && (
            <p className="error">
              <Icon name="alert" />
              {refusal.message}
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

function without(open: Record<string, string>, chosen: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(open).filter(([field]) => !chosen.includes(field)))
}

function stayOnEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.preventDefault()
}

/** The page's dialog becomes a modal one when the browser's code arrives, with what was typed into it; a browser that closes it gets it back. */
function useModal(ref: React.RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    const show = () => {
      if (!dialog.isConnected || dialog.matches(':modal')) return
      const focused = dialog.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null
      const top = dialog.scrollTop
      dialog.removeAttribute('open')
      dialog.showModal()
      // Else the browser takes the first that scrolls.
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
