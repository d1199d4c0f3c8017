/** The definitions of reports say what docs/words.md says. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { reports } from '~/forms/report-list.ts'

test('every report has an address of its own, and its figure is explained in the words of docs/words.md', () => {
  const words = readFileSync('docs/words.md', 'utf8').replace(/[*`]/g, '')
  for (const { path, meaning } of reports) {
    const [word = '', ...rest] = meaning.split(': ')
    const definition = rest.join(': ').replace(/\.$/, '')
    expect(words, path).toContain(definition)
    expect(words.toLowerCase(), path).toContain(word.toLowerCase())
  }
  expect(new Set(reports.map(({ id }) => id)).size).toBe(reports.length)
  expect(reports.map(({ id }): string => id).filter((id) => ['users', 'modules', 'videos'].includes(id))).toEqual([])
})
