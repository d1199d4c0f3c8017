/** The forms of the example pages (/dashboard/parts/). A real section has its own file in this folder. */
import { z } from 'zod'
import { tidyText } from '~/lib/text.ts'
import { oneOf, otherField, requireOther, selectionField } from './choices.ts'
import { dayField, momentField } from './dates.ts'
import { numberField } from './numbers.ts'
import { tickOr } from './optional-fields.ts'
import { rulesOf } from './steps.ts'
import { textField } from './text.ts'

export const partGroups = ['Biology', 'Chemistry', 'Medicine', 'Nursing', 'Pharmacy'].map(asOption)
export const partPeople = [
  ...['Ada Okafor', 'Amara Singh', 'Bao Tran', 'Carla Rossi', 'Dmitri Volkov', 'Elena Petrova', 'Farid Haddad'],
  ...['Grace Kim', 'Hugo Martin', 'Ines Duarte', 'Jonas Weber', 'Keiko Mori', 'Liam Byrne', 'María Guadalupe Cruz'],
].map(asOption)

function asOption(label: string): { value: string; label: string } {
  return { value: label.toLowerCase().replaceAll(' ', '-'), label }
}

const oneIn = (options: { value: string }[], problem: string) =>
  z.string().refine((value) => options.some((option) => option.value === value), problem)

export function partFieldsForm(timeZone: string) {
  const form = z.object({
    name: textField({ max: 40, required: 'A name is required' }),
    kind: oneOf(['open', 'invited', 'closed'], 'Please choose who may join'),
    seats: numberField({ min: 1, max: 500, required: 'The number of seats is required' }),
    passMark: numberField({ min: 0, max: 100, decimals: 1, unit: '%' }),
    day: dayField({ min: '2026-01-01' }),
    startsAt: momentField({ timeZone, required: 'A start is required' }),
    groups: selectionField(oneIn(partGroups, 'There is no such group'), {
      max: 20,
      required: 'Please choose one or more groups',
    }),
    groupsOther: otherField(40),
    people: selectionField(oneIn(partPeople, 'There is no such person'), { max: 50 }),
    reminders: tickOr(false),
  })
  return requireOther(form, 'groups', 'Please enter the name of the other group')
}

/** A message, as a section with rich text would have it. */
export const partEditorForm = z.object({
  subject: textField({ max: 60, required: 'A subject is required' }),
  text: textField({ max: 2000, required: 'Message text is required', tidy: tidyText }),
})

type Times = { sendAt: Date | null; expiresAt: Date | null }

export const partSteps = [
  { id: 'text', label: 'Text', fields: ['title', 'summary'] },
  { id: 'people', label: 'People', fields: ['people'] },
  {
    id: 'time',
    label: 'Time',
    fields: ['sendAt', 'expiresAt'],
    rule({ sendAt, expiresAt }: Times, issues: z.RefinementCtx) {
      if (sendAt && expiresAt && expiresAt <= sendAt) {
        issues.addIssue({ code: 'custom', path: ['expiresAt'], message: 'Please choose a time after the first one' })
      }
    },
  },
]

export function partStepsForm(timeZone: string) {
  return z
    .object({
      title: textField({ max: 40, required: 'A title is required' }),
      summary: z.preprocess((value) => value ?? '', textField({ max: 200, tidy: tidyText })),
      people: selectionField(oneIn(partPeople, 'There is no such person'), {
        max: 50,
        required: 'Please choose one or more people',
      }),
      sendAt: momentField({ timeZone }),
      expiresAt: momentField({ timeZone }),
    })
    .superRefine(rulesOf(partSteps))
}
