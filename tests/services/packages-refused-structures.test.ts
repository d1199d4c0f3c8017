/** Course structures that are refused, each with the message for its author. */
import { expect, test } from 'vitest'
import {
  aStorage,
  auXml,
  blockXml,
  courseXml,
  objectiveXml,
  packageZip,
  type Refused,
  refusalOf,
  texts,
} from '../support/packages.ts'

const files = aStorage()
const withUnit = (unit: Parameters<typeof auXml>[0]) => packageZip(courseXml(auXml(unit)))
const bare = (content: string) => Buffer.from(courseXml(content))
const megabyte = 1024 * 1024

const billionLaughs = `<?xml version="1.0"?>
<!DOCTYPE courseStructure [<!ENTITY a0 "ha">${Array.from({ length: 30 }, (_, i) => `<!ENTITY a${i + 1} "&a${i};&a${i};">`).join('')}]>
`

const archives: Refused[] = [
  // The XML itself
  [
    'a document type',
    () => packageZip(courseXml(auXml(), { head: '<!DOCTYPE courseStructure SYSTEM "file:///etc/passwd">\n' })),
    'cmi5.xml: The file has a document type definition',
  ],
  [
    'a billion laughs',
    () => packageZip(courseXml(auXml({ title: '&a30;' }), { head: billionLaughs })),
    'cmi5.xml: The file has a document type definition',
  ],
  [
    'a document type behind comments',
    () => Buffer.from(courseXml(auXml(), { head: '<?xml version="1.0"?><!-- a --><?b c?>\n<!DOCTYPE x>' })),
    'The file has a document type definition',
  ],
  [
    'an entity that nobody defined',
    () => withUnit({ title: '&nbsp;' }),
    "cmi5.xml, line 5: The XML is not well-formed: Entity 'nbsp' not defined.",
  ],
  [
    'a comment that does not end, in one line',
    () => packageZip(courseXml(`<!-- a\nb\nc${auXml()}`)),
    'cmi5.xml, line 12: The XML is not well-formed: Comment not terminated.',
  ],
  [
    'bytes that are not its encoding',
    () => Buffer.from(courseXml(auXml({ title: 'Gr\u00fc\u00dfe' })), 'latin1'),
    'upload.zip, line 1: The file is not valid UTF-8. Save it as UTF-8.',
  ],
  [
    'an encoding that nobody knows',
    () => Buffer.from('<?xml version="1.0" encoding="klingon"?><a/>'),
    'The encoding “klingon” is unknown.',
  ],
  [
    'elements nested beyond all reason',
    () => Buffer.from(courseXml('<block>'.repeat(3000))),
    'Elements are nested too deeply.',
  ],
  [
    'the namespace of an early draft',
    () => packageZip(courseXml(auXml(), { namespace: 'http://www.adlnet.gov/cmi5/CourseStructure.xsd' })),
    'courseStructure is in the namespace “http://www.adlnet.gov/cmi5/CourseStructure.xsd”. Expected',
  ],
  [
    'an XML of more than 5 MB',
    () =>
      packageZip(
        courseXml(
          `<!--${'x'.repeat(150)}${Array.from({ length: 120_000 }, (_, i) => i * 7919)
            .join(' ')
            .repeat(8)}-->${auXml()}`,
        ),
      ),
    'cmi5.xml: The file is larger than 5 MB.',
  ],

  // The schema
  [
    'no course',
    () => packageZip(courseXml(auXml(), { course: '' })),
    'cmi5.xml, line 4: <au> is not allowed here; expected <course>.',
  ],
  [
    'a course without units',
    () => packageZip(courseXml('')),
    'cmi5.xml, line 2: <courseStructure> lacks <au> or <block>.',
  ],
  [
    'a block without units',
    () => packageZip(courseXml(blockXml('urn:b', ''))),
    'cmi5.xml, line 4: <block> lacks <au> or <block>.',
  ],
  [
    'elements in another order',
    () => packageZip(courseXml(`<au id="urn:a"><url>index.html</url>${texts('A', 'B')}</au>`)),
    'cmi5.xml, line 4: <url> is not allowed here; expected <title>.',
  ],
  [
    'a title without text',
    () =>
      packageZip(
        courseXml('<au id="urn:a"><title/><description><langstring/></description><url>index.html</url></au>'),
      ),
    '<title> lacks <langstring>.',
  ],
  [
    'a language that is none',
    () =>
      packageZip(
        courseXml(
          '<au id="urn:a"><title><langstring lang="e n">A</langstring></title><description><langstring/></description><url>index.html</url></au>',
        ),
      ),
    'The lang “e n” of <langstring> is not a language tag such as en or pt-BR.',
  ],
  ['no url', () => packageZip(courseXml(`<au id="urn:a">${texts('A', 'B')}</au>`)), '<au> lacks <url>.'],
  ['an empty url', () => withUnit({ url: '  ' }), '<url> must not be empty.'],
  [
    'no id',
    () => packageZip(courseXml(`<au>${texts('A', 'B')}<url>index.html</url></au>`)),
    '<au> lacks the attribute id.',
  ],
  [
    'an unknown moveOn',
    () => withUnit({ attributes: 'moveOn="Sometimes"' }),
    'The moveOn “Sometimes” of <au> is not one of NotApplicable, Passed, Completed, CompletedAndPassed, CompletedOrPassed.',
  ],
  [
    'an unknown launchMethod',
    () => withUnit({ attributes: 'launchMethod="Popup"' }),
    'The launchMethod “Popup” of <au> is not one of AnyWindow, OwnWindow.',
  ],
  [
    'an attribute of its own without a namespace',
    () => withUnit({ attributes: 'color="red"' }),
    '<au> has the attribute “color”, which is not allowed there.',
  ],

  [
    'text between elements',
    () => packageZip(courseXml(`Welcome ${auXml()}`)),
    'cmi5.xml, line 2: <courseStructure> has text outside of its elements.',
  ],
  [
    'elements inside a value',
    () => withUnit({ url: '<b xmlns="">index.html</b>' }),
    '<b (without namespace)> is not allowed here: <url> cannot contain elements.',
  ],
  [
    'an element of its own without a namespace',
    () => packageZip(courseXml(`${auXml()}<extra xmlns=""/>`)),
    '<extra (without namespace)> is not allowed here; expected <au> or <block>.',
  ],
  [
    'a second url',
    () => withUnit({ rest: '<url>index.html</url>' }),
    '<url> is not allowed here; expected <launchParameters> or <entitlementKey>.',
  ],
  [
    'a wrong element where one may be left out',
    () => packageZip(courseXml(`<au id="urn:a">${texts('A', 'B')}<launchParameters/></au>`)),
    '<launchParameters> is not allowed here; expected <objectives> or <url>.',
  ],
  ['an empty id', () => withUnit({ id: ' ' }), 'The attribute id of <au> must not be empty.'],
  [
    'objectives that refer to nothing',
    () => withUnit({ objectives: '<objectives><objective/></objectives>' }),
    '<objective> lacks the attribute idref.',
  ],

  // Rules beyond the schema
  [
    'a masteryScore above 1',
    () => withUnit({ attributes: 'masteryScore="80"' }),
    'cmi5.xml, line 4: The masteryScore “80” of the unit is not a number from 0 to 1 with at most four decimals.',
  ],
  [
    'a masteryScore of five decimals',
    () => withUnit({ attributes: 'masteryScore="0.12345"' }),
    'The masteryScore “0.12345” of the unit is not a number from 0 to 1',
  ],
  [
    'a masteryScore that is a word',
    () => withUnit({ attributes: 'masteryScore="high"' }),
    'The masteryScore “high” of the unit is not a number',
  ],
  [
    'a relative id of the course',
    () => packageZip(courseXml(auXml(), { id: 'course-1' })),
    'cmi5.xml, line 3: The id “course-1” of the course is not an absolute IRI such as https://example.org/course/1 (cmi5, 3.0).',
  ],
  [
    'a relative id of a block',
    () => packageZip(courseXml(blockXml('/block', auXml()))),
    'The id “/block” of the block is not an absolute IRI',
  ],
  ['a relative id of a unit', () => withUnit({ id: '../au' }), 'The id “../au” of the unit is not an absolute IRI'],
  [
    'a relative id of an objective',
    () => packageZip(courseXml(auXml(), { objectives: objectiveXml('o1') })),
    'The id “o1” of the objective is not an absolute IRI',
  ],
  ['an id with a blank in it', () => withUnit({ id: 'https://example.org/a b' }), 'is not an absolute IRI'],
  [
    'an id longer than an index can hold',
    () => withUnit({ id: `urn:${'x'.repeat(2000)}` }),
    'The id of the unit is longer than 2000 bytes.',
  ],
  [
    'two units of one id',
    () => packageZip(courseXml(auXml() + auXml())),
    'The id “https://example.org/au/1” of the unit is already used by another unit on line 4. Each id may occur only once.',
  ],
  [
    'two blocks of one id',
    () => packageZip(courseXml(blockXml('urn:b', auXml()) + blockXml('urn:b', auXml({ id: 'urn:2' })))),
    'The id “urn:b” of the block is already used by another block on line 4.',
  ],
  [
    'two objectives of one id',
    () => packageZip(courseXml(auXml(), { objectives: objectiveXml('urn:o').repeat(2) })),
    'The id “urn:o” of the objective is already used by another objective',
  ],
  [
    'a unit with the id of its block',
    () => packageZip(courseXml(blockXml('urn:x', auXml({ id: 'urn:x' })))),
    'The id “urn:x” of the unit is already used by the block on line 4.',
  ],
  [
    'a unit with the id of the course',
    () => withUnit({ id: 'https://example.org/course' }),
    'of the unit is already used by the course on line 3.',
  ],
  [
    'a reference to an unknown objective',
    () =>
      packageZip(
        courseXml(auXml({ objectives: '<objectives><objective idref="urn:o2"/></objectives>' }), {
          objectives: objectiveXml('urn:o1'),
        }),
      ),
    'The unit refers to the objective “urn:o2”, which the course structure does not declare.',
  ],
  [
    'a reference without any objectives',
    () => packageZip(courseXml(auXml({ objectives: '<objectives><objective idref="urn:o2"/></objectives>' }))),
    'The unit refers to the objective “urn:o2”',
  ],

  // Addresses
  [
    'a file that is not there',
    () => withUnit({ url: 'start.html' }),
    'cmi5.xml, line 7: The url “start.html” of the unit names the file “start.html”, which is not in the zip.',
  ],
  [
    'a file in other letters',
    () => withUnit({ url: 'Index.html' }),
    'There is “index.html”: upper and lower case count.',
  ],
  [
    'a folder as a url',
    () => packageZip(courseXml(auXml({ url: 'unit/' })), { 'unit/index.html': '' }),
    'names a folder. Name the file in it that is to be opened.',
  ],
  ['only a query as a url', () => withUnit({ url: '?page=1' }), 'names no file of the package.'],
  ['a url that climbs out', () => withUnit({ url: 'a/../../index.html' }), 'leads out of the package.'],
  ['a url that climbs out in disguise', () => withUnit({ url: '%2e%2e/index.html' }), 'leads out of the package.'],
  ['a url from the root of the host', () => withUnit({ url: '/index.html' }), 'begins with a slash.'],
  [
    'a url of another host without a scheme',
    () => withUnit({ url: '//example.org/index.html' }),
    'begins with a slash.',
  ],
  [
    'a url with a blank',
    () => withUnit({ url: 'my unit.html' }),
    'contains a space, which a URL must not contain (RFC 1738).',
  ],
  [
    'a url with a backslash',
    () => withUnit({ url: 'a\\index.html' }),
    'contains the character \\, which a URL must not contain',
  ],
  [
    'a url with half an escape',
    () => withUnit({ url: 'index.html?100%' }),
    'contains a % that is not followed by two hexadecimal digits.',
  ],
  [
    'a javascript: url',
    () => withUnit({ url: 'javascript:alert(1)' }),
    'begins with “javascript:”. A unit is a file of the package, a page at http: or https:, or opens in its own program.',
  ],
  ...[
    'JavaScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'File:index.html',
    'blob:https://example.org/x',
    'about:blank',
    'view-source:https://example.org/',
    'filesystem:https://example.org/x',
    'c:/unit/index.html',
    `${'x'.repeat(41)}:unit`,
  ].map((url): [string, () => Buffer, string] => [
    `the url ${url}`,
    () => withUnit({ url }),
    `begins with “${url.toLowerCase().split(':')[0]}:”.`,
  ]),
  [
    'F16 a url with a password',
    () => withUnit({ url: 'https://ada:secret@units.example/one' }),
    'contains a user name or password',
  ],
  [
    'F16 a url of this site',
    () => withUnit({ url: 'http://localhost:3000/logout/' }),
    'is an address of this site, where no content may run. Put the page into the zip.',
  ],
  ['a url of another program with a blank', () => withUnit({ url: 'steam://run/1 2' }), 'contains a space'],
  ['a url of another program and nothing more', () => withUnit({ url: 'steam:' }), 'is not a complete address'],
  [
    'a url of another program that brings the actor',
    () => withUnit({ url: 'steam://run?actor=x' }),
    'has the parameter “actor” in its query.',
  ],
  [
    'an http url without a host',
    () => withUnit({ url: 'https:///index.html' }),
    'is not a complete address such as https://example.org/unit.',
  ],
  ['a relative url without a zip', () => bare(auXml()), 'is relative. Without a zip every url must be complete'],
  [
    'a rooted url without a zip',
    () => bare(auXml({ url: '/index.html' })),
    'is relative. Without a zip every url must be complete',
  ],
  ...['endpoint', 'fetch', 'actor', 'registration', 'activityId'].map((name): [string, () => Buffer, string] => [
    `a url that brings ${name}`,
    () => withUnit({ url: `index.html?a=1&amp;${name}=2#x` }),
    `has the parameter “${name}” in its query. The launch adds`,
  ]),
]

