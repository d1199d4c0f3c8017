/** The fields that forms share: what people type, what programs send, and the messages for everything else. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { oneOf, otherField, requireOther, selectionField } from '~/forms/choices.ts'
import { dayField, momentField } from '~/forms/dates.ts'
import { incompleteDate } from '~/forms/field-names.ts'
import { numberField } from '~/forms/numbers.ts'
import { parseForm } from '~/forms/parse.ts'
import { tidyTag, uniqueTags } from '~/forms/tags.ts'
import { textField } from '~/forms/text.ts'
import { caseKey, emailKey, searchKey, tidyLine, tidyText } from '~/lib/text.ts'

/** Returns the value that a field makes of the input, or its message. */
function outcome(schema: z.ZodTypeAny, value: unknown): unknown {
  const result = parseForm(z.object({ field: schema }), { field: value })
  return result.ok ? (result.value as { field: unknown }).field : result.errors.field
}

test('a name has something to see and no controls of direction, and joiners inside words stay', () => {
  const name = textField({ max: 65, required: 'A name is required' })
  const nothing = [
    ...['\u200b', '\u2800', '\u3164', '\u00ad', '\u2060', '\u202e', ' \u200d\ufe0f\ufeff ', '\u0007', '\u2028'],
    ...['\ufff9', '\ufffc', '\u0600', '\u{13430}', '\u0301', '\ue000', '\u{1d159}', '\u{13441}', '\uffa0'],
  ]
  for (const value of nothing) {
    expect(outcome(name, value)).toBe('A name is required')
    expect(tidyTag(value)).toBe('')
  }
  for (const value of [
    '👩‍👩‍👧',
    'می‌خواهم',
    'עברית',
    'co\u00adop',
    '❤️',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    'ه‍',
    'അവന്‍',
    '?',
    '7',
    '€',
    '👍🏽',
    '\ufffd',
  ]) {
    expect(outcome(name, value)).toBe(value)
    expect(tidyTag(value)).toBe(value)
  }
  expect(outcome(name, ' \u202eAssay\u202c \u2066one\u2069 ')).toBe('Assay one')
  expect(tidyTag('\u202eSafety')).toBe('Safety')
})

test('a name is one line, and only texts that may have lines keep them', () => {
  const name = textField({ max: 65, required: 'A name is required' })
  const text = textField({ max: 65, tidy: tidyText })
  expect(outcome(name, 'Assay\r\n\tone\u2028\u0007two\u00a0\u3000three')).toBe('Assay one two three')
  expect(outcome(text, ' One\r\n\n  two\u2028three\u0007four ')).toBe('One\n\n  two\nthree four')
  for (const field of [name, text]) {
    for (const around of [
      '\u200b',
      '\u200f',
      '\u200e',
      '\u200d',
      '\ufe0f',
      '\u2800',
      '\ufeff',
      '\ufffc',
      ' \u2060\n',
    ]) {
      expect(outcome(field, `${around}Zed${around}`)).toBe('Zed')
    }
    // What is taken away may have kept a letter and its mark apart.
    expect(outcome(field, 'e\u202e\u0301')).toBe('\u00e9')
  }
})

test('a long text of invisible characters takes no time', () => {
  const start = performance.now()
  tidyLine(`a${'\u200b'.repeat(300_000)}b${' \u200b'.repeat(300_000)}`)
  expect(performance.now() - start).toBeLessThan(5000)
})

test('keys ignore what nobody sees, and the key of an address does not', () => {
  const same = [
    'Zed A',
    'zed\u200b a',
    'ZED  A',
    '\u200fZed\u00a0A',
    'Zed\nA',
    'Z\u00aded A\u200d',
    'Zed\u2800A',
    'Ｚed a',
  ]
  for (const name of same) {
    expect(caseKey(name)).toBe('zed a')
    expect(searchKey(name)).toBe('zed a')
  }
  expect(caseKey('می‌خواهم')).toBe('میخواهم')
  expect(uniqueTags(['Zed', 'zed\u200b', 'Z\u00aded', '\u200fZed'])).toEqual(['Zed'])
  expect(emailKey(' Admin@Titrate.example')).toBe('admin@titrate.example')
  for (const other of ['admin\u200b@titrate.example', 'ad\u00admin@titrate.example']) {
    expect(emailKey(other)).not.toBe('admin@titrate.example')
  }
})

test('a number may be typed with or without its unit', () => {
  const percent = numberField({ min: 0, max: 100, decimals: 2, unit: '%' })
  expect(outcome(percent, ' 75 ')).toBe(75)
  expect(outcome(percent, '75.25 %')).toBe(75.25)
  expect(outcome(percent, '.5')).toBe(0.5)
  expect(outcome(percent, 12.5)).toBe(12.5)
  expect(Object.is(outcome(percent, '-0'), 0)).toBe(true)
  for (const nothing of ['', '  ', ' % ', null, undefined]) expect(outcome(percent, nothing)).toBeNull()
})

test('a wrong number is refused with a message that gives the limits', () => {
  const percent = numberField({ min: 0, max: 100, decimals: 1, required: 'A percentage is required' })
  const problem = 'Please enter a number from 0 to 100, with at most one decimal.'
  for (const wrong of ['100.1', '-1', '7,5', '1e1', '0.25', 'ten', 'NaN', '५', true, ['1'], 1e-7]) {
    expect(outcome(percent, wrong)).toBe(problem)
  }
  expect(outcome(percent, '')).toBe('A percentage is required')
  const seats = numberField({ min: 1, max: 100_000 })
  expect(outcome(seats, '1.5')).toBe('Please enter a whole number from 1 to 100,000.')
  expect(outcome(seats, '9'.repeat(400))).toBe('Please enter a whole number from 1 to 100,000.')
})

