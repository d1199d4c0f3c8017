import { useLocation } from '@remix-run/react'
import { changedInWords } from '~/forms/assignments.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { Empty } from '../../ui/empty.tsx'
import { FormErrors } from '../../ui/form.tsx'
import { Pages } from '../../ui/pages.tsx'
import { BulkProgress } from '../bulk/bulk-progress.tsx'
import { nothingTyped } from '../confirm-route.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { NameBox } from '../name-box.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { AssigningLine, AssigningView } from './assign-view.ts'

const closeTo = '/dashboard/users/'
const listPath = '/dashboard/users/assigned/'
const undoForm = 'undo'

/** What was assigned in the last thirty days. */
export function AssignedLists(props: { lines: AssigningLine[]; page: number; size: number; total: number }) {
  const { lines, page, size, total } = props
  const { assignedLabel, assignVerb } = useShell().brand
  const table = tableSearch(useLocation().search).replace('?', '&')
  return (
    <RouteDialog title={`${assignedLabel} Content`} closeTo={closeTo} footer={<CloseLink closeTo={closeTo} />}>
      <p className="muted mb-4">For thirty days you can see here what happened, and undo it.</p>
      {lines.length === 0 ? (
        <Empty icon="check" title={page > 1 ? 'There are no more' : `Nothing was ${assignedLabel.toLowerCase()}`}>
          <p>Select learners in the table, then press {assignVerb} content.</p>
        </Empty>
      ) : (
        <table className="faults">
          <thead>
            <tr>
              <th scope="col">Content</th>
              <th scope="col">People</th>
              <th scope="col">Started</th>
              <th scope="col">By</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ uid, what, people, createdOn, by, state }) => (
              <tr key={uid}>
                <th scope="row" data-label="Content">
                  <DialogLink className="name" to={`${listPath}${uid}/`}>
                    {what}
                  </DialogLink>
                </th>
                <td data-label="People">{people.toLocaleString('en')}</td>
                <td data-label="Started">{createdOn}</td>
                <td data-label="By">{by}</td>
                <td data-label="State">{state}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pages page={page} size={size} total={total} to={(page) => `${listPath}?list=${page}${table}`} />
    </RouteDialog>
  )
}

/** How far an operation is, what it has assigned, and Undo. */
export function AssignedContent({ view }: { view: AssigningView }) {
  const { operation, undo, canUndo, items, dueOn, removesDue, note, changed } = view
  const refusal = useRefusal(undoForm)
  return (
    <RouteDialog
      title={operation.title}
      closeTo={closeTo}
      footer={
        <>
          <DialogLink className="btn btn--quiet" to={listPath}>
            All of the last thirty days
          </DialogLink>
          <span className="end">
            <CloseLink closeTo={closeTo} />
          </span>
        </>
      }
    >
      <div className="formstack">
        {refusal && !canUndo && <FormErrors refusal={refusal} />}
        <BulkProgress operation={operation} />
        {changed > 0 && <p>{changedInWords(changed)}</p>}
        {items.length > 0 && (
          <NameBox label="Content">
            {items.map(({ uid, kind, name }) => (
              <li key={uid}>
                {name}
                <span className="muted small"> · {kind === 'module' ? 'Module' : 'Course'}</span>
              </li>
            ))}
          </NameBox>
        )}
        {dueOn && <p>Due {dueOn}</p>}
        {removesDue && <p>The due date of earlier assignments was removed.</p>}
        {note && <p className="whitespace-pre-line wrap-anywhere">{note}</p>}
        {undo && (
          <div>
            <h3 className="text-base mb-3">Undo</h3>
            <BulkProgress operation={undo} name={undo.title} />
          </div>
        )}
        {canUndo && (
          <ConsoleForm id={undoForm} intent="undo" schema={nothingTyped}>
            <p className="muted mb-3">
              Undo takes back what this made, and brings back due dates and notes that it changed. What somebody has
              changed since stays.
            </p>
            <SubmitButton className="btn--secondary" intent="undo" busyWord="Undoing">
              Undo
            </SubmitButton>
          </ConsoleForm>
        )}
      </div>
    </RouteDialog>
  )
}
