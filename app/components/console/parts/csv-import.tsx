import { useActionData, useLoaderData } from '@remix-run/react'
import { useState } from 'react'
import { z } from 'zod'
import { useShell } from '../../layout/shell.ts'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { type CsvReport, CsvReportPart } from '../csv/csv-report.tsx'
import { FileField } from '../file-field.tsx'
import type { SentFile } from '../send-file.ts'
import { SubmitButton } from '../submit-button.tsx'

export type CsvExample = { file: SentFile; report: CsvReport }

const formId = 'csv-import'
const schema = z.object({ terms: z.string().optional() })

/** A dry run: glossary terms are read from a file and checked, and nothing is written. */
export function CsvImportExample() {
  const { csrf } = useShell()
  const { template } = useLoaderData<{ template: { name: string; address: string } }>()
  const answer = useActionData<CsvExample | null>()
  const done = answer?.report ? answer : null
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
      {done && <CsvReportPart report={done.report} noun={['term', 'terms']} />}
    </>
  )
}
