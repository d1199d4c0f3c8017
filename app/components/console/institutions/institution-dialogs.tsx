import { useRef, useState } from 'react'
import { longestInstitution, renameInstitutionForm, replaceInstitutionForm } from '~/forms/institutions.ts'
import { type Option, Options, SelectField } from '../../ui/choice-fields.tsx'
import { controlProps, Field, TextField, useFormField } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { MergeDialogFrame } from '../merge-dialog-frame.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { InstitutionFacts, ReplacementPreview } from './view.ts'

const closeTo = '/dashboard/institutions/'

/** Renames an institution. */
export function InstitutionDialog({ uid, name, people, isDefault }: InstitutionFacts) {
  const input = useRef<HTMLInputElement>(null)
  const formId = `institution-${uid}`
  const refused = useRefusal(formId)?.values
  // The answer to a conflict leaves it out, because the form goes on from the name that is stored now.
  const openedName = refused?.openedName ?? name
  const sameName = refused?.sameName
  return (
    <RouteDialog
      title="Edit Institution"
      size="md"
      isForm
      closeTo={closeTo}
      initialFocus={input}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          <span className="end">
            {sameName ? (
              // A button and no link, because what was typed is the name of the other one: nothing is lost.
              <SubmitButton className="btn--secondary" form={formId} intent="merge" busyWord="Opening">
                Merge
              </SubmitButton>
            ) : (
              !isDefault && (
                <DialogLink className="btn btn--secondary" to={`${closeTo}${uid}/merge/`}>
                  Merge
                </DialogLink>
              )
            )}
            <SubmitButton className="btn--primary" form={formId} intent="save" busyWord="Saving">
              Save
            </SubmitButton>
          </span>
        </>
      }
    >
      <ConsoleForm
        id={formId}
        schema={renameInstitutionForm}
        defaults={{ name }}
        guard={{ noun: 'institution', mode: 'editing' }}
        className="formstack"
      >
        <input type="hidden" name="openedName" value={openedName} />
        {sameName && <input type="hidden" name="sameName" value={sameName} />}
        <TextField
          name="name"
          label="Institution"
          hint={
            people === 0
              ? 'Nobody belongs to it.'
              : `The new name appears for ${people === 1 ? 'one person' : `${people.toLocaleString('en')} people`}.`
          }
          maxLength={longestInstitution}
          inputRef={input}
        />
      </ConsoleForm>
    </RouteDialog>
  )
}

type ReplaceProps = {
  institutions: Option[]
  chosen: { institution: string; replacement: string }
  preview: ReplacementPreview | null
}

/**
 * Deletes an institution, whose people move to another one. The first press shows how many that are, and the second one
 * does it.
 */
export function ReplaceInstitution({ institutions, chosen, preview }: ReplaceProps) {
  const formId = 'replace-institution'
  const [isComplete, setComplete] = useState(chosen.institution !== '' && chosen.replacement !== '')
  const isHydrated = useHydrated()
  const toDelete = useRefusal(formId)?.values.institution ?? chosen.institution
  return (
    <RouteDialog
      title="Delete Institution"
      size="md"
      isForm
      closeTo={closeTo}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          {preview ? (
            <SubmitButton className="btn--danger" form={formId} intent="delete" busyWord="Deleting">
              Delete
            </SubmitButton>
          ) : (
            <SubmitButton
              className="btn--primary"
              form={formId}
              intent="preview"
              busyWord="Checking"
              disabled={isHydrated && !isComplete}
            >
              Delete
            </SubmitButton>
          )}
        </span>
      }
    >
      <ConsoleForm
        key={preview ? `${preview.institution}-${preview.replacement}` : 'choose'}
        id={formId}
        intent={preview ? 'delete' : 'preview'}
        schema={replaceInstitutionForm}
        defaults={preview ?? chosen}
        className="formstack"
      >
        {preview ? (
          <>
            <input type="hidden" name="institution" value={preview.institution} />
            <input type="hidden" name="replacement" value={preview.replacement} />
            <Consequences {...preview} />
          </>
        ) : isHydrated ? (
          <TwoInstitutions institutions={institutions} onChoose={setComplete} />
        ) : (
          <>
            <SelectField
              name="institution"
              label="Institution to delete"
              options={institutions}
              placeholder="Choose an institution"
            />
            <SelectField
              name="replacement"
              label="Replacement"
              hint="Its people move here."
              options={institutions.filter(({ value }) => value !== toDelete)}
              placeholder="Choose an institution"
            />
          </>
        )}
      </ConsoleForm>
    </RouteDialog>
  )
}

