import { Link } from '@remix-run/react'

/** Each part has a page at `/dashboard/parts/<id>/`. */
export const parts: { id: string; name: string; use: string }[] = [
  { id: 'fields', name: 'Fields', use: 'text, numbers, dates, choices and switches' },
  { id: 'editor', name: 'Rich text', use: 'an editor for messages, with pictures' },
  { id: 'steps', name: 'Steps', use: 'a form that people fill in step by step' },
  {
    id: 'film-media',
    name: 'Media of a film',
    use: 'an address or a file, captions in several languages, a transcript',
  },
  { id: 'charts', name: 'Charts', use: 'bars and lines, with a table of their figures' },
  { id: 'picker', name: 'Two-list picker', use: 'choosing from a long list that the server searches' },
  {
    id: 'sortable-list',
    name: 'Sortable list',
    use: 'putting things in order by dragging, with the keyboard or with buttons',
  },
]

export function ListOfParts() {
  return (
    <>
      <h1>Parts</h1>
      <p className="muted">Console sections are made of these parts. Each page shows one of them.</p>
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
