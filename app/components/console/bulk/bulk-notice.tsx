import { Form, Link, useLocation } from '@remix-run/react'
import { tableSearch } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { CsrfField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { BulkView } from './view.ts'

type Props = {
  operation: BulkView
  /** Whether the route takes the intent `restore` for it. */
  canUndo: boolean
  /** The dialog that shows the operation. */
  details: string
  /** The address of the dialog's action, which takes the intent `dismiss`. Without it, the notice goes once all is done. */
  to?: string
}

/** Above a table: says that a bulk operation runs or how it ended, and leads to it. It can be dismissed once it has ended. */
export function BulkNotice({ operation, canUndo, details, to }: Props) {
  const { uid, status, failed } = operation
  const search = tableSearch(useLocation().search)
  const isRunning = status === 'running'
  const isWhole = status === 'done' && failed === 0
  return (
    <div className={`notice bulk-notice mb-4 ${isRunning ? '' : isWhole ? 'notice--success' : 'notice--warning'}`}>
      <Icon name={isRunning ? 'clock' : isWhole ? 'check' : 'alert'} />
      <p>
        {summaryOf(operation)}{' '}
        <Link to={details + (details.includes('?') ? search.replace('?', '&') : search)} preventScrollReset>
          Show details
        </Link>
      </p>
      {!isRunning && to && <NoticeForm uid={uid} canUndo={canUndo} action={to + search} />}
    </div>
  )
}

function summaryOf({ status, title, total, done, failed, unchanged, noun, past }: BulkView): string {
  const [of, changed, left] = [total.toLocaleString('en'), done - failed - unchanged, total - done]
  if (status === 'running') return `${title}: ${done.toLocaleString('en')} of ${of} done`
  if (failed === 0 && left === 0) return `${changed.toLocaleString('en')} ${changed === 1 ? noun[0] : noun[1]} ${past}.`
  const parts = [
    `${changed.toLocaleString('en')} of ${of} ${past}`,
    failed > 0 && `${failed.toLocaleString('en')} failed`,
    unchanged > 0 && `${unchanged.toLocaleString('en')} already ${past}`,
    left > 0 && `${left.toLocaleString('en')} left as ${left === 1 ? 'it was' : 'they were'}`,
  ]
  return `${title}: ${parts.filter(Boolean).join(', ')}.`
}

function NoticeForm({ uid, canUndo, action }: { uid: string; canUndo: boolean; action: string }) {
  const { csrf } = useShell()
  return (
    <Form method="post" action={action} preventScrollReset className="bulk-actions">
      <CsrfField token={csrf} />
      <input type="hidden" name="operation" value={uid} />
      {canUndo && (
        <SubmitButton className="btn--quiet" intent="restore" busyWord="Restoring">
          Undo
        </SubmitButton>
      )}
      <button className="iconbtn" type="submit" name="intent" value="dismiss" aria-label="Dismiss" title="Dismiss">
        <Icon name="close" />
      </button>
    </Form>
  )
}
