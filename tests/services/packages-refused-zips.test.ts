/** Files and zips that are refused, each with the message for their author. */
import { expect, test } from 'vitest'
import {
  aStorage,
  courseXml,
  packageZip,
  type Refused,
  refusalOf,
  type ZipPart,
  zipBytes,
} from '../support/packages.ts'

const files = aStorage()
const structure = { name: 'cmi5.xml', data: courseXml() }
const index = { name: 'index.html', data: '<p>Unit</p>' }
const withPart = (...parts: ZipPart[]) => zipBytes([structure, index, ...parts])
const megabyte = 1024 * 1024

const archives: Refused[] = [
  // Files that are not packages
  ['an empty file', () => Buffer.alloc(0), 'The file is empty.'],
  ['text under the name of a zip', () => Buffer.from('# Read me'), 'The file is neither a zip nor an XML file.'],
  [
    'a web page',
    () => Buffer.from('<html><body/></html>'),
    'upload.zip, line 1: This is not a cmi5 course structure: the first element is “html”.',
  ],
  ['broken XML', () => Buffer.from('<courseStructure><course>'), 'upload.zip, line 1: The XML is not well-formed: '],
  ['a zip cut in half', () => packageZip().subarray(0, 400), 'The file is not a zip, or it is incomplete'],
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

  // Names in the zip
  [
    'a name that climbs out',
    () => withPart({ name: '../evil.html' }),
    'The zip file contains an entry named “../evil.html”: a name must not lead out of the package with “..”.',
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
    'a name that turns the direction of writing, so that gnp.html looks like lmth.png',
    () => withPart({ name: 'unit-\u202egnp.html' }),
    'an entry named “unit-\ufffdgnp.html”: a name must be readable text without control characters.',
  ],
  [
    'a name that is not UTF-8',
    () => withPart({ name: Buffer.from([0x61, 0xff, 0xfe]) }),
    'a name must be readable text',
  ],
  ['an empty part of a name', () => withPart({ name: 'a//b.html' }), 'a name must not have empty parts.'],
  ['a name too long for a disk', () => withPart({ name: `${'x'.repeat(300)}.html` }), 'the name is too long.'],
  ['one name twice', () => withPart(index), 'The zip file contains two entries named “index.html”.'],
  [
    'one name in two cases',
    () => withPart({ name: 'INDEX.html' }),
    'The zip file contains “index.html” and “INDEX.html”, which some systems cannot tell apart.',
  ],
  [
    'one name in two spellings of Unicode',
    () => withPart({ name: '\u00fc.html' }, { name: 'u\u0308.html' }),
    'The zip file contains two entries named “\u00fc.html”.',
  ],
  [
    'a file that is also a folder',
    () => withPart({ name: 'a' }, { name: 'a/b.html' }),
    'The zip file contains “a” and “a/”',
  ],
  [
    'a folder that is also a file',
    () => withPart({ name: 'a/b.html' }, { name: 'A' }),
    'The zip file contains “a/” and “A”',
  ],

  // Kinds of entries
  [
    'a link',
    () => withPart({ name: 'link', data: '/etc/passwd', mode: 0o120777 }),
    'link: This is a link or a special file. A package contains only files and folders.',
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
    'The zip file contains 10001 entries. At most 10000 are allowed.',
  ],
  [
    'a file of a thousand times its packed size',
    () => withPart({ name: 'zeros.bin', data: Buffer.alloc(8 * megabyte) }),
    'zeros.bin: The file unpacks to more than 200 times its packed size, which only harmful files do.',
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

test.each(archives)('cmi5 4.4, 14.0, 14.1: a package is refused for %s', async (_title, bytes, sentence) => {
  expect(await refusalOf(files, bytes())).toContain(sentence)
})
