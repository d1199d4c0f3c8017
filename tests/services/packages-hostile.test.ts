/** Packages that are refused, each with the sentence that its author reads. Nothing of a refused package may stay in storage. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readPackage } from '~/services/packages/read-package.server.ts'
import {
  aStorage,
  auXml,
  blockXml,
  courseXml,
  objectiveXml,
  packageZip,
  storeBytes,
  texts,
  type ZipPart,
  zipBytes,
} from '../support/packages.ts'

const files = aStorage()

/** What the author is told. Fails the test when the package is taken. */
async function refusalOf(bytes: Buffer, fileName = 'upload.zip'): Promise<string> {
  const zipKey = await storeBytes(files, bytes)
  const prefix = `packages/${randomUUID()}/`
  const startedAt = performance.now()
  const outcome = await readPackage(files, { zipKey, fileName, prefix }).catch((error: Error) => error)
  expect(performance.now() - startedAt).toBeLessThan(5000)
  expect(outcome).toBeInstanceOf(Error)
  const error = outcome as Error
  expect(error.name, error.stack).toBe('PackageRefused')
  return error.message
}

const structure = { name: 'cmi5.xml', data: courseXml() }
const index = { name: 'index.html', data: '<p>Unit</p>' }
const withPart = (...parts: ZipPart[]) => zipBytes([structure, index, ...parts])
const withUnit = (unit: Parameters<typeof auXml>[0]) => packageZip(courseXml(auXml(unit)))
const bare = (content: string) => Buffer.from(courseXml(content))
const megabyte = 1024 * 1024

const billionLaughs = `<?xml version="1.0"?>
<!DOCTYPE courseStructure [<!ENTITY a0 "ha">${Array.from({ length: 30 }, (_, i) => `<!ENTITY a${i + 1} "&a${i};&a${i};">`).join('')}]>
`

