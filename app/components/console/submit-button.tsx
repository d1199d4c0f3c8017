import { useNavigation } from '@remix-run/react'
import type { MouseEvent, ReactNode } from 'react'

type Props = {
  /** The id of its form; none for a button inside it. */
  form?: string
  /** Sent as `intent`. */
  intent: string
  className: string
  /** Said while the form is on its way: "Saving". */
  busyWord: string
  disabled?: boolean
  title?: string
  /** May prevent that the form is sent. Not called while one is on its way. */
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void
  children: ReactNode
}

/** Sends a form of the console. While a post is on its way it shows that, and cannot be pressed again. */
export function SubmitButton({ form, intent, className, busyWord, disabled, title, onClick, children }: Props) {
  const posted = usePosted()
  const isBusy = posted?.get('intent') === intent
  return (
    <>
      <button
        className={`btn ${className}`}
        type="submit"
        form={form}
        name="intent"
        value={intent}
        disabled={disabled}
        title={title}
        // Not disabled, which would take the focus from it.
        aria-disabled={posted ? true : undefined}
        aria-busy={isBusy || undefined}
        onClick={(event) => {
          // The second click of a double one may come after the answer, and would then press what has come in its place.
          if (posted || event.detail > 1) event.preventDefault()
          else onClick?.(event)
        }}
      >
        {children}
      </button>
      {/* Beside the button: what changes inside one is not read out. */}
      <span className="sr-only" role="status">
        {isBusy && busyWord}
      </span>
    </>
  )
}

/** What a post that is on its way has sent; null while there is none. */
export function usePosted(): FormData | null {
  const { formMethod, formData } = useNavigation()
  return formMethod === 'POST' ? (formData ?? null) : null
}
