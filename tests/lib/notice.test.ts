import { expect, test } from 'vitest'
import { type Notice, takesPlaceOf } from '~/lib/notice.ts'

test('a notice takes the place of an earlier one that says the same, or what the same thing was before', () => {
  const notice = (text: string, more: Partial<Notice> = {}): Notice => ({ id: text, kind: 'success', text, ...more })
  const undo = { action: '/undo/', label: 'Undo' }
  const resumed = notice('It goes out again.', { subject: 'one' })
  const deleted = notice('It has been deleted.', { subject: 'one', undo })
  expect(takesPlaceOf(notice('Saved.'), notice('Saved.'))).toBe(true)
  expect(takesPlaceOf(notice('Saved.'), notice('Sent.'))).toBe(false)
  expect(takesPlaceOf(deleted, resumed)).toBe(true)
  expect(takesPlaceOf(deleted, { ...resumed, subject: 'two' })).toBe(false)
  expect(takesPlaceOf(notice('It is back.', { subject: 'one' }), deleted), 'there is nothing to undo').toBe(true)
  expect(takesPlaceOf(notice('It is back.', { subject: 'two' }), deleted), 'its Undo stays').toBe(false)
})
