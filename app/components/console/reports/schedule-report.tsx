import { Link } from '@remix-run/react'
import { type FormEvent, useRef, useState } from 'react'
import {
  frequencyLabels,
  monthDayChoices,
  scheduledReportForm,
  scheduledReportLimits,
  shortPeriodOn,
  timeChoices,
  timeInWords,
  weekdayChoices,
} from '~/forms/scheduled-reports.ts'
import { reportFrequencies } from '~/lib/report-times.ts'
import { MultiSelect, RadioGroup, SelectField } from '../../ui/choice-fields.tsx'
import { TextField } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { OutboxNotice } from '../outbox-notice.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { ScheduleReportView } from './view.ts'

/** The dialog in which a report gets the times at which it goes out, and its recipients. */
export function ScheduleReport({
  uid,
  revision,
  words,
  period,
  to,
  notice,
  timeZone,
  colleagues,
  defaults,
  closeTo,
}: ScheduleReportView) {
  const first = useRef<HTMLInputElement>(null)
  const refusal = useRefusal()
  const isNew = revision === null
  const formId = refusal?.formId ?? (isNew ? 'schedule-report' : `schedule-${uid}-${revision}`)
  return (
    <RouteDialog
      title={isNew ? 'Schedule Report' : 'Edit Scheduled Report'}
      isForm
      closeTo={closeTo}
      initialFocus={first}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <SubmitButton className="btn--primary" form={formId} intent="save" busyWord="Saving">
            {isNew ? 'Schedule' : 'Save'}
          </SubmitButton>
        </span>
      }
    >
      <OutboxNotice />
      <p className="dlg-question">{to === null ? words : <Link to={to}>{words}</Link>}</p>
      {notice && (
        <p className="notice notice--warning">
          <Icon name="alert" />
          <span>{notice}</span>
        </p>
      )}
      <p className="muted">
        Colleagues get an email with a link to this report. The email says which days the report covers and whether it
        is empty. The period is counted from the day it goes out.
      </p>
      <ConsoleForm
        key={formId}
        id={formId}
        schema={scheduledReportForm}
        defaults={defaults}
        guard={{ noun: 'scheduled report', mode: isNew ? 'creating' : 'editing' }}
        className="formstack mt-4"
      >
        <input type="hidden" name="uid" value={uid} />
        {revision !== null && <input type="hidden" name="revision" value={refusal?.values.revision ?? revision} />}
        <TextField
          name="name"
          label="Name"
          hint="The subject of the email begins with it."
          isOptional
          maxLength={scheduledReportLimits.name}
          hasCounter
          inputRef={first}
        />
        <Times
          timeZone={timeZone}
          period={period}
          often={String(refusal?.values.often ?? defaults.often)}
          monthDay={String(refusal?.values.monthDay ?? defaults.monthDay)}
          time={String(refusal?.values.time ?? defaults.time)}
        />
        <MultiSelect
          name="recipients"
          label="To"
          hint="Admins of this site, because only they can open reports."
          options={colleagues}
        />
      </ConsoleForm>
    </RouteDialog>
  )
}

type TimesProps = Pick<ScheduleReportView, 'timeZone' | 'period'> & { often: string; monthDay: string; time: string }

/** Without JavaScript, both kinds of days are shown, and their labels say what they are for. */
function Times({ timeZone, period, often, monthDay, time }: TimesProps) {
  const isHydrated = useHydrated()
  const [every, setEvery] = useState(often)
  const [day, setDay] = useState(monthDay)
  const change = ({ target }: FormEvent<HTMLDivElement>) => {
    const { name, value } = target as unknown as HTMLInputElement
    if (name === 'often') setEvery(value)
    if (name === 'monthDay') setDay(value)
  }
  // A program may have chosen another minute.
  const times = timeChoices.some(({ value }) => value === time)
    ? timeChoices
    : [{ value: time, label: timeInWords(time) }, ...timeChoices]
  return (
    <div className="formstack" onChange={change}>
      <RadioGroup
        name="often"
        label="How often"
        options={reportFrequencies.map((value) => ({ value, label: frequencyLabels[value] }))}
      />
      <div hidden={isHydrated && every !== 'weekly'}>
        <SelectField
          name="weekday"
          label={isHydrated ? 'Day of the week' : 'Day of the week, for every week'}
          options={weekdayChoices}
        />
      </div>
      <div hidden={isHydrated && every !== 'monthly'}>
        <SelectField
          name="monthDay"
          label={isHydrated ? 'Day of the month' : 'Day of the month, for every month'}
          hint={shortPeriodOn(period, day) ?? undefined}
          options={monthDayChoices}
        />
      </div>
      <SelectField name="time" label="Time" hint={`Time zone: ${timeZone}`} options={times} />
    </div>
  )
}
