import { useActionData } from '@remix-run/react'
import { useEffect, useId, useRef } from 'react'
import {
  addField,
  addIntent,
  audienceDialogForm,
  countIntent,
  fieldOfRow,
  removeIntentOf,
  rowsField,
} from '~/forms/audience-fields.ts'
import { type About, aboutLabels, abouts, audienceLimits, howChoices } from '~/forms/audiences.ts'
import { MultiSelect, type Option, SelectField } from '../../ui/choice-fields.tsx'
import { CheckboxField, FieldError, NumberField, TextField } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleForm, useFieldErrors, useRefusal } from '../console-form.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { Picker } from '../picker/picker.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { LiveCount } from './live-count.tsx'
import type { AudienceFormView, ConditionRow, ReturnedRows } from './view.ts'

type Props = { isNew: boolean; view: AudienceFormView }

const closeTo = '/dashboard/audiences/'

/** Creates or edits an audience. Its conditions are added and removed by buttons that post the form. */
export function AudienceDialog({ isNew, view }: Props) {
  const name = useRef<HTMLInputElement>(null)
  const isHydrated = useHydrated()
  const refusal = useRefusal()
  const returned = useActionData<Partial<ReturnedRows> | null>()
  // An answer that did not come from the server, such as after an outage, has no rows.
  const last = useRef<ReturnedRows>({ rows: view.rows, count: view.count, opened: null })
  if (returned?.rows) {
    last.current = { rows: returned.rows, count: returned.count ?? null, opened: returned.opened ?? null }
  }
  const { rows, count, opened } = last.current
  const uid = refusal?.values.uid || view.uid
  // When another person has saved changes, the form is created again with those changes.
  const revision = refusal?.values.revision ?? String(view.revision)
  const formId = refusal?.formId ?? `audience-${isNew ? 'new' : uid}-${revision}`
  return (
    <RouteDialog
      title={isNew ? 'New Audience' : 'Edit Audience'}
      size="xl"
      isForm
      closeTo={closeTo}
      initialFocus={name}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          <LiveCount key={formId} formId={formId} rows={rows} count={count} />
          <span className="end">
            {!isHydrated && (
              <SubmitButton className="btn--secondary" form={formId} intent={countIntent} busyWord="Counting">
                Count
              </SubmitButton>
            )}
            <SubmitButton className="btn--primary" form={formId} intent="save" busyWord="Saving">
              Save
            </SubmitButton>
          </span>
        </>
      }
    >
      <ConsoleForm
        key={formId}
        id={formId}
        schema={audienceDialogForm}
        defaults={view.defaults}
        // Without JavaScript, Enter in the search of a picker presses this one too.
        intent={isHydrated ? 'save' : countIntent}
        neededBy={(intent) => (intent === 'save' ? undefined : { fields: [] })}
        guard={{ noun: 'audience', mode: isNew ? 'creating' : 'editing' }}
        className="formstack"
      >
        <input type="hidden" name="revision" value={revision} />
        <input type="hidden" name="uid" value={uid} />
        {view.hasGone && !refusal && (
          <p className="notice notice--warning">
            <Icon name="alert" />
            <span>
              Something that this rule names no longer exists, and is left out below. Until you save, it matches nobody.
            </span>
          </p>
        )}
        <TextField name="name" label="Name" maxLength={audienceLimits.name} hasCounter inputRef={name} />
        <Conditions formId={formId} rows={rows} options={view.options} opened={opened} />
      </ConsoleForm>
    </RouteDialog>
  )
}

type ConditionsProps = {
  formId: string
  rows: ConditionRow[]
  options: AudienceFormView['options']
  /** The row that was just added. */
  opened: string | null
}

