import { stopViewingPath } from '~/lib/viewing.ts'
import { CsrfField } from '../ui/form.tsx'

/** The browser itself posts the form: the next page is for another person, so nothing of this one may stay. */
export function StopViewing({ csrf, className }: { csrf: string | null | undefined; className: string }) {
  return (
    <form method="post" action={stopViewingPath}>
      <CsrfField token={csrf} />
      <button className={className} type="submit">
        Stop
      </button>
    </form>
  )
}
