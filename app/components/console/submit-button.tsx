import { useNavigation } from '@remix-run/react'
import type { MouseEvent, ReactNode } from 'react'

type Props = {
  /** The id of the form, for a button outside it. */
  form?: string
  /** The value of `intent` in the post. */
  intent: string
  className: string
  /** Announced while the post is pending: "Saving". */
  busyWord: string
  disabled?: boolean
  title?: string
  /** The id of what says why the button is disabled. */
  describedBy?: string
  /** Can prevent the submit. Not called while a post is pending. */
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void
  children: ReactNode
}

/** Submits a form of the console. While a post is pending, the button shows it and cannot be pressed. */
export function SubmitButton({
  form,
  intent,
  className,
  busyWord,
  disabled,
  title,
  describedBy,
  onClick,
  children,
}: Props) {
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
        aria-describedby={describedBy}
        // Not `disabled`, which would remove the focus.
        aria-disabled={posted ? true : undefined}
        aria-busy={isBusy || undefined}
        onClick={(event) => {
          // The second click of a double click can come after the answer, and would then press another button.
          if (posted || event.detail > 1) event.preventDefault()
          else onClick?.(event)
        }}
      >
        {children}
      </button>
      {/* Outside the button, because screen readers do not announce changes inside a button. */}
      <span className="sr-only" role="status">
        {isBusy && busyWord}
      </span>
    </>
  )
}

/** Returns the data of the pending post; null if there is none. */
export function usePosted(): FormData | null {
  const { formMethod, formData } = useNavigation()
  return formMethod === 'POST' ? (formData ?? null) : null
}