function Conditions({ formId, rows, options, opened }: ConditionsProps) {
  const id = useId()
  const error = useFieldErrors()[rowsField]
  useEffect(() => {
    if (opened !== null) document.getElementById(headingOf(opened))?.focus()
  }, [opened])
  return (
    <section className="formstack" aria-labelledby={id}>
      <div>
        <h3 id={id}>Conditions</h3>
        <p className="muted small">An audience has everybody who meets all of them. Only active accounts count.</p>
      </div>
      {rows.length > 0 && (
        <ul className="sortable" aria-labelledby={id}>
          {rows.map((row) => (
            <li key={row.key}>
              <Condition formId={formId} row={row} options={options[row.about] ?? []} />
            </li>
          ))}
        </ul>
      )}
      <FieldError id={`${id}-rows`} error={error} />
      {rows.length < audienceLimits.conditions && <AddCondition formId={formId} isFirst={rows.length === 0} />}
    </section>
  )
}

function headingOf(key: string): string {
  return `condition-${key}`
}

type ConditionProps = { formId: string; row: ConditionRow; options: Option[] }

function Condition({ formId, row: { key, about, picker }, options }: ConditionProps) {
  const label = aboutLabels[about]
  const errors = useFieldErrors()
  const values = fieldOfRow(key, 'values')
  const root = useRef<HTMLDivElement>(null)
  const error = errors[values]
  useEffect(() => {
    // What is picked has no field that could get the focus, and may be far below.
    if (error !== undefined) root.current?.querySelector('.error')?.scrollIntoView({ block: 'nearest' })
  }, [error])
  return (
    <div role="group" aria-labelledby={headingOf(key)} className="formstack p-4" ref={root}>
      <input type="hidden" name={rowsField} value={key} />
      <input type="hidden" name={fieldOfRow(key, 'about')} value={about} />
      <div className="flex items-center gap-3">
        <h4 id={headingOf(key)} tabIndex={-1} className="legend">
          {label}
        </h4>
        <span className="ml-auto">
          <SubmitButton className="btn--quiet" form={formId} intent={removeIntentOf(key)} busyWord="Removing">
            Remove<span className="sr-only"> the condition about {label}</span>
          </SubmitButton>
        </span>
      </div>
      <div className="formgrid group">
        <SelectField name={fieldOfRow(key, 'how')} label={howLabel(about)} options={howChoices[about]} />
        {(about === 'seen' || about === 'joined') && (
          <div className="group-has-[option[value=never]:checked]:hidden">
            <NumberField name={fieldOfRow(key, 'days')} label="Days" unit="days" />
          </div>
        )}
      </div>
      {picker ? (
        <>
          <Picker
            name={values}
            view={picker}
            most={audienceLimits.values}
            noun={nouns[about] ?? ['item', 'items']}
            source={`/dashboard/audiences/choices/${about}/`}
            error={error}
          />
          {about === 'institution' && (
            <CheckboxField name={fieldOfRow(key, 'none')} label="People without an institution" />
          )}
        </>
      ) : (
        options.length > 0 && <MultiSelect name={values} label={listLabels[about] ?? 'Answers'} options={options} />
      )}
    </div>
  )
}

const nouns: Partial<Record<About, [string, string]>> = {
  institution: ['institution', 'institutions'],
  module: ['module', 'modules'],
  course: ['course', 'courses'],
}

/** Questions have answers. */
const listLabels: Partial<Record<About, string>> = { plan: 'Access plans', group: 'Groups' }

function howLabel(about: About): string {
  if (about === 'module' || about === 'course') return 'The person has'
  if (about === 'seen') return 'The person was seen'
  return about === 'joined' ? 'The person joined' : `The person’s ${aboutLabels[about].toLowerCase()}`
}

const aboutOptions = abouts.map((value) => ({ value, label: aboutLabels[value] }))

/** Chooses what the next condition is about, and adds it. */
function AddCondition({ formId, isFirst }: { formId: string; isFirst: boolean }) {
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SelectField name={addField} label={isFirst ? 'First condition' : 'Another condition'} options={aboutOptions} />
      <SubmitButton className="btn--secondary" form={formId} intent={addIntent} busyWord="Adding">
        <ConsoleIcon name="plus" />
        Add condition
      </SubmitButton>
    </div>
  )
}
