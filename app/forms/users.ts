import { z } from 'zod'
import { durationInDays, durationProblem, mostAccessDays } from './access-duration.ts'
import { oneOf } from './choices.ts'
import { numberField } from './numbers.ts'
import { emptyAsNull, tick } from './optional-fields.ts'
import { emailRequired, longestName, nameRequired } from './profile-rules.ts'
import { emailField, textField } from './text.ts'

export const subscriptionTypes = ['subsidized', 'free', 'paid'] as const

const institutionRequired = 'Institution is required'
const planRequired = 'Access Plan is required'
const typeRequired = 'Subscription Type is required'
const durationRequired = 'Duration must be a positive integer'

const firstName = textField({ max: longestName, required: nameRequired.firstName })
const lastName = textField({ max: longestName, required: nameRequired.lastName })
const university = textField({ max: 200, required: institutionRequired })
const subscriptionType = oneOf(subscriptionTypes, 'The subscription type is subsidized, free or paid')

/** The new address of an account. */
export const newEmail = emailField(emailRequired)

/** The fields to change; programs may send null for the others. Answers have their own form. */
export const updateUserForm = z.object({
  firstName: firstName.nullish(),
  lastName: lastName.nullish(),
  email: newEmail.nullish(),
  university: university.nullish(),
  accessPlanUid: textField({ max: 100, required: planRequired }).nullish(),
  subscriptionType: z.string().min(1, typeRequired).pipe(subscriptionType).nullish(),
})

export type UserChanges = z.input<typeof updateUserForm>

type Values = Record<string, unknown>

/**
 * Adds rules about several fields to a form. They look at the values before the form is parsed, because rules after that
 * run only if every field is right, and people should learn of all mistakes at once.
 */
function withRules<Form extends z.ZodTypeAny>(form: Form, rules: (values: Values) => Record<string, string | null>) {
  return z.preprocess((values, issues) => {
    for (const [name, message] of Object.entries(rules(Object(values) as Values))) {
      if (message !== null) issues.addIssue({ code: 'custom', path: [name], message })
    }
    return values
  }, form)
}

const isMissing = (value: unknown) => value === undefined || value === null || String(value).trim() === ''
const isTicked = (value: unknown) => value === true || value === 'on'

const text = (max: number) => z.preprocess((value) => value ?? '', textField({ max }))

const person = { firstName, lastName, email: newEmail, university }

/** Whom a program invites. An admin needs no plan (C-168, L-215). */
const invitation = {
  ...person,
  isAdmin: tick,
  autoRenew: tick,
  subscriptionDurationDays: numberField({ min: 1, max: mostAccessDays, problem: durationProblemOfProgram() }),
  /** Whether the invitation is sent once more before its link expires. */
  remind: tick,
}

function durationProblemOfProgram(): string {
  return `${durationRequired}, at most ${mostAccessDays.toLocaleString('en')} days`
}

function invitationRules(planField: string) {
  return (values: Values) => ({
    [planField]: isTicked(values.isAdmin) || !isMissing(values[planField]) ? null : planRequired,
    subscriptionDurationDays:
      values.autoRenew === false && isMissing(values.subscriptionDurationDays) ? durationRequired : null,
  })
}

export const inviteUserForm = withRules(
  z.object({ ...invitation, accessPlanUid: text(100) }),
  invitationRules('accessPlanUid'),
)
export type InviteUserInput = {
  firstName: string
  lastName: string
  email: string
  university: string
  accessPlanUid?: string | null
  isAdmin?: boolean | null
  autoRenew?: boolean | null
  subscriptionDurationDays?: number | null
  remind?: boolean
}

/** A row of a file of people to invite. It names the plan (C-228). */
const yesOrNo = z.preprocess((value) => {
  const word = String(emptyAsNull(value) ?? '')
    .trim()
    .toLowerCase()
  if (word === '') return undefined
  if (['true', 'yes', '1'].includes(word)) return true
  return ['false', 'no', '0'].includes(word) ? false : word
}, z.boolean({ invalid_type_error: 'Please write true or false' }).optional())

