import { Link } from '@remix-run/react'

/** Each part has a page at `/dashboard/parts/<id>/`. */
export const parts: { id: string; name: string; use: string }[] = [
  { id: 'fields', name: 'Fields', use: 'texts, numbers, dates, choices and switches' },
  { id: 'steps', name: 'Steps', use: 'a form that is filled in step by step' },
  { id: 'charts', name: 'Charts', use: 'bars and lines with a table of their figures' },
  { id: 'picker', name: 'Two-list picker', use: 'some of many things are chosen, searched for on the server' },
  {
    id: 'sortable-list',
    name: 'Sortable list',
    use: 'things are put in order by dragging, with the keyboard or with buttons',
  },
  {
    id: 'csv-import',
    name: 'CSV import',
    use: 'a file is read and checked, and each fault is shown before anything is written',
  },
]

export function ListOfParts() {
  return (
    <>
      <h1>Parts</h1>
      <p className="muted">What console sections are made of. Each page shows one part at work.</p>
      <ul>
        {parts.map(({ id, name, use }) => (
          <li key={id}>
            <Link to={`${id}/`}>{name}</Link>: {use}
          </li>
        ))}
      </ul>
    </>
  )
}
