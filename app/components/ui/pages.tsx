import { Link } from '@remix-run/react'
import { Icon } from './icon.tsx'

/** Links through a list; nothing where one page holds all of it. */
export function Pages({
  page,
  size,
  total,
  to,
}: {
  page: number
  size: number
  total: number
  to: (page: number) => string
}) {
  if (total <= size) return null
  const first = (page - 1) * size + 1
  const last = Math.min(page * size, total)
  return (
    <nav className="pages" aria-label="Pages">
      <span>
        {first}–{last} of {total}
      </span>
      <ul>
        <li>{page > 1 ? <PageLink to={to(page - 1)} label="Previous page" icon="left" /> : <NoPage icon="left" />}</li>
        <li>
          {last < total ? <PageLink to={to(page + 1)} label="Next page" icon="right" /> : <NoPage icon="right" />}
        </li>
      </ul>
    </nav>
  )
}

export function PageLink({ to, label, icon }: { to: string; label: string; icon: 'left' | 'right' }) {
  return (
    <Link className="iconbtn" to={to} aria-label={label}>
      <Icon name={icon} />
    </Link>
  )
}

export function NoPage({ icon }: { icon: 'left' | 'right' }) {
  return (
    <span className="iconbtn" aria-disabled="true" aria-hidden="true">
      <Icon name={icon} />
    </span>
  )
}
