import { useLocation } from '@remix-run/react'
import { historyPage } from '~/forms/history.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { Pages } from '../../ui/pages.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { Changes } from './changes.tsx'
import type { HistoryView, RevisionView } from './view.ts'

/** What has changed in a course, module or term, newest first. Each revision can be brought back. */
export function HistoryDialog(view: HistoryView) {
  const { name, noun, isDeleted, closeTo, path, revisions, page, size, total } = view
  const { search } = useLocation()
  const pageAt = (number: number) => {
    const params = new URLSearchParams(tableSearch(search))
    if (number > 1) params.set(historyPage, String(number))
    return path + (params.size > 0 ? `?${params}` : '')
  }
  return (
    <RouteDialog
      title={`History of ${name}`}
      closeTo={closeTo}
      footer={<CloseLink closeTo={closeTo}>{isDeleted ? 'To the trash' : 'Back'}</CloseLink>}
    >
      {isDeleted && (
        <p className="notice mb-4">
          This {noun} is in the trash. Restore it there before you restore one of its revisions.
        </p>
      )}
      {revisions.length === 0 && <p className="muted">No changes were recorded.</p>}
      <ol className="formstack">
        {revisions.map((revision) => (
          <Revision key={revision.id} revision={revision} />
        ))}
      </ol>
      <Pages page={page} size={size} total={total} to={pageAt} />
    </RouteDialog>
  )
}

function Revision({ revision }: { revision: RevisionView }) {
  const { what, by, at, changes, isPresent, restore } = revision
  return (
    <li className="border-b border-line pb-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 flex-1 text-base">
          {what}{' '}
          <span className="muted small font-normal">
            {at} by {by}
          </span>
        </h3>
        {isPresent && <span className="chip chip--published">Present state</span>}
        {restore && (
          <DialogLink
            className="btn btn--quiet"
            to={restore}
            aria-label={`Restore the revision of ${at}`}
            discover="none"
          >
            Restore
          </DialogLink>
        )}
      </div>
      {changes.length > 0 && <Changes changes={changes} />}
    </li>
  )
}
