import { expect, test } from 'vitest'
import { repeatsKey } from '~/edge/xapi/json-keys.ts'

test.each<[string, boolean]>([
  ['1', false],
  ['"a:"', false],
  ['[]', false],
  ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', false],
  ['{"a":1,"a":1}', true],
  ['{"a" \r\n\t: 1, "b": {"a":1, "A":1, "a" :2}}', true],
  ['{"a":1,"\\u0061":2}', true],
  ['{"a":"b\\":","c":"\\\\","d":"\\\\\\":\\""}', false],
  ['{"__proto__":1,"constructor":2}', false],
  ['{"__proto__":1,"__proto__":2}', true],
  ['["a","b:","c\\":"]', false],
  ['[null,[[{"x":null}]],{"":1}]', false],
  ['{"":1,"":2}', true],
])('%s repeats a key: %s', (text, isRepeating) => {
  expect(repeatsKey(text, JSON.parse(text))).toBe(isRepeating)
})

test('ten megabytes of deep or quoted JSON are checked quickly', () => {
  const texts = [
    `[${'['.repeat(100_000)}${']'.repeat(100_000)}]`,
    JSON.stringify({ a: '\\"'.repeat(2_500_000) }),
    JSON.stringify({ a: '\\'.repeat(5_000_000) }),
    JSON.stringify(Array.from({ length: 400_000 }, (_, index) => ({ a: index, b: 'c' }))),
  ]
  const start = process.cpuUsage()
  for (const text of texts) expect(repeatsKey(text, JSON.parse(text))).toBe(false)
  // Measures processor time, not elapsed time, because other processes may use the processor meanwhile.
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000)
})
