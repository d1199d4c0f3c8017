/**
 * Audiences: named rules about people. A rule is a list of conditions that all must hold. A condition is about one thing
 * (`about`), says how it must be (`how`), and names values of which any is enough, or a number of days.
 */
import { z } from 'zod'
import { isUid } from '~/lib/uid.ts'
import { oneOf } from './choices.ts'
import { listField } from './lists.ts'
import { numberField } from './numbers.ts'
import { textField } from './text.ts'
import { groupChoices, noneOfThem } from './user-tables.ts'

export const audienceLimits = { name: 100, conditions: 10, values: 50, started: 10, days: 3650 } as const

/** Answers of the questionnaire, by the keys of their questions. */
export const answerAbouts = ['position', 'region', 'research_type', 'modality'] as const
export type AnswerAbout = (typeof answerAbouts)[number]

/** Content that people make progress in. */
export const progressAbouts = ['module', 'course'] as const
export type ProgressAbout = (typeof progressAbouts)[number]

export const abouts = ['institution', 'plan', 'group', ...answerAbouts, ...progressAbouts, 'seen', 'joined'] as const
export type About = (typeof abouts)[number]

export const aboutLabels: Record<About, string> = {
  institution: 'Institution',
  plan: 'Access plan',
  group: 'Group',
  position: 'Current position',
  region: 'Geographical region',
  research_type: 'Type of research',
  modality: 'Modality',
  module: 'Modules',
  course: 'Courses',
  seen: 'Last seen',
  joined: 'Joined',
}

/** The values of a plan's condition for people whose access has ended. */
export const hasEnded = 'ended'

const isOrNot = ['is', 'is_not'] as const
const progressHows = ['completed', 'not_completed', 'started', 'not_started'] as const
const seenHows = ['not_within', 'within', 'never'] as const
const joinedHows = ['within', 'not_within'] as const

const choiceHows = [
  { value: 'is', label: 'is any of these' },
  { value: 'is_not', label: 'is none of these' },
]
const progressChoices = [
  { value: 'completed', label: 'completed any of these' },
  { value: 'not_completed', label: 'completed none of these' },
  { value: 'started', label: 'started any of these without completing it' },
  { value: 'not_started', label: 'started none of these' },
]

/** What can be said about each thing. The first one is what a new condition says. */
export const howChoices: Record<About, { value: string; label: string }[]> = {
  institution: choiceHows,
  plan: choiceHows,
  group: choiceHows,
  position: choiceHows,
  region: choiceHows,
  research_type: choiceHows,
  modality: choiceHows,
  module: progressChoices,
  course: progressChoices,
  seen: [
    { value: 'not_within', label: 'not in the last … days' },
    { value: 'within', label: 'in the last … days' },
    { value: 'never', label: 'never' },
  ],
  joined: [
    { value: 'within', label: 'in the last … days' },
    { value: 'not_within', label: 'before the last … days' },
  ],
}

/** Values that are found by name, because a site may have thousands. */
export const pickedAbouts = ['institution', 'module', 'course'] as const
export type PickedAbout = (typeof pickedAbouts)[number]

export function isPicked(about: About): about is PickedAbout {
  return pickedAbouts.some((one) => one === about)
}

type Values = { values: string[] }
export type ChoiceCondition = Values & { about: 'institution' | 'plan' | 'group' | AnswerAbout; how: 'is' | 'is_not' }
export type ProgressCondition = Values & { about: ProgressAbout; how: (typeof progressHows)[number] }
/** `days` is null for "never". */
export type SeenCondition = { about: 'seen'; how: (typeof seenHows)[number]; days: number | null }
export type JoinedCondition = { about: 'joined'; how: (typeof joinedHows)[number]; days: number }
export type Condition = ChoiceCondition | ProgressCondition | SeenCondition | JoinedCondition

const howRequired = 'Choose what must be the case'

function valuesField(isKnown: (value: string) => boolean, required: string) {
  const { values: max } = audienceLimits
  const again = 'Please choose again'
  const value = z.string({ invalid_type_error: again }).max(100, again).toLowerCase().refine(isKnown, again)
  return listField(value, { max, tooMany: `At most ${max} can be chosen`, required })
}

const uidOrNone = (value: string) => isUid(value) || value === noneOfThem
const groups = groupChoices.map(({ value }) => value)

const choice = (isKnown: (value: string) => boolean, noun: string) =>
  z.object({ how: oneOf(isOrNot, howRequired), values: valuesField(isKnown, `Choose one or more ${noun}`) })
const answer = choice(uidOrNone, 'answers')
const progress = (noun: string) =>
  z
    .object({ how: oneOf(progressHows, howRequired), values: valuesField(isUid, `Choose one or more ${noun}`) })
    // Each of these is looked up by itself, so many of them would take long to count.
    .refine(({ how, values }) => how !== 'started' || values.length <= audienceLimits.started, {
      path: ['values'],
      message: `Choose at most ${audienceLimits.started} ${noun}`,
    })

const { days: mostDays } = audienceLimits
const daysProblem = `Please enter a whole number of days from 1 to ${mostDays.toLocaleString('en')}.`
const daysLimits = { min: 1, max: mostDays, problem: daysProblem }

/** What a condition about each thing holds beside `about`. */
const partsOf: Record<About, z.ZodTypeAny> = {
  institution: choice(uidOrNone, 'institutions'),
  plan: choice((value) => uidOrNone(value) || value === hasEnded, 'access plans'),
  group: choice((value) => groups.includes(value), 'groups'),
  position: answer,
  region: answer,
  research_type: answer,
  modality: answer,
  module: progress('modules'),
  course: progress('courses'),
  seen: z
    .object({
      how: oneOf(seenHows, howRequired),
      // A field that is not shown for "never" is not sent, or sent with whatever it held before.
      days: z.unknown(),
    })
    .transform(({ how, days }, issues) => {
      if (how === 'never') return { how, days: null }
      const parsed = numberField({ ...daysLimits, required: daysProblem }).safeParse(days)
      if (parsed.success) return { how, days: parsed.data }
      issues.addIssue({ code: 'custom', path: ['days'], message: daysProblem })
      return z.NEVER
    }),
  joined: z.object({
    how: oneOf(joinedHows, howRequired),
    days: numberField({ ...daysLimits, required: daysProblem }),
  }),
}

export function isAbout(value: unknown): value is About {
  return abouts.some((one) => one === value)
}

/** One condition. Its messages stand at `how`, `values` or `days`. */
export const conditionForm = z.unknown().transform((value, issues): Condition => {
  const { about } = Object(value) as { about?: unknown }
  if (!isAbout(about)) {
    issues.addIssue({ code: 'custom', message: 'Choose what the condition is about' })
    return z.NEVER
  }
  const parsed = partsOf[about].safeParse(value)
  if (parsed.success) return { about, ...parsed.data } as Condition
  for (const issue of parsed.error.issues) issues.addIssue(issue)
  return z.NEVER
})

const name = textField({ max: audienceLimits.name, required: 'Name is required' })
const noConditions = 'Add one or more conditions'
const tooManyConditions = `At most ${audienceLimits.conditions} conditions`

/** A rule, as services take it. */
export const ruleForm = z
  .array(conditionForm, { required_error: noConditions, invalid_type_error: noConditions })
  .min(1, noConditions)
  .max(audienceLimits.conditions, tooManyConditions)

/** An audience, as services take it. */
export const audienceForm = z.object({ name, conditions: ruleForm })
