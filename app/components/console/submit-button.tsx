import { useNavigation } from '@remix-run/react'
import type { ReactNode } from 'react'

type Props = {
  /** The id of its form. */
  form: string
  /** Sent as `intent`. */
  intent: string
  className: string
  /** Said while the form is on its way: "Saving". */
  busyWord: string
  disabled?: boolean
  title?: string
  children: ReactNode
}

/** Sends a form of the console. While a post is on its way it shows that, and cannot be pressed again. */
export function SubmitButton({ form, intent, className, busyWord, disabled, title, children }: Props) {
  const posted = usePosted()
  const isBusy = posted?.get('intent') === intent
  return (
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
      onClick={(event) => posted && event.preventDefault()}
    >
      {children}
      <span className="sr-only" role="status">
        {isBusy && ` ${busyWord}`}
      </span>
    </button>
  )
}

/** What a post that is on its way has sent; null while there is none. */
export function usePosted(): FormData | null {
  const { formMethod, formData } = useNavigation()
  return formMethod === 'POST' ? (formData ?? null) : null
}