test('a day is a calendar day within its limits', () => {
  const field = dayField({ required: 'A date is required', min: '2026-01-01', max: '2026-12-31' })
  expect(outcome(field, '2026-02-28')).toBe('2026-02-28')
  expect(outcome(field, '')).toBe('A date is required')
  expect(outcome(field, '2025-12-31')).toBe('Please enter Jan 1, 2026 or a later date.')
  expect(outcome(field, '2027-01-01')).toBe('Please enter Dec 31, 2026 or an earlier date.')
  for (const wrong of ['2026-02-29', '3/4/2026', incompleteDate, 20260304, ['2026-03-04']]) {
    expect(outcome(field, wrong)).toBe('Please enter a complete date, such as 11/03/2026.')
  }
  expect(outcome(dayField({}), '')).toBeNull()
  expect(outcome(dayField({}), '0026-03-04')).toBe('Please enter a year from 1900 to 2199.')
})

test('a date and time is a time of the site', () => {
  const field = momentField({ timeZone: 'America/New_York' })
  expect(outcome(field, '2026-11-03T14:05')).toEqual(new Date('2026-11-03T19:05:00Z'))
  expect(outcome(field, '2026-11-03T14:05:00+01:00')).toEqual(new Date('2026-11-03T13:05:00Z'))
  expect(outcome(field, '')).toBeNull()
  expect(outcome(field, incompleteDate)).toBe('Please enter a date and a time.')
  expect(outcome(field, '2026-02-30T10:00:00Z')).toBe('Please enter a date and a time.')
  expect(outcome(field, '9999-01-01T00:00')).toBe('Please enter a year from 1900 to 2199.')
})

test('a time that clocks skip is refused, and of a time that they show twice the first one counts', () => {
  const timeZone = 'Europe/Berlin'
  expect(outcome(momentField({ timeZone }), '2026-03-29T02:30')).toBe(
    'Clocks skip this time on Mar 29, 2026. Please choose another one.',
  )
  expect(outcome(momentField({ timeZone }), '2026-10-25T02:30')).toEqual(new Date('2026-10-25T00:30:00Z'))
  // The stored value is the second one, and saving the form without changing the field keeps it.
  const stored = new Date('2026-10-25T01:30:42Z')
  expect(outcome(momentField({ timeZone, stored }), '2026-10-25T02:30')).toEqual(stored)
  expect(outcome(momentField({ timeZone, stored }), '2026-10-25T02:31')).toEqual(new Date('2026-10-25T00:31:00Z'))
})

test('a moment must be within its limits, unless it is the stored value', () => {
  const min = new Date('2026-11-22T12:00:00Z')
  const stored = new Date('2026-01-01T08:00:00Z')
  const field = momentField({ timeZone: 'UTC', min, stored, max: new Date('2027-01-01T00:00:00Z') })
  expect(outcome(field, '2026-11-22T11:59')).toBe('Please enter Nov 22, 2026, 12:00 PM or a later time.')
  expect(outcome(field, '2027-01-02T00:00')).toBe('Please enter Jan 1, 2027, 12:00 AM or an earlier time.')
  expect(outcome(field, '2026-01-01T08:00')).toEqual(stored)
})

test('a choice accepts one of its values, or shows the message that asks for one', () => {
  const size = oneOf(['small', 'large'], 'Please choose a size.')
  expect(outcome(size, 'small')).toBe('small')
  for (const wrong of ['', undefined, 'Small', ['small']]) expect(outcome(size, wrong)).toBe('Please choose a size.')
})

const groups = requireOther(
  z.object({
    groups: selectionField(z.string().regex(/^g\d$/, 'There is no such group'), { max: 3, required: 'Choose a group' }),
    groupsOther: otherField(10),
    size: z.string().max(5, 'Too large').optional(),
  }),
  'groups',
  'Please say which other group',
)

const chosen = (values: object) => parseForm(groups, values)

test('a choice of several accepts each value once, all of them, or a typed one', () => {
  expect(chosen({ groups: 'g1' })).toMatchObject({ value: { groups: { isAll: false, values: ['g1'] } } })
  expect(chosen({ groups: ['g2', 'g1', 'g2'] })).toMatchObject({ value: { groups: { values: ['g2', 'g1'] } } })
  expect(chosen({ groups: ['all', 'g1', 'other'] })).toMatchObject({
    value: { groups: { isAll: true, values: [], hasOther: false } },
  })
  expect(chosen({ groups: ['other'], groupsOther: ' Guests ' })).toMatchObject({
    value: { groups: { values: [], hasOther: true }, groupsOther: 'Guests' },
  })
})

test('a choice of several refuses other values', () => {
  expect(chosen({})).toMatchObject({ errors: { groups: 'Choose a group' } })
  expect(chosen({ groups: ['g1', 'g2', 'g3', 'g4'] })).toMatchObject({ errors: { groups: 'Please choose at most 3' } })
  expect(chosen({ groups: 'g1,g2' })).toMatchObject({ errors: { groups: 'There is no such group' } })
  expect(chosen({ groups: ['other'], groupsOther: '   ' })).toMatchObject({
    errors: { groupsOther: 'Please say which other group' },
  })
  // All mistakes are reported at once.
  expect(chosen({ groups: ['other'], size: 'x'.repeat(6) })).toMatchObject({
    errors: { groupsOther: 'Please say which other group', size: 'Too large' },
  })
  expect(chosen(null as never)).toMatchObject({ ok: false })
  expect(chosen({ groups: 'g1', groupsOther: 'x'.repeat(11) })).toMatchObject({
    errors: { groupsOther: 'At most 10 characters' },
  })
})
