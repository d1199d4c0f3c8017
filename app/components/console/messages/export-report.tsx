import { RadioGroup } from '../../ui/choice-fields.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { messagesPath } from './messages-table.tsx'

type Props = { periods: { value: string; label: string }[] }

/** Asks for the period of the messages report, whose form leads to the file (C-074). */
export function ExportReport({ periods }: Props) {
  return (
    <RouteDialog
      title="Export Report"
      size="md"
      closeTo={messagesPath}
      footer={
        <>
          <CloseLink closeTo={messagesPath}>Cancel</CloseLink>
          <span className="end">
            <button
              className="btn btn--secondary"
              type="submit"
              form="export-report"
              formAction="/dashboard/reports/messages/"
            >
              View
            </button>
            <button className="btn btn--primary" type="submit" form="export-report">
              Export
            </button>
          </span>
        </>
      }
    >
      <form id="export-report" method="get" action="/api/reports/announcements/" className="formstack">
        <p>
          The report is a CSV file with a row for each message that was sent in the period: how many people got it,
          opened it, followed a link or pinned it, and what became of its emails.
        </p>
        <RadioGroup name="period" label="Period" options={periods} defaultValue="this_month" />
      </form>
    </RouteDialog>
  )
}