const isYes = (value: unknown) => yesOrNo.safeParse(value).data === true
const isNo = (value: unknown) => yesOrNo.safeParse(value).data === false

export const invitedRowForm = withRules(
  z.object({ ...invitation, isAdmin: yesOrNo, autoRenew: yesOrNo, accessPlan: text(200) }),
  ({ isAdmin, autoRenew, ...values }) =>
    invitationRules('accessPlan')({ ...values, isAdmin: isYes(isAdmin), autoRenew: !isNo(autoRenew) }),
)
export type InvitedRow = z.output<typeof invitedRowForm>

/** The columns of a file of people to invite. */
export const invitedColumns = [
  { key: 'firstName', names: ['firstName', 'First name'], isRequired: true },
  { key: 'lastName', names: ['lastName', 'Last name'], isRequired: true },
  { key: 'email', names: ['email', 'Email address'], isRequired: true },
  { key: 'university', names: ['university', 'Institution'], isRequired: true },
  { key: 'accessPlan', names: ['accessPlan', 'Plan'] },
  { key: 'isAdmin', names: ['isAdmin', 'Admin access'] },
  { key: 'autoRenew', names: ['autoRenew'] },
  { key: 'subscriptionDurationDays', names: ['subscriptionDurationDays', 'Days'] },
]

/** How access is to last: as it is, without an end, or for some time from now on. */
export const renewals = ['keep', 'auto', 'limit'] as const

const accessFields = {
  accessPlanUid: text(100),
  renewal: z.preprocess(
    (value) => emptyAsNull(value) ?? 'auto',
    oneOf(renewals, 'Please choose how long access lasts'),
  ),
  duration: text(20),
  unit: text(1),
}

function durationRules({ renewal, duration = '', unit = '' }: Values): Record<string, string | null> {
  return { duration: renewal === 'limit' ? durationProblem(String(duration), String(unit)) : null }
}

/** The days of a form with a duration; null without an end. */
export function daysOf({
  renewal,
  duration,
  unit,
}: {
  renewal: string
  duration: string
  unit: string
}): number | null {
  return renewal === 'limit' ? durationInDays(duration, unit) : null
}

/** Why nobody can be invited by the address of a deleted account. The page leads to where it can be restored. */
export const deletedAddress =
  'This email address belongs to an account that was deleted in the last 30 days. Restore that account instead.'

/** The invite dialog, for one person (C-169, C-170, C-191 to C-195). */
export const inviteDialogForm = withRules(
  z.object({ ...person, isAdmin: tick, remind: tick, ...accessFields }),
  (values) => ({
    accessPlanUid: isTicked(values.isAdmin) || !isMissing(values.accessPlanUid) ? null : planRequired,
    ...durationRules(values),
  }),
)

/** A person's form (L-201, L-212 to L-215). Everybody is a learner, an admin or both; other groups are added to that. */
export const userForm = withRules(
  z.object({
    firstName,
    lastName,
    university,
    isLearner: tick,
    isAdmin: tick,
    isInstructor: tick,
    isAuthor: tick,
    subscriptionType: z.preprocess(emptyAsNull, subscriptionType.nullable()),
    ...accessFields,
  }),
  (values) => {
    const isAdmin = isTicked(values.isAdmin)
    const hasPlan = !isMissing(values.accessPlanUid)
    return {
      isLearner: isAdmin || isTicked(values.isLearner) ? null : 'Choose Learner, Admin or both',
      accessPlanUid: isAdmin || hasPlan ? null : planRequired,
      subscriptionType: (hasPlan || !isAdmin) && isMissing(values.subscriptionType) ? typeRequired : null,
      ...durationRules(values),
    }
  },
)

/** The name of a person's form. Each stored state has its own name. */
export function userFormId(uid: string, revision: string | number): string {
  return `user-${uid}-${revision}`
}
