import { reportPeriodOptions } from '~/forms/report-periods.ts'
import { SelectField } from '../../ui/choice-fields.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { messagesPath } from './messages-table.tsx'

/** Asks for the period of the report of messages (C-074). The answer is a file, so the dialog stays open. */
export function ExportReport() {
  return (
    <RouteDialog
      title="Export Report"
      size="md"
      closeTo={messagesPath}
      footer={
        <span className="end">
          <CloseLink closeTo={messagesPath}>Cancel</CloseLink>
          <button className="btn btn--primary" type="submit" form="export-report">
            Export
          </button>
        </span>
      }
    >
      <form id="export-report" method="get" action="/api/reports/announcements/" className="formstack">
        <p>The report is a CSV file with a row for each message that was sent.</p>
        <SelectField name="period" label="Period" options={reportPeriodOptions} />
      </form>
    </RouteDialog>
  )
}
