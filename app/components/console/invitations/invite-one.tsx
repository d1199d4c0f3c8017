import { Link } from '@remix-run/react'
import { useState } from 'react'
import { durationUnits } from '~/forms/access-duration.ts'
import { longestEmail, longestName } from '~/forms/profile-rules.ts'
import { deletedUsersPath } from '~/forms/trash.ts'
import { deletedAddress, inviteDialogForm } from '~/forms/users.ts'
import { RadioGroup, SelectField } from '../../ui/choice-fields.tsx'
import { CheckboxField, NumberField, TextField } from '../../ui/fields.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { OutboxNotice } from '../outbox-notice.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { InstitutionField } from '../users/institution-field.tsx'
import { ModeToggle } from './mode-toggle.tsx'
import { RemindField } from './remind-field.tsx'
import type { InviteChoices } from './view.ts'

const formId = 'invite'
const closeTo = '/dashboard/users/'
const units = Object.entries(durationUnits).map(([value, { name }]) => ({ value, label: name }))

/** Invites one person, at first into the default institution of the site (C-093, C-168 to C-170, L-008, L-009). */
export function InviteOne({ plans, universities, defaultUniversity }: InviteChoices) {
  const refusal = useRefusal(formId)
  const isDeleted = [refusal?.message, ...Object.values(refusal?.fieldErrors ?? {})].includes(deletedAddress)
  const [isAdmin, setAdmin] = useState(refusal?.values.isAdmin === 'on')
  return (
    <RouteDialog
      title="Invite User"
      isForm
      closeTo={closeTo}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          <span className="end">
            <SubmitButton form={formId} intent="save" className="btn--primary" busyWord="Inviting">
              Invite
            </SubmitButton>
          </span>
        </>
      }
    >
      <ModeToggle mode="single" />
      <OutboxNotice />
      <ConsoleForm
        id={formId}
        schema={inviteDialogForm}
        defaults={{ renewal: 'auto', duration: '1', unit: 'Y', university: defaultUniversity }}
        guard={{ noun: 'invitation', mode: 'creating' }}
        className="formstack"
      >
        <div className="grid gap-4 md:grid-cols-2">
          <TextField name="firstName" label="First name" maxLength={longestName} />
          <TextField name="lastName" label="Last name" maxLength={longestName} />
        </div>
        <TextField name="email" label="Email address" type="email" maxLength={longestEmail} />
        {isDeleted && (
          <p>
            <Link to={deletedUsersPath}>Show deleted accounts</Link>
          </p>
        )}
        <InstitutionField universities={universities} />
        <CheckboxField
          name="isAdmin"
          label="Admin Access"
          hint="An admin may use the whole console and needs no access plan."
          onToggle={setAdmin}
        />
        {/* A new element for each state: ticking the box clears the choice. */}
        {isAdmin ? (
          <SelectField
            key="none"
            name="accessPlanUid"
            label="Access plan"
            options={[]}
            placeholder="None"
            isOptional
            isDisabled
          />
        ) : (
          <SelectField
            key="plan"
            name="accessPlanUid"
            label="Access plan"
            options={plans}
            placeholder="Choose a plan"
          />
        )}
        <RadioGroup
          name="renewal"
          label="Subscription"
          options={[
            { value: 'auto', label: 'Auto-renew yearly' },
            { value: 'limit', label: 'Limit Duration', hint: 'From the first login' },
          ]}
        />
        <div className="grid gap-4 md:grid-cols-2">
          <NumberField name="duration" label="Duration" hint="For Limit Duration" isOptional />
          <SelectField name="unit" label="Unit" hint="For Limit Duration" options={units} isOptional />
        </div>
        <RemindField />
      </ConsoleForm>
    </RouteDialog>
  )
}
