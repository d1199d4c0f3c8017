/**
 * Course structures with random damage. For any bytes, the author gets a package or messages, quickly, and never an
 * internal error. The seed is fixed, and a failure says what was done to the file.
 */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isStorable } from '~/lib/text.ts'
import { PackageRefused } from '~/services/packages/limits.ts'
import { readPackage } from '~/services/packages/read-package.server.ts'
import { aContext } from '../support/context.ts'
import { importAndRead } from '../support/imports.ts'
import { rounds } from '../support/long.ts'
import { aStorage, auXml, blockXml, courseXml, objectiveXml, packageZip, storeBytes } from '../support/packages.ts'
import { db } from '../support/test.ts'

const seed = 20261121
/** The time for one file. A valid one takes some milliseconds. */
const longest = 5000

const files = aStorage()

/** A valid structure with every element that a structure may have. */
const whole = courseXml(
  blockXml(
    'urn:block:1',
    auXml({ id: 'urn:au:1', objectives: '<objectives><objective idref="urn:o:1"/></objectives>' }) +
      blockXml('urn:block:2', auXml({ id: 'urn:au:2', title: '<![CDATA[ A & B ]]>', url: 'index.html?a=1&amp;b=2#c' })),
  ) +
    auXml({
      id: 'urn:au:3',
      attributes:
        'moveOn="CompletedOrPassed" masteryScore="0.75" launchMethod="OwnWindow" activityType="urn:t" xmlns:x="urn:x" x:a="1"',
      url: 'https://example.org/unit',
      rest: '<launchParameters>{"a": 1}</launchParameters><entitlementKey>key</entitlementKey><x:more>1</x:more>',
    }) +
    auXml({ id: 'urn:au:4', title: 'Gr\u00fc\u00dfe \u{1f600}', url: 'steam://run/1' }),
  { objectives: objectiveXml('urn:o:1') + objectiveXml('urn:o:2') },
)

/** The same without a zip, where each url is absolute. */
const bare = whole.replaceAll('>index.html', '>https://example.org/index.html')

/** A step from one file to the next; `say` is for the report of a failure. */
type Change = { say: string; apply: (file: Buffer) => Buffer }
const change = (say: string, apply: Change['apply']): Change => ({ say, apply })
const onText = (work: (xml: string) => string) => (file: Buffer) => Buffer.from(work(file.toString('utf8')))
const partsOf = (xml: string) => xml.split(/(<[^>]*>)/)

/** Replaces the n-th match, if there is one. */
function replaceNth(xml: string, pattern: RegExp, n: number, put: (found: string) => string): string {
  const found = [...xml.matchAll(pattern)]
  const match = found[n % Math.max(found.length, 1)]
  if (!match) return xml
  return xml.slice(0, match.index) + put(match[0]) + xml.slice(match.index + match[0].length)
}

const oddBytes = fc.oneof(
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom('00', 'ff', 'fffe', 'feff', 'efbbbf', 'c0af', 'eda080', 'f4908080', 'e28080', '1b', '0b')
    .map((hex) => Buffer.from(hex, 'hex')),
)
const bytes = fc.tuple(fc.nat(), fc.nat(40), oddBytes).map(([at, cut, put]) =>
  change(`at byte ${at} cut ${cut} and put ${put.toString('hex')}`, (file) => {
    const start = at % (file.length + 1)
    return Buffer.concat([file.subarray(0, start), put, file.subarray(start + cut)])
  }),
)

const names = [
  'au',
  'block',
  'course',
  'objective',
  'objectives',
  'url',
  'title',
  'langstring',
  'x',
  '__proto__',
  'a:b',
]
const tags = fc
  .tuple(fc.nat(), fc.constantFrom('drop', 'double', 'rename', 'move'), fc.constantFrom(...names), fc.nat())
  .map(([at, what, name, to]) =>
    change(`tag ${at}: ${what} ${name} ${to}`, (file) =>
      onText((xml) => {
        const parts = partsOf(xml)
        const index = ((at % Math.max(parts.length >> 1, 1)) << 1) + 1
        const tag = parts[index] ?? ''
        if (what === 'drop') parts.splice(index, 1)
        if (what === 'double') parts.splice(index, 0, tag)
        if (what === 'rename') parts[index] = tag.replace(/[\w:]+/, name)
        if (what === 'move') parts.splice(to % parts.length, 0, ...parts.splice(index, 3))
        return parts.join('')
      })(file),
    ),
  )

