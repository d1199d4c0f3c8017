import { Form, Link } from '@remix-run/react'
import { type ComponentProps, type ReactNode, useId } from 'react'

type Props = {
  /** The address of the list, which the form asks for with its filters. */
  path: string
  /** The filters of the page. Others begin the form anew. */
  filters: Record<string, string>
  isFiltered: boolean
  /** What stands behind the buttons, such as a link to the file. */
  end?: ReactNode
  children: ReactNode
}

/** The filters of a list that is read from a cursor on. Works without JavaScript. */
export function FilterForm({ path, filters, isFiltered, end, children }: Props) {
  return (
    <Form key={JSON.stringify(filters)} method="get" action={path} className="flex flex-wrap items-end gap-3 mb-4">
      {children}
      <button className="btn btn--primary" type="submit">
        Show
      </button>
      {isFiltered && (
        <Link className="btn btn--quiet" to={path}>
          Clear
        </Link>
      )}
      {end}
    </Form>
  )
}

/** A text or a day to filter by. */
export function FilterInput({ label, type = 'search', ...input }: ComponentProps<'input'> & { label: string }) {
  const id = useId()
  return (
    <div className={type === 'search' ? 'field w-full md:w-auto' : 'field'}>
      <label htmlFor={id}>{label}</label>
      <input id={id} className="input" type={type} autoComplete="off" {...input} />
    </div>
  )
}
