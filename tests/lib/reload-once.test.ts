import { expect, test } from 'vitest'
import { reloadOnceAddress } from '~/browser/reload-once.ts'

test('A-264 L-249 a page is reloaded once, at its own address', () => {
  expect(reloadOnceAddress('http://localhost/modules/?page=2#x')).toBe('http://localhost/modules/?page=2&_r=1#x')
  expect(reloadOnceAddress('http://localhost/modules/?page=2&_r=1')).toBeNull()
})
