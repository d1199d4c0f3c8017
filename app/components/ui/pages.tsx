import { Link } from '@remix-run/react'
import { Icon } from './icon.tsx'
import { PageStatus } from './page-status.tsx'

/**
 * Links to the previous and next page of a list, if it has several. Beyond the end, "Previous" links to the last page.
 */
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
  const lastPage = Math.ceil(total / size)
  if (lastPage <= 1) return null
  const previous = Math.min(page - 1, lastPage)
  return (
    <nav className="pages" aria-label="Pages">
      <PageStatus page={page} pages={Math.ceil(total / size)} />
      <span>
        {page > lastPage ? `${total} in all` : `${(page - 1) * size + 1}–${Math.min(page * size, total)} of ${total}`}
      </span>
      <ul>
        <li>
          {previous > 0 ? <PageLink to={to(previous)} label="Previous page" icon="left" /> : <NoPage icon="left" />}
        </li>
        <li>
          {page < lastPage ? <PageLink to={to(page + 1)} label="Next page" icon="right" /> : <NoPage icon="right" />}
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