test.each(archives)(
  'cmi5 3.0, 4.4, 8.1, 13.1, 13.2, 14.1, 14.2: a package is refused for %s',
  async (_title, bytes, sentence) => {
    expect(await refusalOf(files, bytes())).toContain(sentence)
  },
)

test('a billion laughs attack is refused at once, without using more memory', { retry: 2 }, async () => {
  const bytes = packageZip(courseXml(auXml({ title: '&a30;' }), { head: billionLaughs }))
  const startedAt = performance.now()
  const before = process.memoryUsage().rss
  await refusalOf(files, bytes)
  expect(performance.now() - startedAt).toBeLessThan(3000)
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * megabyte)
})

test.each([
  ['elements that lack everything', () => '<au foo="1"/>'.repeat(350_000)],
  ['attributes', () => `<au ${Array.from({ length: 300_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`],
  ['units with wrong values', () => auXml({ attributes: 'moveOn="x" y="z"' }).repeat(15_000)],
  ['units of one id', () => auXml().repeat(15_000)],
  ['unknown prefixes', () => '<q:a/>'.repeat(700_000)],
  ['foreign elements', () => `<x:a xmlns:x="urn:x">${'<x:b/>'.repeat(700_000)}</x:a>`],
  [
    'depth with problems at the bottom',
    () => `${'<block>'.repeat(1900)}${'<au/>'.repeat(300_000)}${'</block>'.repeat(1900)}`,
  ],
  ['texts', () => auXml({ title: '</langstring><langstring lang="!">'.repeat(120_000) })],
])('5 MB of %s are refused in seconds', async (_title, content) => {
  const startedAt = performance.now()
  await refusalOf(files, Buffer.from(courseXml(content())))
  expect(performance.now() - startedAt).toBeLessThan(15_000)
})

test('all problems are reported at once, in the order of the file, in at most 4,000 characters', async () => {
  const units = Array.from({ length: 60 }, (_, i) =>
    auXml({ id: `relative-${'x'.repeat(150)}${i}`, url: 'nowhere.html' }),
  )
  const message = await refusalOf(files, packageZip(courseXml(units.join(''))))
  expect(message.length).toBeLessThanOrEqual(4000)
  const two = await refusalOf(files, packageZip(courseXml(auXml({ id: 'x', url: 'nowhere.html' }))))
  expect(two.split('\n')).toHaveLength(2)
  const lines = (await refusalOf(files, packageZip(courseXml(auXml().repeat(40))))).split('\n')
  expect(lines.at(-1)).toBe('… and 19 more.')
})
