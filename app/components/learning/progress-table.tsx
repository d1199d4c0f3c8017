import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { Titer } from '../ui/titer.tsx'

export type ProgressRow = { uid: string; name: string; startedOn: string; percent: number; address: string | null }

export type ProgressTab = 'modules' | 'courses'
export type ProgressPage = { tab: ProgressTab; page: number; size: number; total: number; rows: ProgressRow[] }

const empty: Record<ProgressTab, string> = {
  modules: 'You have not started a module yet.',
  courses: 'You have not started a course yet.',
}

/** Name, Start Date, Progress, and one button for each (spec, learner area, L-139 to L-143). `onFollow` closes the dialog around it. */
export function ProgressTable({ page, onFollow }: { page: ProgressPage; onFollow?: () => void }) {
  if (page.rows.length === 0) {
    return <p className="muted py-6">{page.page > 1 ? 'There is nothing on this page.' : empty[page.tab]}</p>
  }
  return (
    <div className="tablebox">
      <table className="datagrid">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Start Date</th>
            <th scope="col">Progress</th>
            <th scope="col">
              <span className="sr-only">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {page.rows.map((row) => (
            <tr key={row.uid}>
              <td className="lead-cell">
                <span className="name" title={row.name}>
                  {row.name}
                </span>
              </td>
              <td data-label="Start Date" className="num">
                {row.startedOn}
              </td>
              <td data-label="Progress">
                <span className="progresscell">
                  <Titer percent={row.percent} label={`${row.name}, progress`} />
                  <span className="num">{row.percent}%</span>
                </span>
              </td>
              <td className="act">
                {row.address && (
                  <Link
                    className="btn btn--quiet"
                    to={row.address}
                    aria-label={`${actionOf(row.percent)} ${row.name}`}
                    onClick={onFollow}
                  >
                    {actionOf(row.percent)}
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Start at 0 %, Resume from 1 to 99, Retake at 100 (L-141). */
function actionOf(percent: number): string {
  if (percent === 100) return 'Retake'
  return percent > 0 ? 'Resume' : 'Start'
}

type FootProps = {
  page: ProgressPage
  link: (change: Partial<ProgressPage>, label: ReactNode, name: string) => ReactNode
}

/** Which rows these are, and the ways to others; how a way is made, page and dialog decide. */
export function ProgressFoot({ page: { page, size, total }, link }: FootProps) {
  if (total <= 10) return null
  const first = Math.min((page - 1) * size + 1, total)
  const last = Math.min(page * size, total)
  return (
    <nav className="pages" aria-label="Pages">
      <span className="num">
        {first}–{last} of {total}
      </span>
      <ul>
        <li>
          {size === 10
            ? link({ size: 20, page: 1 }, '20 per page', '20 rows per page')
            : link({ size: 10, page: 1 }, '10 per page', '10 rows per page')}
        </li>
        {page > 1 && <li>{link({ page: page - 1 }, 'Previous', 'Previous page')}</li>}
        {last < total && <li>{link({ page: page + 1 }, 'Next', 'Next page')}</li>}
      </ul>
    </nav>
  )
}

export function progressAddress({ tab, page, size }: Pick<ProgressPage, 'tab' | 'page' | 'size'>): string {
  return `/my-progress/?${new URLSearchParams({ tab, page: String(page), size: String(size) })}`
}
