/** The demo's lectures and videos are what they say: short silent films with captions, without people in them. */
import { existsSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { brands } from '~/config/brands.ts'
import { planUids } from '../../seed/demo.ts'
import { cuesOf, type DemoFilm, lectures, videos } from '../../seed/film-library.ts'
import { seedLecturesAndVideos } from '../../seed/lectures-and-videos.ts'
import { aContext } from '../support/context.ts'
import { db } from '../support/test.ts'

const films: DemoFilm[] = [...lectures, ...videos]
const textsOf = (film: DemoFilm) => [film.name, film.description, ...film.lines.map(([, text]) => text)]
const palettesOf = () => Object.values(brands).map(({ palette }) => palette)

test('name nobody who is neither seen nor heard', async () => {
  for (const text of films.flatMap(textsOf)) expect(text).not.toMatch(/\b(Dr|Prof|Mr|Ms|Mrs)\.|[“”]|\btalks?\b/i)
  for (const site of ['institutional', 'ns'] as const) {
    const ctx = await aContext(db, { site, isOperator: true })
    await seedLecturesAndVideos(ctx, await planUids(ctx))
  }
  const rows = await db.selectFrom('lectures').select('presenter').distinct().execute()
  expect(rows).toEqual([{ presenter: '' }])
})

test.each(films)('$slug: says that it is silent, and its captions run in order to its end', (film) => {
  const cues = cuesOf(film)
  expect(cues[0]?.text).toMatch(/^\[No sound\.\] /)
  for (const { from, to, text } of cues) {
    expect(to - from, text).toBeGreaterThanOrEqual(2)
    // A caption that is read in passing has at most 20 characters for each second.
    expect(text.replace('[No sound.] ', '').length / (to - from), text).toBeLessThan(20)
  }
  expect(cues.at(-1)?.to).toBeCloseTo(film.seconds, 0)
})

test.each(films)('$slug: has a file of at most 3 MB for each of its sites', (film) => {
  for (const palette of palettesOf()) {
    const file = `public/films/${film.slug}-${palette}.mp4`
    expect(existsSync(file), file).toBe(true)
    expect(statSync(file).size).toBeLessThan(3 * 1024 * 1024)
  }
})