type MergeProps = {
  uid: string
  name: string
  others: Option[]
  /** The other one that is chosen already. */
  into: string
  preview: ReplacementPreview | null
}

/** Merges an institution into another one. */
export function MergeInstitution({ uid, name, others, into, preview }: MergeProps) {
  const formId = `merge-${uid}`
  return (
    <MergeDialogFrame name={name} formId={formId} closeTo={`${closeTo}${uid}/`} isPreviewed={preview !== null}>
      <ConsoleForm
        id={formId}
        intent="preview"
        schema={replaceInstitutionForm}
        defaults={{ replacement: preview?.replacement ?? into }}
        className="formstack"
      >
        <input type="hidden" name="institution" value={uid} />
        <SelectField name="replacement" label="Merge into" options={others} placeholder="Choose an institution" />
        {preview && <Consequences {...preview} isMerger />}
      </ConsoleForm>
    </MergeDialogFrame>
  )
}

function Consequences({ isMerger = false, ...preview }: ReplacementPreview & { isMerger?: boolean }) {
  const { institution, name, replacement, to, people, views, schedules, audiences } = preview
  const who =
    people === 0
      ? 'Nobody belongs'
      : people === 1
        ? 'One person belongs'
        : `${people.toLocaleString('en')} people belong`
  return (
    <>
      <input type="hidden" name="previewed" value={`${institution} ${replacement}`} />
      <div className="notice notice--warning" role="status">
        <Icon name="alert" />
        <p>
          <strong>
            {who} to “{name}”.
          </strong>{' '}
          {people === 0 ? '' : `${people === 1 ? 'This person moves' : 'They move'} to “${to}”. `}
          {isMerger && `“${name}” is then deleted. `}
          {stoppedReports(views, schedules)}
          {emptiedAudiences(audiences)}You can undo this for thirty days.
        </p>
      </div>
    </>
  )
}

/** "2 saved views and one scheduled report about it stop working. " */
function stoppedReports(views: number, schedules: number): string {
  const counted = (count: number, noun: string) =>
    count === 0 ? [] : [count === 1 ? `one ${noun}` : `${count.toLocaleString('en')} ${noun}s`]
  const stopped = [...counted(views, 'saved view'), ...counted(schedules, 'scheduled report')].join(' and ')
  if (stopped === '') return ''
  const sentence = `${stopped} about it ${views + schedules === 1 ? 'stops' : 'stop'} working. `
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

/** "2 audiences will no longer find people by it. " */
function emptiedAudiences(audiences: number): string {
  if (audiences === 0) return ''
  return audiences === 1
    ? 'One audience will no longer find people by it. '
    : `${audiences.toLocaleString('en')} audiences will no longer find people by it. `
}

/** Two lists: the second leaves out what the first has chosen (C-109). */
function TwoInstitutions({
  institutions,
  onChoose,
}: {
  institutions: Option[]
  onChoose: (isComplete: boolean) => void
}) {
  const first = useFormField('institution')
  const second = useFormField('replacement')
  const [institution, setInstitution] = useState(String(first.defaultValue ?? ''))
  const [replacement, setReplacement] = useState(String(second.defaultValue ?? ''))
  const choose = (one: string, other: string) => {
    setInstitution(one)
    setReplacement(other)
    onChoose(one !== '' && other !== '')
  }
  return (
    <>
      <Select
        name="institution"
        label="Institution to delete"
        options={institutions}
        value={institution}
        error={first.error}
        onChange={(value) => {
          choose(value, value === replacement ? '' : replacement)
          first.clearError()
        }}
      />
      <Select
        name="replacement"
        label="Replacement"
        hint="Its people move here."
        options={institutions.filter(({ value }) => value !== institution)}
        value={replacement}
        error={second.error}
        onChange={(value) => {
          choose(institution, value)
          second.clearError()
        }}
      />
    </>
  )
}

type SelectProps = {
  name: string
  label: string
  hint?: string
  options: Option[]
  value: string
  error?: string
  onChange: (value: string) => void
}

function Select({ name, label, hint, options, value, error, onChange }: SelectProps) {
  const id = `${name}-select`
  return (
    <Field {...{ id, label, hint, error }}>
      <select
        {...controlProps(id, { error, hint })}
        className="input"
        name={name}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">Choose an institution</option>
        <Options options={options} />
      </select>
    </Field>
  )
}
