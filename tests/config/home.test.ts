import { readFile, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { homes } from '~/config/home.ts'

const filmsOf = (site: keyof typeof homes) => [homes[site].welcome, ...homes[site].phases.map(({ film }) => film)]

test.each(['institutional', 'ns'] as const)(
  'each film of %s exists, is small, and has a picture and captions',
  async (site) => {
    for (const { source, poster, captions, seconds } of filmsOf(site)) {
      const film = await readFile(`public${source}`)
      expect(film.length, source).toBeLessThan(1_000_000)
      // Playback starts before the whole file has arrived, so the film's description must come first.
      expect(film.indexOf('moov'), source).toBeLessThan(film.indexOf('mdat'))
      expect((await stat(`public${poster}`)).size, poster).toBeLessThan(60_000)
      const cues = [
        ...(await readFile(`public${captions}`, 'utf8')).matchAll(/(\d\d):(\d\d\.\d{3}) --> (\d\d):(\d\d\.\d{3})/g),
      ]
      const times = cues.flatMap(([, m1, s1, m2, s2]) => [Number(m1) * 60 + Number(s1), Number(m2) * 60 + Number(s2)])
      expect(times.length, captions).toBeGreaterThan(6)
      expect(times, captions).toEqual([...times].sort((a, b) => a - b))
      expect(times.at(-1), captions).toBe(seconds)
    }
  },
)

test('the brands have different films and pictures', () => {
  const [ours, theirs] = (['institutional', 'ns'] as const).map((site) =>
    filmsOf(site).flatMap(({ source, poster }) => [source, poster]),
  )
  expect(new Set([...(ours ?? []), ...(theirs ?? [])]).size).toBe(16)
})

test('the ten steps belong to the phases in the order of the process', () => {
  for (const { phases } of Object.values(homes)) {
    expect(phases.map(({ name, steps }) => [name, steps])).toEqual([
      ['Discover', ['Clinical Need Assessment', 'Target ID & Validation', 'Screening']],
      ['Develop', ['Optimization', 'Animal Studies', 'Preclinical Studies']],
      ['Deliver', ['Clinical Trial Design', 'Phase 1', 'Phase 2', 'Phase 3']],
    ])
  }
})
