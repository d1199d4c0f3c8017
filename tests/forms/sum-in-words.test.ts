/** The recipients of a message in words. */
import { expect, test } from 'vitest'
import { audienceInWords, sumInWords } from '~/components/console/messages/sum-in-words.ts'

const chosen = { people: 35, total: 39, page: [], pageNumber: 1, pageSize: 50, optedOut: 0 }
const audience = (people: number) => ({ uid: `${people}`, name: `Those ${people}`, people })

test('the parts of the recipients add up, and say who is counted twice', () => {
  expect(sumInWords(chosen)).toBe('35 chosen and 4 more by audience')
  expect(sumInWords({ people: 35, total: 35 })).toBe('35 chosen and nobody else by audience')
  expect(audienceInWords({ ...chosen, audiences: [audience(10)] }, 10)).toBe('10 now, 6 of them also chosen')
  expect(audienceInWords({ ...chosen, audiences: [audience(4)] }, 4)).toBe('4 now')
  expect(audienceInWords({ ...chosen, audiences: [audience(10), audience(2)] }, 10)).toBe('10 now')
  expect(audienceInWords({ ...chosen, people: 0, total: 10, audiences: [audience(10)] }, 10)).toBe('10 now')
  expect(sumInWords({ people: 1200, total: 3000 })).toBe('1,200 chosen and 1,800 more by audience')
})