const archives: [title: string, bytes: () => Buffer, sentence: string][] = [
  // What is no package
  ['an empty file', () => Buffer.alloc(0), 'The file is empty.'],
  ['text under the name of a zip', () => Buffer.from('# Read me'), 'The file is neither a zip nor an XML file.'],
  [
    'a web page',
    () => Buffer.from('<html><body/></html>'),
    'upload.zip, line 1: This is no cmi5 course structure: the first element is “html”.',
  ],
  ['broken XML', () => Buffer.from('<courseStructure><course>'), 'upload.zip, line 1: The XML is not well-formed: '],
  [
    'a zip cut in half',
    () => packageZip().subarray(0, 400),
    'The zip file is damaged (End of central directory record signature not found.',
  ],
  [
    'a zip with bytes after its end',
    () => Buffer.concat([packageZip(), Buffer.from('more')]),
    'The zip file is damaged (Invalid comment length.',
  ],
  ['an empty zip', () => zipBytes([]), 'There is no cmi5.xml at the root of the zip.'],
  ['a zip without cmi5.xml', () => zipBytes([index]), 'There is no cmi5.xml at the root of the zip.'],
  [
    'a zip of the folder instead of what is in it',
    () =>
      zipBytes([
        { ...structure, name: 'course/cmi5.xml' },
        { ...index, name: 'course/index.html' },
      ]),
    'There is no cmi5.xml at the root of the zip. It is in the folder “course”: zip what is in that folder, not the folder itself.',
  ],
  [
    'CMI5.XML in capitals',
    () => zipBytes([{ ...structure, name: 'CMI5.XML' }, index]),
    'There is “CMI5.XML”: the name must be in lower case.',
  ],
  [
    'a SCORM package',
    () => zipBytes([{ name: 'imsmanifest.xml', data: '<manifest/>' }]),
    'This looks like a package for SCORM. Export it as cmi5.',
  ],

  // The XML as such
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
    'bytes that are not its encoding',
    () => Buffer.from(courseXml(auXml({ title: 'Gr\u00fc\u00dfe' })), 'latin1'),
    'upload.zip, line 1: The file is not valid UTF-8. Save it as UTF-8.',
  ],
  [
    'an encoding that nobody knows',
    () => Buffer.from('<?xml version="1.0" encoding="klingon"?><a/>'),
    'The encoding “klingon” is not known.',
  ],
  [
    'elements nested beyond all reason',
    () => Buffer.from(courseXml('<block>'.repeat(3000))),
    'Elements are nested too deeply.',
  ],
  [
    'the namespace of an early draft',
    () => packageZip(courseXml(auXml(), { namespace: 'http://www.adlnet.gov/cmi5/CourseStructure.xsd' })),
    'courseStructure is in the namespace “http://www.adlnet.gov/cmi5/CourseStructure.xsd”. Expected is',
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
    "cmi5.xml, line 4: Element 'au': This element is not expected. Expected is: course.",
  ],
  [
    'a course without units',
    () => packageZip(courseXml('')),
    "Element 'courseStructure': Missing child element(s). Expected is one of: objectives, au, block.",
  ],
  [
    'a block without units',
    () => packageZip(courseXml(blockXml('urn:b', ''))),
    "Element 'block': Missing child element(s).",
  ],
  [
    'elements in another order',
    () => packageZip(courseXml(`<au id="urn:a"><url>index.html</url>${texts('A', 'B')}</au>`)),
    "cmi5.xml, line 4: Element 'url': This element is not expected. Expected is: title.",
  ],
  [
    'a title without text',
    () =>
      packageZip(
        courseXml('<au id="urn:a"><title/><description><langstring/></description><url>index.html</url></au>'),
      ),
    "Element 'title': Missing child element(s). Expected is: langstring.",
  ],
  [
    'a language that is none',
    () =>
      packageZip(
        courseXml(
          '<au id="urn:a"><title><langstring lang="e n">A</langstring></title><description><langstring/></description><url>index.html</url></au>',
        ),
      ),
    "'e n' is not a language tag such as en or pt-BR",
  ],
  [
    'no url',
    () => packageZip(courseXml(`<au id="urn:a">${texts('A', 'B')}</au>`)),
    "Element 'au': Missing child element(s). Expected is one of: objectives, url.",
  ],
  ['an empty url', () => withUnit({ url: '  ' }), "Element 'url': It must not be empty."],
  [
    'no id',
    () => packageZip(courseXml(`<au>${texts('A', 'B')}<url>index.html</url></au>`)),
    "Element 'au': The attribute 'id' is required but missing.",
  ],
  [
    'an unknown moveOn',
    () => withUnit({ attributes: 'moveOn="Sometimes"' }),
    "attribute 'moveOn': The value 'Sometimes' is not an element of the set {'NotApplicable', 'Passed', 'Completed', 'CompletedAndPassed', 'CompletedOrPassed'}.",
  ],
  [
    'an unknown launchMethod',
    () => withUnit({ attributes: 'launchMethod="Popup"' }),
    "attribute 'launchMethod': The value 'Popup' is not an element of the set {'AnyWindow', 'OwnWindow'}.",
  ],
  [
    'an attribute of its own without a namespace',
    () => withUnit({ attributes: 'colour="red"' }),
    "attribute 'colour': The attribute 'colour' is not allowed.",
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
    'The id “https://example.org/au/1” of the unit is already that of another unit on line 4. Each id may stand once.',
  ],
  [
    'two blocks of one id',
    () => packageZip(courseXml(blockXml('urn:b', auXml()) + blockXml('urn:b', auXml({ id: 'urn:2' })))),
    'The id “urn:b” of the block is already that of another block on line 4.',
  ],
  [
    'two objectives of one id',
    () => packageZip(courseXml(auXml(), { objectives: objectiveXml('urn:o').repeat(2) })),
    'The id “urn:o” of the objective is already that of another objective',
  ],
  [
    'a unit with the id of its block',
    () => packageZip(courseXml(blockXml('urn:x', auXml({ id: 'urn:x' })))),
    'The id “urn:x” of the unit is already that of the block on line 4.',
  ],
  [
    'a unit with the id of the course',
    () => withUnit({ id: 'https://example.org/course' }),
    'of the unit is already that of the course on line 3.',
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
  ['a url with a blank', () => withUnit({ url: 'my unit.html' }), 'holds a blank, which a URL must not (RFC 1738).'],
  ['a url with a backslash', () => withUnit({ url: 'a\\index.html' }), 'holds the character \\, which a URL must not'],
  [
    'a url with half an escape',
    () => withUnit({ url: 'index.html?100%' }),
    'holds a % that is not followed by two hexadecimal digits.',
  ],
  [
    'a javascript: url',
    () => withUnit({ url: 'javascript:alert(1)' }),
    'begins with “javascript:”. Only http:, https: and files of the package can be opened in a browser.',
  ],
  ['a data: url', () => withUnit({ url: 'data:text/html,x' }), 'begins with “data:”.'],
  ['a url of another program', () => withUnit({ url: 'steam://run/1' }), 'begins with “steam:”.'],
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

  // Names in the zip
  [
    'a name that climbs out',
    () => withPart({ name: '../evil.html' }),
    'The zip file holds an entry named “../evil.html”: a name must not lead out of the package with “..”.',
  ],
  [
    'a name that climbs out from a folder',
    () => withPart({ name: 'a/../../evil.html' }),
    'a name must not lead out of the package',
  ],
  [
    'an absolute name',
    () => withPart({ name: '/etc/evil.html' }),
    'a name must be relative, without a leading slash or drive letter.',
  ],
  [
    'a drive letter',
    () => withPart({ name: 'C:/evil.html' }),
    'a name must be relative, without a leading slash or drive letter.',
  ],
  [
    'backslashes',
    () => withPart({ name: '..\\evil.html' }),
    'folders are separated by / in a zip, not by a backslash.',
  ],
  [
    'a name of control characters',
    () => withPart({ name: 'a\u0000b.html' }),
    'a name must be readable text without control characters.',
  ],
  [
    'a name that is not UTF-8',
    () => withPart({ name: Buffer.from([0x61, 0xff, 0xfe]) }),
    'a name must be readable text',
  ],
  ['an empty part of a name', () => withPart({ name: 'a//b.html' }), 'a name must not have empty parts.'],
  ['a name too long for a disk', () => withPart({ name: `${'x'.repeat(300)}.html` }), 'the name is too long.'],
  ['one name twice', () => withPart(index), 'The zip file holds two entries named “index.html”.'],
  [
    'one name in two cases',
    () => withPart({ name: 'INDEX.html' }),
    'The zip file holds “index.html” and “INDEX.html”, which some systems cannot tell apart.',
  ],
  [
    'one name in two spellings of Unicode',
    () => withPart({ name: '\u00fc.html' }, { name: 'u\u0308.html' }),
    'The zip file holds two entries named “\u00fc.html”.',
  ],
  [
    'a file that is also a folder',
    () => withPart({ name: 'a' }, { name: 'a/b.html' }),
    'The zip file holds “a” and “a/”',
  ],
  [
    'a folder that is also a file',
    () => withPart({ name: 'a/b.html' }, { name: 'A' }),
    'The zip file holds “a/” and “A”',
  ],

  // What the entries are
  [
    'a link',
    () => withPart({ name: 'link', data: '/etc/passwd', mode: 0o120777 }),
    'link: This is a link or a special file. A package holds files and folders only.',
  ],
  ['a device', () => withPart({ name: 'null', mode: 0o020666 }), 'null: This is a link or a special file.'],
  [
    'a password',
    () => withPart({ name: 'secret.html', data: 'x', flags: 0x801 }),
    'secret.html: The file is encrypted. Make the zip without a password.',
  ],
  [
    'another way of packing',
    () => withPart({ name: 'a.html', data: 'x', method: 14 }),
    'a.html: The file is packed by method 14.',
  ],
  [
    'a wrong checksum',
    () => withPart({ name: 'a.html', data: 'hello', local: { crc: 1 }, central: { crc: 1 } }),
    'a.html: The file is damaged in the zip. Make the zip again.',
  ],
  [
    'packed bytes that are none',
    () => withPart({ name: 'a.html', data: 'hello', method: 0, local: { method: 8 }, central: { method: 8 } }),
    'a.html: The file is damaged in the zip (',
  ],
  [
    'more bytes than it says',
    () => withPart({ name: 'a.html', data: 'x'.repeat(1000), local: { size: 10 }, central: { size: 10 } }),
    'a.html: The file unpacks to more than the zip says.',
  ],
  [
    'another name before the data',
    () => withPart({ name: 'a.html', data: 'x', local: { name: Buffer.from('b.html') } }),
    'a.html: The zip file contradicts itself about this file.',
  ],
  [
    'another size before the data',
    () => withPart({ name: 'a.html', data: 'x', local: { size: 3 } }),
    'a.html: The zip file contradicts itself about this file.',
  ],
  [
    'a directory that counts too many',
    () => zipBytes([structure, index], { entryCount: 3 }),
    'The zip file is damaged (',
  ],
  [
    'data beyond the end of the file',
    () => withPart({ name: 'a.html', data: 'x', method: 0, central: { packed: 9_000_000, size: 9_000_000 } }),
    'The zip file ',
  ],

  // Bombs
  [
    'too many entries',
    () => zipBytes([structure, index], { entryCount: 10_001 }),
    'The zip file holds 10001 entries. At most 10000 are allowed.',
  ],
  [
    'a file of a thousand times its packed size',
    () => withPart({ name: 'zeros.bin', data: Buffer.alloc(8 * megabyte) }),
    'zeros.bin: The file unpacks to more than 200 times its packed size, as only harmful files do.',
  ],
  [
    'a file that says it is 201 MB',
    () => withPart({ name: 'a.bin', data: 'x', method: 0, central: { size: 201 * megabyte } }),
    'The zip file is damaged (compressed/uncompressed size mismatch',
  ],
  [
    'a packed file that says it is 201 MB',
    () => withPart({ name: 'a.bin', data: 'x', central: { size: 201 * megabyte } }),
    'a.bin: The file is larger than 200 MB.',
  ],
  [
    'many files on the same bytes',
    () => withPart({ name: 'a.html', data: 'kernel' }, { name: 'b.html', data: 'kernel', sharedWith: 2 }),
    'b.html: The zip file uses the same bytes for two files.',
  ],
  [
    'more than 500 MB in all',
    () => {
      const claim = { size: 190 * megabyte, packed: 2 * megabyte }
      return withPart(...['a', 'b', 'c'].map((name) => ({ name, data: 'x', local: claim, central: claim })))
    },
    'Unpacked, the files are larger than 500 MB in all.',
  ],
]

