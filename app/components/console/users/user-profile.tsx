import { useState } from 'react'
import { durationUnits } from '~/forms/access-duration.ts'
import { longestName } from '~/forms/profile-rules.ts'
import { subscriptionLabels } from '~/forms/subscriptions.ts'
import { userForm, userFormId } from '~/forms/users.ts'
import { RadioGroup, SelectField } from '../../ui/choice-fields.tsx'
import { CheckboxField, NumberField, TextField } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { CloseLink, DialogLink } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { InstitutionField } from './institution-field.tsx'
import type { UserProfile } from './view.ts'

const types = Object.entries(subscriptionLabels).map(([value, label]) => ({ value, label }))
const units = Object.entries(durationUnits).map(([value, { name }]) => ({ value, label: name }))

/** The profile of a person: the form, and what can be done with the account. */
export function UserProfileForm({ user }: { user: UserProfile }) {
  const refusal = useRefusal()
  // When another person has saved changes, the form is created again with those changes.
  const revision = refusal?.values.revision ?? String(user.revision)
  const formId = refusal?.formId ?? userFormId(user.uid, revision)
  const { isAdmin: isAdminNow } = user.values
  const [isAdmin, setAdmin] = useState(refusal ? refusal.values.isAdmin === 'on' : isAdminNow)
  const isHydrated = useHydrated()
  // Without JavaScript the box may be unticked again, so the choices stay.
  const isMadeAdmin = isHydrated && isAdmin && !isAdminNow
  return (
    <>
      <dl className="figures mb-6">
        {user.facts.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ConsoleForm
        key={formId}
        id={formId}
        schema={userForm}
        defaults={{ ...user.values, unit: 'Y', duration: '1' }}
        guard={{ noun: 'user', mode: 'editing' }}
        className="formstack"
      >
        <input type="hidden" name="revision" value={revision} />
        <input type="hidden" name="opened" value={refusal?.values.opened ?? user.opened} />
        <div className="grid gap-4 md:grid-cols-2">
          <TextField name="firstName" label="First name" maxLength={longestName} />
          <TextField name="lastName" label="Last name" maxLength={longestName} />
        </div>
        <p className="muted small">Email: {user.email}</p>
        <InstitutionField universities={user.universities} />
        <fieldset className="field">
          <legend className="legend">Groups</legend>
          <span className="hint">Everybody is a learner, an admin or both.</span>
          <CheckboxField name="isLearner" label="Learner" />
          <CheckboxField
            name="isAdmin"
            label="Admin"
            hint="May use the whole console and needs no access plan."
            onToggle={setAdmin}
          />
          <CheckboxField name="isInstructor" label="Instructor" />
          <CheckboxField name="isAuthor" label="Author" hint="May work on courses, modules, lectures and videos." />
        </fieldset>
        {/* Ticking Admin clears the choices (C-168), with new elements. Whoever is an admin already may have a plan. */}
        <div key={isMadeAdmin ? 'none' : 'plan'} className="grid gap-4 md:grid-cols-2">
          <SelectField
            name="accessPlanUid"
            label="Access plan"
            options={isMadeAdmin ? [] : user.plans}
            placeholder="None"
            isOptional={isAdmin}
            isDisabled={isMadeAdmin}
          />
          <SelectField
            name="subscriptionType"
            label="Subscription type"
            options={isMadeAdmin ? [] : types}
            placeholder="None"
            isOptional={isAdmin}
            isDisabled={isMadeAdmin}
          />
        </div>
        <RadioGroup
          name="renewal"
          label="How long access lasts"
          options={[
            ...(user.access === null ? [] : [{ value: 'keep', label: `As it is: ${user.access}` }]),
            { value: 'auto', label: 'Auto-renew yearly' },
            { value: 'limit', label: 'Limit Duration', hint: user.isPending ? 'From the first login' : 'From today' },
          ]}
        />
        <div className="grid gap-4 md:grid-cols-2">
          <NumberField name="duration" label="Duration" hint="For Limit Duration" isOptional />
          <SelectField name="unit" label="Unit" hint="For Limit Duration" options={units} isOptional />
        </div>
        <p className="flex flex-wrap gap-3">
          <SubmitButton className="btn--primary" form={formId} intent="save" busyWord="Saving">
            Save
          </SubmitButton>
          <CloseLink closeTo="/dashboard/users/">Close</CloseLink>
        </p>
      </ConsoleForm>
      <Account user={user} />
    </>
  )
}

function Account({ user: { uid, isOwn, isActive, isPending, waitingEmail, canBeViewed } }: { user: UserProfile }) {
  const path = `/dashboard/users/${uid}/`
  return (
    <section className="box mt-6" aria-label="Account">
      <h3 className="text-base mb-3">Account</h3>
      {isOwn && <p className="muted small mb-3">This is your own account. Another admin can disable or delete it.</p>}
      {waitingEmail !== null && <p className="notice mb-3 wrap-anywhere">Waiting for confirmation at {waitingEmail}</p>}
      <p className="flex flex-wrap gap-3">
        {canBeViewed && (
          <DialogLink className="btn btn--secondary" to={`${path}view-as/`}>
            View as
          </DialogLink>
        )}
        {!isOwn && (isActive || isPending) && (
          <DialogLink className="btn btn--secondary" to={`${path}account/email/`}>
            {waitingEmail === null ? 'Change email address' : 'Cancel or send again'}
          </DialogLink>
        )}
        {isActive && (
          <DialogLink className="btn btn--secondary" to={`${path}account/reset/`}>
            Send a link to reset the password
          </DialogLink>
        )}
        {!isOwn && !isPending && (
          <DialogLink className="btn btn--secondary" to={`${path}account/${isActive ? 'disable' : 'enable'}/`}>
            {isActive ? 'Disable account' : 'Enable account'}
          </DialogLink>
        )}
        {!isOwn && (
          <DialogLink className="btn btn--danger-line" to={`${path}delete/`}>
            <ConsoleIcon name="trash" />
            Delete user
          </DialogLink>
        )}
      </p>
    </section>
  )
}
