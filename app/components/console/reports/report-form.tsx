import { useNavigate } from '@remix-run/react'
import { type FormEvent, useState } from 'react'
import type { ReportNeed } from '~/forms/report-list.ts'
import { reportAggregates, reportFieldLabels, reportIntervalLabels, reportMessages } from '~/forms/reports.ts'
import { periodsWithoutMonths, reportIntervals } from '~/lib/report-periods.ts'
import { MultiSelect, RadioGroup } from '../../ui/choice-fields.tsx'
import { FieldError } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { FilterSelect } from '../filter-select.tsx'
import type { RefusedReport, ReportsView } from './view.ts'

type Errors = Partial<Record<ReportNeed, string>>

/** The names of the fields are the parameters of the report's address. */
const fieldNames: Record<ReportNeed, string> = {
  period: 'period',
  interval: 'interval',
  aggregate: 'aggregate_by',
  fields: 'fields',
}

/**
 * A plain form that leads to the page of the report or to its file. With JavaScript it asks for what is missing before it sends anything (C-112 to
 * C-114, C-118); without, the server does.
 */
export function ReportForm(view: ReportsView | RefusedReport) {
  const { report, periods, timeZone, fields, values, selects, hidden } = view
  const refused = 'errors' in view ? view : null
  const navigate = useNavigate()
  const isHydrated = useHydrated()
  const [period, setPeriod] = useState(values.period)
  const [errors, setErrors] = useState<Errors>(refused?.errors ?? {})
  const { needs } = report
  const asks = (need: ReportNeed) => needs.includes(need)
  const hasMonths = !periodsWithoutMonths.some((one) => one === period)
  const intervals = reportIntervals.filter((interval) => hasMonths || interval !== 'monthly')

  const change = (event: FormEvent<HTMLFormElement>) => {
    const { name, value } = event.target as unknown as HTMLInputElement
    if (name === 'period') setPeriod(value)
    setErrors(({ ...left }) => {
      for (const need of needs) if (fieldNames[need] === name) delete left[need]
      return left
    })
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    const missing = needs.filter((need) => !data.has(fieldNames[need]))
    setErrors(Object.fromEntries(missing.map((need) => [need, reportMessages[need]])))
    const [first] = missing
    if (first) return form.querySelector<HTMLInputElement>(`[name="${fieldNames[first]}"]`)?.focus()
    const { submitter } = event.nativeEvent as SubmitEvent
    const question = questionOf(data)
    if (submitter?.hasAttribute('formaction')) return navigate(`${report.page}?${question}`)
    window.location.assign(`${report.action}?${question}`)
  }

  return (
    <form
      method="get"
      action={report.action}
      noValidate={isHydrated}
      onChange={change}
      onSubmit={submit}
      aria-label={report.title}
      className="grid gap-6 max-w-3xl"
    >
      <div>
        <h2>{report.title}</h2>
        <p className="muted">{report.note}</p>
      </div>
      {refused?.message && <FieldError id="report" error={refused.message} />}
      <RadioGroup
        name="period"
        label={reportFieldLabels.period}
        hint={`Days of the site, in the time zone ${timeZone}.`}
        options={periods.map(({ value, label, days }) => ({ value, label, hint: days }))}
        defaultValue={values.period}
        error={errors.period}
      />
      {asks('interval') && (
        <RadioGroup
          name="interval"
          label={reportFieldLabels.interval}
          options={intervals.map((value) => ({ value, label: reportIntervalLabels[value] }))}
          defaultValue={values.interval}
          error={errors.interval}
        />
      )}
      {asks('aggregate') && (
        <RadioGroup
          name="aggregate_by"
          label={reportFieldLabels.aggregate}
          options={reportAggregates.map(({ value, label }) => ({ value, label }))}
          defaultValue={values.aggregate_by ?? undefined}
          error={errors.aggregate}
        />
      )}
      {asks('fields') && (
        <MultiSelect
          name="fields"
          label={reportFieldLabels.fields}
          options={fields}
          defaultValue={values.fields}
          error={errors.fields}
        />
      )}
      {hidden.map(({ name, value }) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {selects.length > 0 && (
        <fieldset className="flex flex-wrap items-end gap-3">
          <legend className="legend">Filters</legend>
          {selects.map((select) => (
            <FilterSelect key={select.name} {...select} />
          ))}
        </fieldset>
      )}
      <p className="flex flex-wrap gap-3">
        <button className="btn btn--primary" type="submit" formAction={report.page}>
          View
        </button>
        <button className="btn btn--secondary" type="submit">
          <Icon name="download" />
          Download CSV
        </button>
      </p>
    </form>
  )
}

/** As programs write it: the fields are one list, and a filter that is off is left out. */
function questionOf(data: FormData): URLSearchParams {
  const question = new URLSearchParams()
  for (const name of new Set(data.keys())) {
    const value = data.getAll(name).map(String).join(',')
    // Without a value, a filter is off. To aggregate by nothing is an answer.
    if (value !== '' || name === fieldNames.aggregate) question.set(name, value)
  }
  return question
}
