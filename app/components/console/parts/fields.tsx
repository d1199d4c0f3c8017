import { useMemo } from 'react'
import { partFieldsForm, partGroups, partPeople } from '~/forms/parts.ts'
import { useShell } from '../../layout/shell.ts'
import { MultiSelect, RadioGroup } from '../../ui/choice-fields.tsx'
import { DateField, DateTimeField } from '../../ui/date-fields.tsx'
import { CheckboxField, NumberField, TextField } from '../../ui/fields.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { Received } from './received.tsx'

const formId = 'part-fields'

/** Shows every kind of field that a console form can have. */
export function FieldsExample() {
  const { timeZone } = useShell()
  const schema = useMemo(() => partFieldsForm(timeZone), [timeZone])
  return (
    <div className="max-w-3xl">
      <h1 className="mb-6">Fields</h1>
      <Received />
      <ConsoleForm id={formId} schema={schema} defaults={{ people: [], groups: [] }} className="formstack">
        <TextField name="name" label="Name" maxLength={40} hasCounter />
        <RadioGroup
          name="kind"
          label="Who may join"
          options={[
            { value: 'open', label: 'Everyone', hint: 'The course is listed, and anyone can start it.' },
            { value: 'invited', label: 'People with an invitation', hint: 'You choose them in the next dialog.' },
            { value: 'closed', label: 'Nobody' },
          ]}
        />
        <div className="formgrid">
          <NumberField name="seats" label="Seats" unit="people" hint="From 1 to 500." />
          <NumberField name="passMark" label="Pass mark" unit="%" hasDecimals isOptional hint="From 0 to 100." />
          <DateField name="day" label="Day" min="2026-01-01" isOptional hint="From 2026 on." />
          <DateTimeField name="startsAt" label="Start" timeZone={timeZone} />
        </div>
        <MultiSelect
          name="groups"
          label="Groups"
          options={partGroups}
          all="All groups"
          other={{ label: 'Another group', textLabel: 'Name of the other group', maxLength: 40 }}
        />
        <MultiSelect name="people" label="People" options={partPeople} isOptional />
        <CheckboxField
          name="reminders"
          label="Send reminders"
          hint="One week and one day before the course ends."
          isSwitch
        />
        <p>
          <SubmitButton className="btn--primary" intent="save" busyWord="Saving">
            Save
          </SubmitButton>
        </p>
      </ConsoleForm>
    </div>
  )
}