describe('a package is refused with a sentence for its author when it has', () => {
  test.each(archives)('%s', async (_title, bytes, sentence) => {
    expect(await refusalOf(bytes())).toContain(sentence)
  })

  test(`(there are at least forty of them: ${archives.length})`, () => {
    expect(archives.length).toBeGreaterThanOrEqual(40)
  })
})

test('a billion laughs are refused within a second, without growing', async () => {
  const bytes = packageZip(courseXml(auXml({ title: '&a30;' }), { head: billionLaughs }))
  const startedAt = performance.now()
  const before = process.memoryUsage().rss
  await refusalOf(bytes)
  expect(performance.now() - startedAt).toBeLessThan(1000)
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * megabyte)
})

test('all problems are told at once, in the order of the file, and never more than 4,000 characters', async () => {
  const units = Array.from({ length: 60 }, (_, i) =>
    auXml({ id: `relative-${'x'.repeat(150)}${i}`, url: 'nowhere.html' }),
  )
  const message = await refusalOf(packageZip(courseXml(units.join(''))))
  expect(message.length).toBeLessThanOrEqual(4000)
  const two = await refusalOf(packageZip(courseXml(auXml({ id: 'x', url: 'nowhere.html' }))))
  expect(two.split('\n')).toHaveLength(2)
  const lines = (await refusalOf(packageZip(courseXml(auXml().repeat(40))))).split('\n')
  expect(lines.at(-1)).toBe('… and 19 more.')
})
