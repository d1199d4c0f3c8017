import { useActionData } from '@remix-run/react'
import { useRef, useState } from 'react'
import { z } from 'zod'
import type { CsvColumn, CsvHeadings } from '~/lib/csv-import.ts'
import { useShell } from '../../layout/shell.ts'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { CsvColumns } from '../csv/csv-columns.tsx'
import { CsvReportPart } from '../csv/csv-report.tsx'
import { useOtherFile } from '../csv/use-other-file.ts'
import { FileField } from '../file-field.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { ImportPlanView, TermsCheck } from './view.ts'

const closeTo = '/dashboard/glossary/'
const formId = 'terms-import'
const schema = z.object({ terms: z.string().optional() })

type Props = { template: { name: string; address: string }; columns: CsvColumn[] }

/** Imports terms from a file: it is checked first, and written when somebody has seen what would change. */
export function ImportTerms({ template, columns }: Props) {
  const { csrf } = useShell()
  const answer = useActionData<TermsCheck | null>()
  const checked = answer && 'found' in answer ? answer : null
  // A form that was refused, such as for its token, comes back without what was found in the file.
  const last = useRef<typeof checked>(null)
  if (checked) last.current = checked
  const { isOther, onChange } = useOtherFile(last.current?.file ?? null)
  const done = isOther ? null : checked
  // Another file often has the same columns.
  const found: CsvHeadings | null = last.current?.found ?? null
  const refusal = useRefusal(formId)
  const [isUploading, setUploading] = useState(false)
  const plan = done && 'plan' in done && done.report.faultCount === 0 ? done.plan : null
  const writes = plan ? plan.created + plan.changed : 0
  return (
    <RouteDialog
      title="Import terms"
      size="lg"
      isForm
      closeTo={closeTo}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          <span className="end">
            <SubmitButton
              form={formId}
              intent="check"
              className={writes > 0 ? 'btn--secondary' : 'btn--primary'}
              busyWord="Checking"
              disabled={isUploading}
            >
              Check the file
            </SubmitButton>
            {writes > 0 && (
              <SubmitButton
                form={formId}
                intent="import"
                className="btn--primary"
                busyWord="Importing"
                disabled={isUploading}
              >
                {writes === 1 ? 'Import 1 term' : `Import ${writes.toLocaleString('en')} terms`}
              </SubmitButton>
            )}
          </span>
        </>
      }
    >
      <p className="muted mb-4">
        New terms are added. Existing terms get the definition in the file and, if it has a Slug column, the new name.
        Nothing is removed.{' '}
        <a href={template.address} download={template.name}>
          Download a template
        </a>
      </p>
      <ConsoleForm
        id={formId}
        schema={schema}
        intent="check"
        encType="multipart/form-data"
        className="formstack"
        guard={{ noun: 'import of terms', mode: 'creating', isChecked: true }}
      >
        {plan && <input type="hidden" name="seen" value={plan.seen} />}
        <FileField
          name="terms"
          kind="csv"
          label="Terms"
          hint="At most 1 MB and 10,000 rows, with the columns Term and Definition."
          value={checked?.file ?? null}
          error={refusal?.fieldErrors.terms}
          csrf={csrf ?? ''}
          onChange={onChange}
          onBusyChange={setUploading}
        />
        {done && 'problem' in done && (
          <p className="notice notice--warning" role="alert">
            <Icon name="alert" />
            <span>{done.problem} Please choose the columns below and check the file again.</span>
          </p>
        )}
        {found && <CsvColumns columns={columns} found={found} />}
      </ConsoleForm>
      {done && 'report' in done && <CsvReportPart report={done.report} noun={['term', 'terms']} />}
      {plan && <Plan plan={plan} />}
    </RouteDialog>
  )
}

/** Says what the import would write. */
function Plan({ plan }: { plan: ImportPlanView }) {
  const { created, changed, unchanged, examples } = plan
  return (
    <section className="mt-6" aria-label="What changes">
      {created + changed === 0 && (
        <p className="notice mb-4" role="status">
          Nothing changes. The glossary has all of it already.
        </p>
      )}
      <dl className="facts">
        <dt>New terms</dt>
        <dd>{created.toLocaleString('en')}</dd>
        <dt>Changed terms</dt>
        <dd>{changed.toLocaleString('en')}</dd>
        <dt>Terms that stay as they are</dt>
        <dd>{unchanged.toLocaleString('en')}</dd>
      </dl>
      {examples.length > 0 && (
        <table className="faults">
          <caption className="sr-only">Changed terms</caption>
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Now</th>
              <th scope="col">After the import</th>
            </tr>
          </thead>
          <tbody>
            {examples.map(({ line, before, after }) => (
              <tr key={line}>
                <th scope="row" data-label="Line">
                  {line}
                </th>
                <td data-label="Now">
                  <strong>{before.name}</strong>: {before.definition}
                </td>
                <td data-label="After the import">
                  <strong>{after.name}</strong>: {after.definition}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {changed > examples.length && (
        <p className="muted small">
          The first {examples.length} of {changed.toLocaleString('en')} changed terms are shown.
        </p>
      )}
    </section>
  )
}
