/** The settings of a site that its admins can change. */
import { z } from 'zod'
import { listField } from './lists.ts'
import { emptyAsNull, tick } from './optional-fields.ts'
import { emailProblem } from './profile-rules.ts'
import { addressField, textField } from './text.ts'
import { uidField } from './uids.ts'

export const settingsLimits = { senderName: 100, surveyUrl: 500 } as const

/** The areas that a site can switch off, in the order of the form. */
export const features = ['LECTURES', 'ALL_CONTENT', 'GLOSSARY', 'ANNOUNCEMENTS'] as const
export type Feature = (typeof features)[number]

const optional = <Field extends z.ZodTypeAny>(field: Field) => z.preprocess(emptyAsNull, field.nullable())

export const siteSettingsForm = z.object({
  timeZone: textField({ max: 100, required: 'Time zone is required' }).refine(isTimeZone, 'There is no such time zone'),
  defaultInstitution: optional(uidField('There is no such institution')),
  features: listField(z.enum(features), { max: features.length, tooMany: 'Choose only areas from the list' }),
  senderName: optional(textField({ max: settingsLimits.senderName })).transform((name) => name || null),
  replyTo: optional(
    addressField().superRefine((address, issues) => {
      const message = emailProblem(address)
      if (message) issues.addIssue({ code: 'custom', message })
    }),
  ),
  surveyUrl: optional(
    textField({ max: settingsLimits.surveyUrl }).refine(isHttpsAddress, 'Enter an address that begins with https://'),
  ),
  recordsEvents: tick.transform((value) => value ?? false),
  tracksMails: tick.transform((value) => value ?? false),
})

export type SiteSettingsValues = z.output<typeof siteSettingsForm>

export function settingsFormId(revision: string | number): string {
  return `settings-${revision}`
}

function isTimeZone(name: string): boolean {
  try {
    return (
      new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== undefined && !/^[+-]/.test(name)
    )
  } catch {
    return false
  }
}

function isHttpsAddress(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
}
