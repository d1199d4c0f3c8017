import { Link, useLocation } from '@remix-run/react'
import { tableSearch } from '~/lib/table-query.ts'
import { Icon } from '../../ui/icon.tsx'
import type { BulkView } from './view.ts'

type Props = {
  operation: BulkView
  /** The dialog that shows the operation. */
  to: string
}

/** Above a table: says that a bulk operation runs or that something of it failed, and leads to it. */
export function BulkNotice({ operation: { uid, title, status, total, done, failed }, to }: Props) {
  const table = tableSearch(useLocation().search).replace('?', '&')
  const isRunning = status === 'running'
  return (
    <p className={`notice mb-4 ${isRunning ? '' : 'notice--warning'}`}>
      <Icon name={isRunning ? 'clock' : 'alert'} />
      <span>
        {title}:{' '}
        {isRunning
          ? `${done.toLocaleString('en')} of ${total.toLocaleString('en')} done`
          : `${failed.toLocaleString('en')} of ${total.toLocaleString('en')} failed`}{' '}
        <Link to={`${to}?operation=${uid}${table}`} preventScrollReset>
          Show details
        </Link>
      </span>
    </p>
  )
}
