/** The demo's lectures and videos are what they say: silent films with captions, without people in them. */
import { existsSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { brands, type SiteKey } from '~/config/brands.ts'
import { planUids } from '../../seed/demo.ts'
import { isOnSite } from '../../seed/demo-parts.ts'
import { cuesOf, type DemoFilm, lectures, videos } from '../../seed/film-library.ts'
import { seedLecturesAndVideos } from '../../seed/lectures-and-videos.ts'
import { aContext } from '../support/context.ts'
import { db } from '../support/test.ts'

const films: DemoFilm[] = [...lectures, ...videos]
const textsOf = (film: DemoFilm) => [film.name, film.description, ...film.lines.map(([, text]) => text)]
const palettesOf = (film: DemoFilm) =>
  Object.entries(brands).flatMap(([site, { palette }]) => (isOnSite(film, site as SiteKey) ? [palette] : []))

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
  for (const palette of palettesOf(film)) {
    const file = `public/films/${film.slug}-${palette}.mp4`
    expect(existsSync(file), file).toBe(true)
    expect(statSync(file).size).toBeLessThan(3 * 1024 * 1024)
  }
})

test.each([
  ['institutional', 2, 10],
  ['ns', 4, 12],
] as const)('on %s, %i lectures of two to four minutes are among the %i', async (site, long, all) => {
  const own = lectures.filter((lecture) => isOnSite(lecture, site))
  expect(own).toHaveLength(all)
  const seconds = own.map((lecture) => lecture.seconds).filter((length) => length > 60)
  expect(seconds).toHaveLength(long)
  for (const length of seconds) expect(length >= 120 && length <= 240).toBe(true)
  const ctx = await aContext(db, { site, isOperator: true })
  const rows = await db
    .selectFrom('lectures')
    .select(['duration', 'video_url', 'transcript'])
    .where('site_id', '=', ctx.site.id)
    .where('duration', '>', 60)
    .execute()
  expect(rows).toHaveLength(long)
  for (const { transcript, video_url } of rows) {
    expect(transcript?.length).toBeGreaterThan(1500)
    expect(existsSync(`public${video_url}`), video_url).toBe(true)
  }
})
