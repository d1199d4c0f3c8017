/** The demo modules: an author could have made each of them, and each is correct. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { moduleLimits } from '~/forms/modules.ts'
import { motifNames } from '~/lib/cover-motifs.ts'
import { readPackage } from '~/services/packages/read-package.server.ts'
import { buildPackage, type ModuleSource, readModuleSource } from '../../seed/build-package.ts'
import { isOnSite } from '../../seed/demo-parts.ts'
import { aStorage, storeBytes } from '../support/packages.ts'

const folder = 'seed/modules'
const sources = await Promise.all(readdirSync(folder).map((name) => readModuleSource(path.join(folder, name))))
const filled = sources.filter((source) => source.units.length > 0)
const files = aStorage()

// A build makes the bundled player; here it only has to exist.
const players = mkdtempSync(path.join(tmpdir(), 'titrate-test-players-'))
for (const file of ['rustici.js', 'xapi.js', 'player.css']) writeFileSync(path.join(players, file), '/* player */')
afterAll(() => rmSync(players, { recursive: true, force: true }))

/** A module read by the strict reader, which refuses faults, with the pages of its units and their files. */
async function unpack(source: ModuleSource, palette: 'titrate' | 'ns' = 'titrate') {
  const zipKey = await storeBytes(files, await buffer(await buildPackage(source, players, palette)))
  const prefix = `packages/${zipKey}/`
  await readPackage(files, { zipKey, fileName: 'module.zip', prefix })
  const read = async (name: string) => (await buffer(await files.read(prefix + name))).toString('utf8')
  const pages = await Promise.all(source.units.map(async ({ id }) => ({ id, html: await read(`${id}/index.html`) })))
  return { pages, read }
}

test.each([
  ['institutional', [16, 1, 1]],
  // Four on the nervous system are its own.
  ['ns', [20, 1, 1]],
] as const)('on %s, modules are published over three phases, one is coming soon and one is a draft', (site, counts) => {
  const own = sources.filter((source) => isOnSite(source, site))
  const count = (status: string) => own.filter((source) => source.status === status).length
  expect([count('published'), count('coming soon'), count('draft')]).toEqual(counts)
  expect(new Set(filled.map((source) => source.chapter)).size).toBeGreaterThanOrEqual(6)
  expect(new Set(sources.map((source) => source.name)).size).toBe(sources.length)
})

describe.each(sources)('$name', (source) => {
  test('keeps to the limits of the form', () => {
    expect(source.name.length).toBeLessThanOrEqual(moduleLimits.name)
    expect(source.description.length).toBeGreaterThan(40)
    expect(source.description.length).toBeLessThanOrEqual(moduleLimits.description)
    expect(source.cover.length).toBeGreaterThan(20)
    expect(source.cover.length).toBeLessThanOrEqual(moduleLimits.coverImgDesc)
    expect(source.tags.length).toBeGreaterThanOrEqual(2)
    expect(motifNames).toContain(source.motif)
  })
})