const values = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('"', "'")),
  fc.constantFrom(
    ...['', ' ', '1e999', '-0', '0.12345', 'NaN', '\u0000', '\ud800', '\u202e', '&lt;', '<', '%', '%zz', '../../x'],
    ...['urn:au:1', 'urn:o:9', 'javascript:alert(1)', '//', 'https://', 'a\\b', 'http://[', 'C:\\x', '?actor=1', '#'],
  ),
)
const attributeNames = [
  'id',
  'moveOn',
  'masteryScore',
  'xmlns',
  'xmlns:x',
  'xml:lang',
  'lang',
  'constructor',
  'x:y',
  '1',
]
const attributes = fc
  .tuple(fc.nat(), fc.boolean(), fc.constantFrom(...attributeNames), values)
  .map(([at, isNew, name, value]) =>
    change(`attribute ${at}: ${isNew ? 'new' : 'instead'} ${name}=${JSON.stringify(value)}`, (file) =>
      onText((xml) =>
        isNew
          ? replaceNth(xml, /<\w+(?=[ >])/g, at, (tag) => `${tag} ${name}="${value}"`)
          : replaceNth(xml, /="[^"]*"/g, at, () => `="${value}"`),
      )(file),
    ),
  )

const texts = fc
  .tuple(fc.nat(), values)
  .map(([at, value]) =>
    change(`text ${at} is ${JSON.stringify(value)}`, (file) =>
      onText((xml) => replaceNth(xml, />[^<\s][^<]*</g, at, () => `>${value}<`))(file),
    ),
  )

const markup = [
  ...['&amp;', '&nbsp;', '&#0;', '&#x0;', '&#xD800;', '&#x110000;', '&#x1F600;', '&#;', '&', '&a;', '%a;', ']]>'],
  ...['<![CDATA[', '<![CDATA[ ]]>', '<!--', '<!-- -- -->', '-->', '<?xml version="1.0"?>', '<?a b?>', '<?', '<', '>'],
  ...['<!DOCTYPE a>', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>', '<!ENTITY a "b">', '\u0000', '\ufeff'],
  '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>',
]
const entities = fc
  .tuple(fc.nat(), fc.constantFrom(...markup))
  .map(([at, put]) =>
    change(`at ${at} put ${put}`, (file) =>
      onText((xml) => xml.slice(0, at % (xml.length + 1)) + put + xml.slice(at % (xml.length + 1)))(file),
    ),
  )

const nesting = fc
  .tuple(fc.constantFrom(2, 60, 255, 1000, 3000), fc.constantFrom('block', 'objectives', 'x:y'), fc.boolean())
  .map(([depth, name, isClosed]) =>
    change(`${depth} times <${name}>${isClosed ? '' : ', not closed'}`, (file) =>
      onText((xml) =>
        replaceNth(xml, /<au[\s\S]*?<\/au>/g, 0, (unit) =>
          [`<${name} id="urn:n" xmlns:x="urn:x">`.repeat(depth), unit, isClosed ? `</${name}>`.repeat(depth) : ''].join(
            '',
          ),
        ),
      )(file),
    ),
  )

const huge = fc
  .tuple(
    fc.nat(),
    fc.constantFrom('a', 'é', ' ', '\n', '&amp;', '😀', '%20', '../', '?a=1&amp;'),
    fc.constantFrom(500, 25_000),
  )
  .map(([at, unit, times]) =>
    change(`value ${at} is ${times} times ${JSON.stringify(unit)}`, (file) =>
      onText((xml) =>
        replaceNth(
          xml,
          />[^<\s][^<]*<|="[^"]*"/g,
          at,
          (found) => `${found.slice(0, -1)}${unit.repeat(times)}${found.at(-1)}`,
        ),
      )(file),
    ),
  )

