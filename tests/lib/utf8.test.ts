import { expect, test } from 'vitest'
import { decodeForm, decodeUtf8 } from '~/lib/utf8.ts'

test('bytes that are not UTF-8 are told apart from a character that stands for such bytes', () => {
  const isBroken = (text: string | Uint8Array) => decodeForm(Buffer.from(text)).isBroken
  for (const broken of ['a=%ff', 'a=%c0%af', 'a=%ed%a0%80', 'a=%e2%82', Uint8Array.of(0x61, 0x3d, 0xff)]) {
    expect(isBroken(broken)).toBe(true)
  }
  for (const good of ['', 'a=%EF%BF%BD', 'a=%F0%9F%98%80+b', 'a=100%', 'a=%zz', 'a=ü'])
    expect(isBroken(good)).toBe(false)
  expect(decodeForm(Buffer.from('a=1+%C3%BC&a=%zz')).fields.getAll('a')).toEqual(['1 ü', '%zz'])
  expect([decodeUtf8(Buffer.from('ü')), decodeUtf8(Uint8Array.of(0xff))]).toEqual(['ü', null])
})
