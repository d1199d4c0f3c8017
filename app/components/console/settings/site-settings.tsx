import { settingsFormId, settingsLimits, siteSettingsForm } from '~/forms/site-settings.ts'
import { MultiSelect, SelectField } from '../../ui/choice-fields.tsx'
import { CheckboxField, TextField } from '../../ui/fields.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { SiteSettingsView } from './view.ts'

const featureOptions = [
  { value: 'LECTURES', label: 'Lectures' },
  { value: 'ALL_CONTENT', label: 'All Content' },
  { value: 'GLOSSARY', label: 'Glossary' },
  { value: 'ANNOUNCEMENTS', label: 'Messages' },
]

/** The settings of the site, in one form. */
export function SiteSettings({ revision: stored, values, institutions, timeZones, brandName }: SiteSettingsView) {
  const refusal = useRefusal()
  const revision = refusal?.values.revision ?? String(stored)
  const formId = settingsFormId(revision)
  return (
    <>
      <h1>Settings</h1>
      <p className="muted">They apply to this site only. Each change is recorded with your name.</p>
      <ConsoleForm
        key={formId}
        id={formId}
        schema={siteSettingsForm}
        defaults={values}
        guard={{ noun: 'settings', mode: 'editing' }}
        className="formstack max-w-2xl"
      >
        <input type="hidden" name="revision" value={revision} />
        <h2 className="mt-4">The site</h2>
        <SelectField
          name="timeZone"
          label="Time zone"
          hint="Dates are shown in this time zone. Planned changes still happen at the same moment."
          options={timeZones.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
        />
        <MultiSelect
          name="features"
          label="Areas"
          hint="An area that is switched off disappears for everybody. Nothing in it is lost."
          options={featureOptions}
          isOptional
        />
        <SelectField
          name="defaultInstitution"
          label="Default institution"
          hint="Its people form a group of their own in reports and messages."
          options={institutions}
          placeholder="None"
          isOptional
        />
        <h2 className="mt-4">Emails</h2>
        <TextField
          name="senderName"
          label="Sender"
          hint={`Emails are sent under this name. If it is empty, they are from “${brandName}”.`}
          maxLength={settingsLimits.senderName}
          isOptional
        />
        <TextField
          name="replyTo"
          label="Reply-to address"
          hint="Replies to emails go to this address."
          maxLength={100}
          isOptional
        />
        <h2 className="mt-4">What is asked and recorded</h2>
        <TextField
          name="surveyUrl"
          label="Survey address"
          hint="This page opens once a learner has completed a module. Nothing opens if it is empty."
          maxLength={settingsLimits.surveyUrl}
          isOptional
        />
        <CheckboxField
          isSwitch
          name="recordsEvents"
          label="Record visits to pages and searches"
          hint="Reports count them. Learning progress, plays and logins are always recorded."
        />
        <CheckboxField
          isSwitch
          name="tracksMails"
          label="Count opens and clicks of emails"
          hint="Messages by email then have a picture and links that count. People can opt out in their account."
        />
        <p>
          <SubmitButton form={formId} intent="save" className="btn--primary" busyWord="Saving">
            Save
          </SubmitButton>
        </p>
      </ConsoleForm>
    </>
  )
}
