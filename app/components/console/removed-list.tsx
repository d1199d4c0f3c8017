import { Form } from '@remix-run/react'
import { useShell } from '../layout/shell.ts'
import { CsrfField } from '../ui/form.tsx'

type Props = {
  title: string
  /** The section's address: `{path}removed/{uid}/restore/` brings one back. */
  path: string
  /** `how` says when, by whom and into what something was removed. */
  removed: { uid: string; name: string; how: string }[]
}

/** What was removed lately, each with a button that brings it back. Nothing if there is none. */
export function RemovedList({ title, path, removed }: Props) {
  const { csrf } = useShell()
  if (removed.length === 0) return null
  return (
    <section className="orderform mt-8" aria-labelledby="removed">
      <h2 id="removed">{title}</h2>
      <ul className="sortable">
        {removed.map(({ uid, name, how }) => (
          <li key={uid} className="sortable-row">
            <span className="sortable-name">
              {name} <span className="muted small">{how}</span>
            </span>
            <Form method="post" action={`${path}removed/${uid}/restore/`} preventScrollReset>
              <CsrfField token={csrf} />
              <button className="btn btn--quiet" type="submit" aria-label={`Restore ${name}`}>
                Restore
              </button>
            </Form>
          </li>
        ))}
      </ul>
    </section>
  )
}
