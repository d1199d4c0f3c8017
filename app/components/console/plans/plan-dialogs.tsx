import { Link } from '@remix-run/react'
import { useRef } from 'react'
import { durationUnits } from '~/forms/access-duration.ts'
import {
  longestPlanName,
  planForm,
  planFormId,
  renewAccessForm,
  renewalWindowLabels,
  renewalWindows,
} from '~/forms/plans.ts'
import { RadioGroup, SelectField } from '../../ui/choice-fields.tsx'
import { CheckboxField, NumberField, TextField } from '../../ui/fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { BulkProgress } from '../bulk/bulk-progress.tsx'
import { HiddenFields } from '../confirm-route.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { PlanForm, RenewalPreview, RenewalView } from './view.ts'

const closeTo = '/dashboard/plans/'

/** Creates a plan, or renames it and changes whether it is public. `uid` is the one that a new plan gets. */
export function PlanDialog({ uid, plan }: { uid: string; plan: PlanForm | null }) {
  const name = useRef<HTMLInputElement>(null)
  const refusal = useRefusal()
  // When another person has saved changes, the form is created again with those changes.
  const revision = refusal?.values.revision ?? String(plan?.revision ?? 0)
  const formId = refusal?.formId ?? planFormId(plan ? uid : 'new', revision)
  return (
    <RouteDialog
      title={plan ? 'Edit Plan' : 'Add Plan'}
      size="md"
      isForm
      closeTo={closeTo}
      initialFocus={name}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          <span className="end">
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
        schema={planForm}
        defaults={plan ? { name: plan.name, isPublic: plan.isPublic } : { isPublic: true }}
        guard={{ noun: 'plan', mode: plan ? 'editing' : 'creating' }}
        className="formstack"
      >
        <input type="hidden" name="revision" value={revision} />
        <input type="hidden" name="uid" value={uid} />
        <TextField name="name" label="Name" maxLength={longestPlanName} inputRef={name} />
        <CheckboxField
          name="isPublic"
          label="Public"
          hint="Programs that show prices list it. What learners may open does not depend on this."
        />
      </ConsoleForm>
    </RouteDialog>
  )
}

const units = Object.entries(durationUnits).map(([value, { name }]) => ({ value, label: name }))
const windows = renewalWindows.map((value) => ({ value, label: renewalWindowLabels[value] }))

type RenewProps = RenewalView & { preview: RenewalPreview | null }

/** Renews the access of many learners. The first press shows how many they are, and the second one begins. */
export function RenewDialog({ plan, operation, window, preview }: RenewProps) {
  const formId = 'renew'
  if (operation?.status === 'running') {
    return (
      <RouteDialog title="Renew Access" size="md" closeTo={closeTo} footer={<CloseLink closeTo={closeTo} />}>
        <BulkProgress operation={operation} />
      </RouteDialog>
    )
  }
  const isReady = preview !== null && preview.learners > 0
  return (
    <RouteDialog
      title="Renew Access"
      size="md"
      isForm
      closeTo={closeTo}
      footer={
        <>
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <span className="end">
            {preview && (
              <Link className="btn btn--secondary" to={`${closeTo}${plan.uid}/renew/`}>
                Back
              </Link>
            )}
            {(isReady || !preview) && (
              <SubmitButton
                className="btn--primary"
                form={formId}
                intent={isReady ? 'renew' : 'preview'}
                busyWord={isReady ? 'Renewing' : 'Counting'}
              >
                {isReady ? 'Renew' : 'Continue'}
              </SubmitButton>
            )}
          </span>
        </>
      }
    >
      {operation && !preview && (
        <div className="mb-4">
          <BulkProgress operation={operation} />
        </div>
      )}
      <ConsoleForm
        key={preview ? 'confirm' : 'choose'}
        id={formId}
        intent={isReady ? 'renew' : 'preview'}
        schema={renewAccessForm}
        defaults={preview ?? { window, duration: '1', unit: 'Y' }}
        className="formstack"
      >
        {preview ? (
          <Consequences plan={plan} preview={preview} />
        ) : (
          <>
            <p>
              Learners of <strong>{plan.name}</strong> get more time. It counts from the day on which their access ends,
              or from today if it has ended.
            </p>
            <RadioGroup name="window" label="Whose access" options={windows} />
            <div className="grid gap-4 md:grid-cols-2">
              <NumberField name="duration" label="Duration" />
              <SelectField name="unit" label="Unit" options={units} />
            </div>
          </>
        )}
      </ConsoleForm>
    </RouteDialog>
  )
}

function Consequences({ plan, preview }: { plan: { name: string }; preview: RenewalPreview }) {
  const { uid, window, duration, unit, learners, length } = preview
  if (learners === 0) return <p role="status">No learner of {plan.name} is in this period.</p>
  return (
    <>
      <HiddenFields fields={{ uid, window, duration, unit, previewed: `${window} ${duration} ${unit}` }} />
      <div className="notice notice--warning" role="status">
        <Icon name="alert" />
        <p>
          <strong>
            {learners === 1 ? 'One learner gets' : `${learners.toLocaleString('en')} learners get`} {length} more.
          </strong>{' '}
          {renewalWindowLabels[window]}: {plan.name}. You can change the end of each learner’s access in their profile.
        </p>
      </div>
    </>
  )
}
