import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import type { FailedTest } from '~/lib/failed-test.ts'
import { LaunchButton, LaunchList } from '../modules/launch-form.tsx'
import { actionOf, elsewhereNote, failedTestOf } from '../modules/view.ts'
import { BeyondTheList } from '../ui/empty.tsx'
import { Titer } from '../ui/titer.tsx'
import { NoLongerOpen } from './learn-row.tsx'

type ProgressRow = {
  uid: string
  name: string
  startedOn: string
  percent: number
  /** The progress of a new attempt at a module that was completed before. */
  retakingPercent: number | null
  /** The best, in percent. */
  highestScore: number | null
  failedTest: FailedTest
  /** The address that Start and Resume open; null if there is nothing to open. */
  address: string | null
  /** The version of a module that Retake launches. */
  versionUid: string | null
  /** The remaining units open in another program and not here. */
  isElsewhere: boolean
  /** False if the viewer's access no longer includes it. */
  isListed: boolean
}

export type ProgressTab = 'modules' | 'courses'
export type ProgressPage = { tab: ProgressTab; page: number; size: number; total: number; rows: ProgressRow[] }

const empty: Record<ProgressTab, string> = {
  modules: 'You have not started a module.',
  courses: 'You have not started a course.',
}

type TableProps = {
  page: ProgressPage
  /** Called when a link is followed, to close the dialog around the table. */
  onFollow?: () => void
}

/** A table of name, start date, progress and one action per row (L-139 to L-143). */
export function ProgressTable({ page, onFollow }: TableProps) {
  if (page.rows.length === 0) {
    if (page.page > 1) {
      return <BeyondTheList icon="stack" to={progressAddress({ ...page, page: 1 })} onFollow={onFollow} />
    }
    return (
      <div className="grid justify-items-start gap-3 py-6">
        <p className="muted">{empty[page.tab]}</p>
        <Link className="btn btn--secondary" to={`/${page.tab}/`} onClick={onFollow}>
          {page.tab === 'modules' ? 'Go to Modules' : 'Go to Courses'}
        </Link>
      </div>
    )
  }
  return (
    <LaunchList>
      <div className="tablebox">
        <table className="datagrid" aria-label={page.tab === 'modules' ? 'My modules' : 'My courses'}>
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
              <Row key={row.uid} row={row} onFollow={onFollow} />
            ))}
          </tbody>
        </table>
      </div>
    </LaunchList>
  )
}

function Row({ row, onFollow }: { row: ProgressRow; onFollow?: () => void }) {
  const { name, startedOn, percent, retakingPercent } = row
  const failedTest = failedTestOf(row)
  return (
    <tr>
      <td className="lead-cell">
        <span className="name" title={name}>
          {name}
        </span>
      </td>
      <td data-label="Start Date" className="num">
        {startedOn}
      </td>
      <td data-label="Progress">
        <span className="progresscell">
          <Titer percent={retakingPercent ?? percent} label={`${name}, progress`} />
          <span className="num">{retakingPercent === null ? `${percent}%` : `Retaking ${retakingPercent}%`}</span>
        </span>
        {failedTest && <span className="small muted block">{failedTest}</span>}
      </td>
      <td className="act">
        <Action row={row} onFollow={onFollow} />
      </td>
    </tr>
  )
}

/** The action of a row. Retake starts a new attempt, so it is a post and not a link. Courses only have links. */
function Action({ row, onFollow }: { row: ProgressRow; onFollow?: () => void }) {
  const { name, address, versionUid } = row
  if (!row.isListed) return <NoLongerOpen />
  if (versionUid && row.isElsewhere) return <span className="small muted">{elsewhereNote(row)}</span>
  const action = actionOf(row)
  if (action === 'Retake' && versionUid) {
    return (
      <LaunchButton versionUid={versionUid} intent="retake" className="btn btn--quiet" label={`Retake ${name}`}>
        Retake
      </LaunchButton>
    )
  }
  if (!address) return null
  return (
    <Link className="btn btn--quiet" to={address} aria-label={`${action} ${name}`} onClick={onFollow}>
      {action}
    </Link>
  )
}

type FootProps = {
  page: ProgressPage
  link: (change: Partial<ProgressPage>, label: ReactNode, name: string) => ReactNode
}

/** Shows the range of rows and controls for other pages. The page and the dialog make these controls with `link`. */
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
