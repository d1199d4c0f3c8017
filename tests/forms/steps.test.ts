import { expect, test } from 'vitest'
import { z } from 'zod'
import { formValues, openStep, ownsField, rulesOf, stepErrors } from '~/forms/steps.ts'
import { textField } from '~/forms/text.ts'

const steps = [
  { id: 'text', fields: ['title'] },
  { id: 'people', fields: ['people'] },
  {
    id: 'time',
    fields: ['from', 'until'],
    rule({ from, until }: { from: string; until: string }, issues: z.RefinementCtx) {
      if (until < from) issues.addIssue({ code: 'custom', path: ['until'], message: 'The end comes before the start' })
    },
  },
] as const

const schema = z
  .object({
    title: textField({ max: 20, required: 'Title is required' }),
    people: z.preprocess((value) => (value ? [value].flat() : []), z.array(z.string()).min(1, 'Choose somebody')),
    from: z.string(),
    until: z.string(),
  })
  .superRefine(rulesOf(steps))

const empty = { title: '', from: '2', until: '1' }

test('a step is refused for its own fields only', () => {
  expect(stepErrors(schema, steps[0], empty)).toEqual({ title: 'Title is required' })
  expect(stepErrors(schema, steps[1], { ...empty, title: 'News' })).toEqual({ people: 'Choose somebody' })
  expect(stepErrors(schema, steps[0], { ...empty, title: 'News' })).toEqual({})
  expect(stepErrors(schema, steps[2], { ...empty, title: 'News', people: 'ada' })).toEqual({
    until: 'The end comes before the start',
  })
})

test('the rule of a step runs whatever the other steps hold, and once its own fields are right', () => {
  const untilBeforeFrom = { until: 'The end comes before the start' }
  expect(stepErrors(schema, steps[2], { title: 7, from: '2', until: '1' })).toEqual(untilBeforeFrom)
  expect(stepErrors(schema, steps[2], { ...empty, title: 'News', people: 'ada' })).toEqual(untilBeforeFrom)
  expect(Object.keys(stepErrors(schema, steps[2], { from: 2, until: '1' }))).toEqual(['from'])
  expect(stepErrors(schema, steps[2], { from: '1', until: '2' })).toEqual({})
  expect(schema.safeParse({ ...empty, title: 'News', people: 'ada' }).success).toBe(false)
})

test('nobody gets beyond the first step with an error', () => {
  const open = (values: object, asked: string | null) => openStep(schema, steps, values, asked)
  expect(open(empty, 'time')).toBe('text')
  expect(open({ ...empty, title: 'News' }, 'time')).toBe('people')
  expect(open({ ...empty, title: 'News', people: ['ada'] }, 'time')).toBe('time')
  expect(open({ ...empty, title: 'News', people: ['ada'] }, 'text')).toBe('text')
  expect(open({ ...empty, title: 'News' }, 'nowhere')).toBe('text')
  expect(open({ ...empty, title: 'News' }, null)).toBe('text')
})

test('the parts of a list belong to its field, and a longer name does not', () => {
  expect(ownsField(['people'], 'people.0')).toBe(true)
  expect(ownsField(['people'], 'people[0].name')).toBe(true)
  expect(ownsField(['people'], 'peopleOther')).toBe(false)
})

test('a name that came more than once is a list', () => {
  const form = new FormData()
  for (const [name, value] of [
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
  ] as const)
    form.append(name, value)
  expect(formValues(form)).toEqual({ a: ['1', '3'], b: '2' })
})
