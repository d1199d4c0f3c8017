/** The items that somebody picks from a long list in a form. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseForm } from '~/forms/parse.ts'
import { applyPick, isPickerState, pickedField, pickerNames, readPicked } from '~/forms/picked.ts'

const none = { chosen: [] as string[], cleared: [] as string[] }

test('items are chosen once each, up to the maximum, and Clear can be undone', () => {
  const some = applyPick(none, { kind: 'add', uids: ['a', 'b', 'a', 'c', 'd'] }, 3)
  expect(some).toEqual({ chosen: ['a', 'b', 'c'], cleared: [] })
  expect(applyPick(some, { kind: 'add', uids: ['d'] }, 3).chosen).toEqual(['a', 'b', 'c'])
  // A lower maximum does not remove items.
  expect(applyPick(some, { kind: 'add', uids: ['d'] }, 1).chosen).toEqual(['a', 'b', 'c'])
  expect(applyPick(some, { kind: 'remove', uid: 'b' }, 3).chosen).toEqual(['a', 'c'])
  const cleared = applyPick(some, { kind: 'clear' }, 3)
  expect(cleared).toEqual({ chosen: [], cleared: ['a', 'b', 'c'] })
  const more = { ...cleared, chosen: ['d'] }
  expect(applyPick(more, { kind: 'undo' }, 3)).toEqual({ chosen: ['a', 'b', 'c'], cleared: [] })
})

const uid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`

test('a posted form is read as far as it makes sense', () => {
  expect(
    readPicked(
      {
        chosen: `${uid(1)}  ${uid(2).toUpperCase()} x ${uid(1)}`,
        'chosen-picker-search': ' gel '.padEnd(300, 'a'),
        'chosen-picker-page': '-3',
        'others-picker-cleared': uid(3),
      },
      'chosen',
    ),
  ).toEqual({
    chosen: [uid(1), uid(2)],
    cleared: [],
    search: expect.stringMatching(/^gel a{96}$/),
    page: 1,
    filters: {},
  })
  expect(readPicked({ chosen: ['x'], 'chosen-picker-page': '7' }, 'chosen')).toMatchObject({ chosen: [], page: 7 })
  const narrowed = {
    'chosen-picker-filter-status': 'draft',
    'chosen-picker-filter-plan': '',
    'chosen-picker-filter-x': 'y',
  }
  expect(readPicked(narrowed, 'chosen', ['status', 'plan']).filters).toEqual({ status: 'draft' })
  const form = z.object({ chosen: pickedField({ most: 2, required: 'Choose one' }) })
  expect(parseForm(form, {})).toEqual({ ok: false, errors: { chosen: 'Choose one' } })
  expect(parseForm(form, { chosen: [1, 2, 3].map(uid).join(' ') })).toMatchObject({ ok: false })
  expect(parseForm(form, { chosen: uid(1) })).toEqual({ ok: true, value: { chosen: [uid(1)] } })
})

test('two pickers of one form share no name, and a search is not unsaved work', () => {
  const [one, other] = [pickerNames('users'), pickerNames('modules')]
  const fields = [one, other].flatMap(({ filter, ...names }) => [...Object.values(names), filter('status')])
  expect(new Set(fields).size).toBe(10)
  expect([one.search, one.page, one.cleared, one.filter('status')].every(isPickerState)).toBe(true)
  expect(['users', 'search', 'page', 'users-search'].some(isPickerState)).toBe(false)
})