const encodings = fc.constantFrom('utf16le', 'utf16be', 'latin1', 'klingon', 'utf-16', 'utf-7', 'ebcdic').map((name) =>
  change(`encoding ${name}`, (file) => {
    const xml = file.toString('utf8')
    if (name === 'utf16le') return Buffer.from(`\ufeff${xml}`, 'utf16le')
    if (name === 'utf16be') return Buffer.from(`\ufeff${xml}`.padEnd((xml.length + 1) | 1), 'utf16le').swap16()
    if (name === 'latin1') return Buffer.from(xml, 'latin1')
    return Buffer.from(xml.replace(/encoding="[^"]*"/, `encoding="${name}"`))
  }),
)

const changes = fc
  .array(fc.oneof(bytes, tags, tags, attributes, attributes, texts, entities, nesting, huge, encodings), {
    minLength: 1,
    maxLength: 4,
  })
  .map((steps) => ({
    changed: (xml: string) => steps.reduce<Buffer>((file, step) => step.apply(file), Buffer.from(xml)),
    toString: () => steps.map(({ say }) => say).join('; '),
  }))

type Changed = { changed: (xml: string) => Buffer }

function expectSentences(message: string): void {
  expect(message.length).toBeLessThanOrEqual(4000)
  expect(isStorable(message)).toBe(true)
  for (const line of message.split('\n')) expect(line).toMatch(/^\S.*[.…]$/)
}

test('the original file is valid', async () => {
  const zipKey = await storeBytes(files, packageZip(whole))
  const { structure, notices } = await readPackage(files, { zipKey, fileName: 'a.zip', prefix: 'packages/good/' })
  expect([structure.units.length, structure.blocks.length, structure.objectives.length, notices.length]).toEqual([
    4, 2, 2, 1,
  ])
})

test('cmi5 4.4: the reader answers with a package or with messages, in time', { timeout: 300_000 }, async () => {
  const counts = { packages: 0, refusals: 0 }
  const attempt = async ({ changed }: Changed, isZip: boolean) => {
    const zipKey = await storeBytes(files, isZip ? packageZip(changed(whole)) : changed(bare))
    const startedAt = performance.now()
    const outcome = await readPackage(files, {
      zipKey,
      fileName: 'upload.xml',
      prefix: `packages/${randomUUID()}/`,
    }).catch((error: unknown) => error)
    expect(performance.now() - startedAt).toBeLessThan(longest)
    await files.delete(zipKey)
    if (outcome instanceof Error) {
      if (!(outcome instanceof PackageRefused)) throw outcome
      counts.refusals++
      expectSentences(outcome.message)
      return
    }
    counts.packages++
    expect(outcome).toMatchObject({ structure: { course: { publisherId: expect.stringContaining(':') } } })
  }
  await fc.assert(fc.asyncProperty(changes, fc.boolean(), attempt), { seed, numRuns: rounds(2500) })
  // Both must happen; otherwise the changes are too harsh or too mild to find anything.
  expect(counts.packages).toBeGreaterThan(rounds(100))
  expect(counts.refusals).toBeGreaterThan(rounds(1000))
})

test('an import ends with a parsed package, or with one that says what is wrong', { timeout: 120_000 }, async () => {
  const ctx = await aContext(db, { isOperator: true })
  const attempt = async ({ changed }: Changed) => {
    const result = await importAndRead(ctx, { bytes: packageZip(changed(whole)) })
    const { status, lastMsg } = result.package
    expect(['parsed', 'error']).toContain(status)
    if (status === 'error' || lastMsg) expectSentences(lastMsg ?? '')
  }
  await fc.assert(fc.asyncProperty(changes, attempt), { seed: seed + 1, numRuns: rounds(200) })
})
