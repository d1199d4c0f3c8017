import { expect, test } from 'vitest'
import { z } from 'zod'
import { choicesFor } from '~/components/console/tag-picker.tsx'
import { confirmDeleteForm } from '~/forms/confirm.ts'
import { listField } from '~/forms/lists.ts'
import { parseForm } from '~/forms/parse.ts'
import { readTags, tagsField, uniqueTags, writeTags } from '~/forms/tags.ts'

test('a line of tags reads back as it was written, whatever the tags contain', () => {
  const tags = ['Safety', 'Smith, et al.', 'the "gold" standard', '"', 'a""b', 'IL-1β', '安全']
  expect(readTags(writeTags(tags))).toEqual(tags)
  expect(readTags('')).toEqual([])
  expect(readTags(' , ,')).toEqual([])
})

test('A-183 tags are trimmed, cut to 50 characters and kept once, ignoring case', () => {
  expect(uniqueTags(['Safety', ' safety ', 'SAFETY', 'Phase  1'])).toEqual(['Safety', 'Phase 1'])
  expect(readTags('one, Two, two,,')).toEqual(['one', 'Two'])
  expect([...(uniqueTags(['😀'.repeat(60)])[0] ?? '')]).toHaveLength(50)
  expect(tagsField().parse(['a', 'A', ''])).toEqual(['a'])
  expect(tagsField().safeParse('a\u0000b').success).toBe(false)
})

test('a typed tag can be chosen or created, but not twice', () => {
  expect(choicesFor('saf', ['Safety', 'Screening'], [])).toEqual({ matches: ['Safety'], made: 'saf' })
  expect(choicesFor('SAFETY', ['Safety'], [])).toEqual({ matches: ['Safety'], made: null })
  expect(choicesFor('safety', ['Drug safety', 'Safety margin', 'Safety'], []).matches).toEqual([
    'Safety',
    'Safety margin',
    'Drug safety',
  ])
  expect(choicesFor('safety', ['Safety'], ['Safety'])).toEqual({ matches: [], made: null })
  expect(choicesFor('', ['Safety'], [])).toEqual({ matches: ['Safety'], made: null })
})

test('checkboxes are a list, however many are checked', () => {
  const plans = listField(z.string(), {
    max: 2,
    tooMany: 'At most 2 groups',
    required: 'Please select one or more groups',
  })
  expect(plans.parse('a')).toEqual(['a'])
  expect(plans.parse(['a', 'b'])).toEqual(['a', 'b'])
  expect(plans.parse(['a', 'a'])).toEqual(['a'])
  expect(plans.safeParse(['a', 'b', 'c']).error?.issues[0]?.message).toBe('At most 2 groups')
  expect(plans.safeParse(undefined).error?.issues[0]?.message).toBe('Please select one or more groups')
})

test('only exactly DELETE confirms a removal', () => {
  for (const confirmation of ['delete', ' DELETE', 'DELETE ', '', undefined, ['DELETE']]) {
    expect(parseForm(confirmDeleteForm, { confirmation })).toEqual({
      ok: false,
      errors: { confirmation: 'Please enter the confirmation text above' },
    })
  }
  expect(parseForm(confirmDeleteForm, { confirmation: 'DELETE' }).ok).toBe(true)
})
