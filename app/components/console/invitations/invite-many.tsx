import { useActionData, useLocation } from '@remix-run/react'
import { useRef, useState } from 'react'
import { invitedListForm, showIntent } from '~/forms/invited-lists.ts'
import type { CsvColumn, CsvHeadings } from '~/lib/csv-import.ts'
import { useShell } from '../../layout/shell.ts'
import { Icon } from '../../ui/icon.tsx'
import { HiddenFields } from '../confirm-route.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { CsvColumns } from '../csv/csv-columns.tsx'
import { useOtherFile } from '../csv/use-other-file.ts'
import { FileField } from '../file-field.tsx'
import { OutboxNotice } from '../outbox-notice.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { CheckedRows } from './checked-rows.tsx'
import { ModeToggle } from './mode-toggle.tsx'
import { RemindField } from './remind-field.tsx'
import type { ListCheck, ListReport } from './view.ts'

const closeTo = '/dashboard/users/'
const formId = 'invite-many'
const answerId = 'file-check'

/** Invites the people in a CSV file: it is checked first, and cells can be corrected here (C-196 to C-199). */
export function InviteMany({ columns }: { columns: CsvColumn[] }) {
  const { csrf } = useShell()
  const answer = useActionData<ListCheck | null>()
  const done = answer && 'found' in answer ? answer : null
  // A form that was refused, such as for its token, comes back without what was found in the file.
  const last = useRef<ListCheck | null>(null)
  if (done) last.current = done
  const refusal = useRefusal(formId)
  const [isUploading, setUploading] = useState(false)
  const file = done?.file ?? last.current?.file ?? null
  const { isOther, onChange } = useOtherFile(file)
  // Another file often has the same columns.
  const found: CsvHeadings | null = last.current?.found ?? null
  const report = (!isOther && (done?.report ?? (refusal ? last.current?.report : null))) || null
  const { pathname, search } = useLocation()
  return (
    <RouteDialog
      title="Invite Users"
      size="xl"
      isForm
      closeTo={closeTo}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          <span className="end">
            <SubmitButton
              form={formId}
              intent={showIntent({ show: report?.show ?? 'faulty', page: 1 })}
              className={report && report.valid > 0 ? 'btn--secondary' : 'btn--primary'}
              busyWord="Checking"
              disabled={isUploading}
            >
              {report ? 'Check again' : 'Check the file'}
            </SubmitButton>
            {report && <InviteButton report={report} isWaiting={isUploading} />}
          </span>
        </>
      }
    >
      <ModeToggle mode="multiple" />
      <OutboxNotice />
      <p className="muted mb-4">
        Nobody is invited before you have seen what is in the file.{' '}
        <a href="/download/invite_csv/" download>
          Download the template
        </a>
      </p>
      <ConsoleForm
        id={formId}
        schema={invitedListForm}
        intent="check"
        encType="multipart/form-data"
        // The answer is below the fields. Without JavaScript the page would come back at its top.
        action={`${pathname}${search}#${answerId}`}
        guard={{ noun: 'invitations', mode: 'creating', isChecked: true }}
        className="formstack"
        isWaiting={isUploading}
      >
        {/* The file counts as unsaved from its first byte on. */}
        {isUploading && <input type="hidden" name="uploading" value="on" />}
        <FileField
          name="people"
          kind="csv"
          label="CSV file"
          hint="At most 1 MB and 10,000 rows. Admins need no plan; a plan is written by its name."
          value={file}
          error={refusal?.fieldErrors.people}
          csrf={csrf ?? ''}
          onChange={onChange}
          onBusyChange={setUploading}
        />
        {!isOther && done?.problem && (
          <p id={answerId} className="notice notice--warning" role="alert">
            <Icon name="alert" />
            <span>{done.problem} Please choose the columns below and check the file again.</span>
          </p>
        )}
        {found && <CsvColumns columns={columns} found={found} />}
        <RemindField />
        {report && file && (
          <>
            <HiddenFields fields={{ seen: report.seen, list: report.listUid, fixesOf: file.name }} />
            <ReportPart report={report} />
          </>
        )}
      </ConsoleForm>
    </RouteDialog>
  )
}

function people(count: number): string {
  return count === 1 ? '1 person' : `${count.toLocaleString('en')} people`
}

function InviteButton({ report: { valid, faultCount }, isWaiting }: { report: ListReport; isWaiting: boolean }) {
  if (valid === 0) return null
  return (
    <SubmitButton
      form={formId}
      intent={faultCount === 0 ? 'invite' : 'invite-valid'}
      className="btn--primary"
      busyWord="Inviting"
      disabled={isWaiting}
    >
      {faultCount === 0
        ? `Invite ${people(valid)}`
        : `Invite only the ${valid === 1 ? 'person in the valid row' : `${people(valid)} in valid rows`}`}
    </SubmitButton>
  )
}

function addedInWords({ total, names }: ListReport['newInstitutions']): string {
  const named = names.map((name) => `“${name}”`).join(', ')
  const more = total - names.length
  const count = total === 1 ? '1 institution' : `${total.toLocaleString('en')} institutions`
  return `Inviting them adds ${count}: ${named}${more > 0 ? `, and ${more.toLocaleString('en')} more` : ''}.`
}

function ReportPart({ report }: { report: ListReport }) {
  const {
    isCheckedAgain,
    total,
    valid,
    faultCount,
    faultyRows,
    encoding,
    ignored,
    download,
    fixCount,
    newInstitutions,
  } = report
  const rows = (count: number) => (count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`)
  return (
    <section id={answerId} className="csvreport" aria-label="What is in the file">
      <div className={faultCount > 0 ? 'notice notice--warning' : 'notice notice--success'} role="status">
        <Icon name={faultCount > 0 ? 'alert' : 'check'} />
        <p>
          <strong>
            {faultCount === 0
              ? `${people(valid)} can be invited.`
              : `${faultCount === 1 ? '1 fault' : `${faultCount.toLocaleString('en')} faults`} in ${rows(faultyRows)} of ${total.toLocaleString('en')}. ${people(valid)} can be invited.`}
          </strong>
          Nobody has been invited yet.
          {isCheckedAgain && ' Something has changed since the last check, so the file was checked again.'}
          {isCheckedAgain && valid > 0 && ' Press the button again to invite.'}
          {faultCount > 0 && ' Correct the cells here and check again, or choose a corrected file.'}
          {fixCount > 0 && ` Corrected here: ${fixCount === 1 ? '1 cell' : `${fixCount.toLocaleString('en')} cells`}.`}
          {ignored.length > 0 && ` Not used: ${ignored.map((heading) => `“${heading}”`).join(', ')}.`}
          {encoding === 'Windows-1252' && ' If letters with accents look wrong, save the file as “CSV UTF-8”.'}
        </p>
      </div>
      {newInstitutions.total > 0 && <p className="wrap-anywhere">{addedInWords(newInstitutions)}</p>}
      {faultCount > 0 && (
        <p>
          <a href={download} download>
            Download all faults of the file
          </a>
        </p>
      )}
      <CheckedRows report={report} formId={formId} />
    </section>
  )
}
