import { useActionData, useLoaderData } from '@remix-run/react'
import { useRef, useState } from 'react'
import { z } from 'zod'
import type { CsvColumn, CsvHeadings } from '~/lib/csv-import.ts'
import { useShell } from '../../layout/shell.ts'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { CsvColumns } from '../csv/csv-columns.tsx'
import { type CsvReport, CsvReportPart } from '../csv/csv-report.tsx'
import { FileField } from '../file-field.tsx'
import type { SentFile } from '../send-file.ts'
import { SubmitButton } from '../submit-button.tsx'

/** Either the file was checked, or it is not clear which of its columns are which. */
export type CsvExample = { file: SentFile; found: CsvHeadings } & ({ report: CsvReport } | { problem: string })

const formId = 'csv-import'
const schema = z.object({ terms: z.string().optional() })

/** A dry run: glossary terms are read from a file and checked, and nothing is written. */
export function CsvImportExample() {
  const { csrf } = useShell()
  const { template, columns } = useLoaderData<{ template: { name: string; address: string }; columns: CsvColumn[] }>()
  const answer = useActionData<CsvExample | null>()
  const done = answer && 'found' in answer ? answer : null
  // A form that was refused, such as for its token, comes back without what was found in the file.
  const lastFound = useRef<CsvHeadings | null>(null)
  if (done) lastFound.current = done.found
  const found = lastFound.current
  const refusal = useRefusal(formId)
  const [isUploading, setUploading] = useState(false)
  return (
    <>
      <h1>CSV import</h1>
      <p className="muted">
        Terms and their definitions are checked as the glossary would check them. The file may use commas, semicolons or
        tabs, and any usual encoding.{' '}
        <a href={template.address} download={template.name}>
          Download a template
        </a>
      </p>
      <ConsoleForm id={formId} schema={schema} encType="multipart/form-data" className="formstack partform">
        <FileField
          name="terms"
          kind="csv"
          label="Terms"
          hint="At most 1 MB and 10,000 rows, with the columns Term and Definition."
          value={done?.file ?? null}
          error={refusal?.fieldErrors.terms}
          csrf={csrf ?? ''}
          onBusyChange={setUploading}
        />
        {done && 'problem' in done && (
          <p className="notice notice--warning" role="alert">
            <Icon name="alert" />
            <span>{done.problem} Please choose the columns below and check the file again.</span>
          </p>
        )}
        {found && <CsvColumns columns={columns} found={found} />}
        <p>
          <SubmitButton
            form={formId}
            intent="check"
            className="btn--primary"
            busyWord="Checking"
            disabled={isUploading}
          >
            Check the file
          </SubmitButton>
        </p>
      </ConsoleForm>
      {done && 'report' in done && <CsvReportPart report={done.report} noun={['term', 'terms']} />}
    </>
  )
}