describe.each(filled)('the package of $name', (source) => {
  test('is accepted by the strict reader, and has every file that its pages name', async () => {
    const { pages, read } = await unpack(source)
    for (const { id, html } of pages) {
      const named = [...html.matchAll(/(?:src|href|poster)="([^"]+)"/g)].map((match) => match[1] ?? '')
      expect(named.length).toBeGreaterThanOrEqual(2)
      for (const address of named) expect(await read(path.posix.join(id, address)), address).not.toBe('')
      for (const [image] of html.matchAll(/<img [^>]*>/g)) expect(image).toMatch(/alt="[^"]{20,}"/)
      expect(html.match(/<h1/g)?.length).toBe(html.match(/<section data-page/g)?.length)
      expect(html.replace(/<[^>]+>/g, '')).not.toMatch(/```|\[[x ]\]|\^|~/)
    }
  })

  test('asks questions that can be answered, each with its own name', async () => {
    for (const { html } of (await unpack(source)).pages) {
      const forms = [
        ...html.matchAll(
          /<form data-question="([^"]*)" data-correct="([^"]*)" data-explanation="([^"]*)">(.*?)<\/form>/gs,
        ),
      ]
      expect(forms.length).toBe(html.match(/<form/g)?.length ?? 0)
      expect(new Set(forms.map((form) => form[1])).size).toBe(forms.length)
      for (const [, id, correct = '', explanation, body = ''] of forms) {
        const choices = [...body.matchAll(/value="([^"]+)"/g)].map((match) => match[1])
        expect(choices.length, id).toBeGreaterThanOrEqual(3)
        expect(choices, id).toEqual(expect.arrayContaining(correct.split(',')))
        expect(correct.split(',').length, id).toBeLessThan(choices.length)
        expect(explanation, id).not.toBe('')
        expect(body, id).toMatch(/<legend>[^<]{10,}<\/legend>/)
      }
    }
  })

  test('can be passed if passing is required', () => {
    for (const unit of source.units) {
      const asks = unit.markdown.includes('```quiz')
      if (/Passed/.test(unit.moveOn) && unit.moveOn !== 'CompletedOrPassed') expect(asks, unit.id).toBe(true)
      if (unit.masteryScore !== null) expect(asks && unit.masteryScore > 0 && unit.masteryScore <= 1).toBe(true)
    }
  })
})

test('more than half of the answers must be right to pass, and no question is answered by its first wrong try', () => {
  let count = 0
  for (const { units } of filled) {
    for (const { id, markdown, masteryScore } of units) {
      const questions = [...markdown.matchAll(/```quiz\n([\s\S]*?)```/g)].map(([, text = '']) => text)
      if (questions.length === 0) continue
      count += 1
      const needed = questions
        .map((_, index) => index + 1)
        .find((right) => right / questions.length >= (masteryScore ?? 0))
      expect((needed ?? 0) / questions.length, id).toBeGreaterThan(0.5)
      for (const question of questions) expect(question.match(/^- \[[ x]\]/gm)?.length, id).toBeGreaterThan(2)
    }
  }
  expect(count).toBeGreaterThan(20)
})

test('figures have the colors of the site', async () => {
  const source = filled.find(({ folder }) => folder.endsWith('reading-a-dose-response-curve')) as ModuleSource
  const [ours, theirs] = await Promise.all([unpack(source), unpack(source, 'ns')])
  expect(await ours.read('figures/parts.svg')).toContain('#0b6b69')
  expect(await theirs.read('figures/parts.svg')).not.toContain('#0b6b69')
  expect(await theirs.read('figures/parts.svg')).toContain('#1f3f80')
})

test('a figure with words keeps its size on phones, and one without them fits their width', async () => {
  const htmlOf = async (name: string) => {
    const source = filled.find(({ folder }) => folder.endsWith(name)) as ModuleSource
    return (await unpack(source)).pages.map(({ html }) => html).join('')
  }
  expect(await htmlOf('reading-a-dose-response-curve')).toContain(
    '<span class="figure"><img src="../figures/parts.svg"',
  )
  const plain = await htmlOf('first-in-human')
  expect(plain).toContain('<img src="../figures/steps.svg"')
  expect(plain).not.toContain('class="figure"')
})

test('the film is small, and its captions run in order to its end', async () => {
  const films = filled.filter(({ units }) => units.some(({ markdown }) => markdown.includes('```film')))
  expect(films).toHaveLength(1)
  const at = (name: string) => path.join(films[0]?.folder ?? '', name)
  const size = statSync(at('film.mp4')).size + statSync(at('film.webm')).size
  expect(size).toBeLessThan(1024 * 1024)
  const captions = readFileSync(at('film.vtt'), 'utf8')
  expect(captions).toMatch(/^WEBVTT\n/)
  const times = [...captions.matchAll(/00:(\d\d\.\d{3})/g)].map((match) => Number(match[1]))
  expect(times.length).toBeGreaterThanOrEqual(16)
  expect(times).toEqual([...times].sort((one, other) => one - other))
  expect(times.at(-1)).toBe(36)
  const { pages } = await unpack(films[0] as ModuleSource)
  expect(pages[0]?.html).toMatch(/<video controls preload="metadata" playsinline/)
  expect(pages[0]?.html).toMatch(/<track kind="captions" [^>]*srclang="en"[^>]* default>/)
  expect(pages[0]?.html).not.toContain('autoplay')
  expect(pages[0]?.html).toContain('<summary>Transcript of the film</summary>')
})
