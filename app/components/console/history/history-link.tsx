import { DialogLink } from '../route-dialog.tsx'

/** Leads from the footer of an edit dialog to the history. A guard of unsaved changes asks first. */
export function HistoryLink({ to }: { to: string }) {
  return (
    <DialogLink className="btn btn--quiet" to={to} discover="none">
      History
    </DialogLink>
  )
}
