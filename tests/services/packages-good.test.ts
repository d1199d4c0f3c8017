/** Valid packages of every form, and what is read from them. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type ParsedPackage, readPackage } from '~/services/packages/read-package.server.ts'
import {
  aStorage,
  auXml,
  blockXml,
  courseXml,
  objectiveXml,
  packageZip,
  storeBytes,
  texts,
  zipBytes,
  zipByYazl,
} from '../support/packages.ts'

const files = aStorage()

async function read(bytes: Buffer, fileName = 'upload.zip'): Promise<ParsedPackage & { prefix: string }> {
  const prefix = `packages/${randomUUID()}/`
  const zipKey = await storeBytes(files, bytes)
  return { ...(await readPackage(files, { zipKey, fileName, prefix })), prefix }
}

async function readXml(content: string, parts: Parameters<typeof courseXml>[1] = {}) {
  return (await read(packageZip(courseXml(content, parts)))).structure
}

async function contentOf(key: string): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of await files.read(key)) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe('forms', () => {
  test('cmi5 14.0: a zip by another program, with folders, and with sizes after the data', async () => {
    const contents = { 'cmi5.xml': courseXml(), 'index.html': '<p>Hello</p>', 'img/a b.svg': '<svg/>' }
    const parsed = await read(await zipByYazl(contents, { folders: ['img/', 'empty/'] }))
    expect(parsed.entryCount).toBe(3)
    expect(await contentOf(`${parsed.prefix}index.html`)).toBe('<p>Hello</p>')
    expect(await contentOf(`${parsed.prefix}img/a b.svg`)).toBe('<svg/>')
  })

  test('cmi5 14.0: a 64-bit zip', async () => {
    const parsed = await read(await zipByYazl({ 'cmi5.xml': courseXml(), 'index.html': 'x' }, { zip64: true }))
    expect(parsed.structure.units).toHaveLength(1)
    expect(await contentOf(`${parsed.prefix}index.html`)).toBe('x')
  })

  test('cmi5 14.0: a bare XML file, in UTF-8 with and without a byte order mark, UTF-16 and Latin-1', async () => {
    const xml = courseXml(auXml({ url: 'https://example.org/unit', title: 'Grüße' }), { head: '' })
    const utf16 = Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>\n${xml}`, 'utf16le')
    const inEachWay = [
      Buffer.from(xml),
      Buffer.from(`\ufeff${xml}`),
      Buffer.from(`\n  ${xml}`),
      utf16,
      Buffer.from(utf16).swap16(),
      Buffer.from(`<?xml version='1.0' encoding='ISO-8859-1'?>${xml}`, 'latin1'),
    ]
    for (const bytes of inEachWay) {
      expect((await read(bytes, 'cmi5.xml')).structure.units[0]?.title).toEqual({ en: 'Grüße' })
    }
  })

  test('files that macOS adds to a zip are left out, and nested zips are ordinary files', async () => {
    const parsed = await read(packageZip(courseXml(), { '__MACOSX/._index.html': 'x', 'source.zip': packageZip() }))
    expect(parsed.entryCount).toBe(3)
    expect(await files.stat(`${parsed.prefix}__MACOSX/._index.html`)).toBeNull()
    expect((await files.stat(`${parsed.prefix}source.zip`))?.size).toBe(packageZip().length)
  })

  test('a zip with a comment', async () => {
    const zip = zipBytes([{ name: 'cmi5.xml', data: courseXml() }, { name: 'index.html' }], {
      comment: 'Made with care',
    })
    expect((await read(zip)).structure.units).toHaveLength(1)
  })
})

describe('urls', () => {
  const names = ['a b.html', 'dir/x.html', 'ünï.html', '100%.html']
  const contents = Object.fromEntries(names.map((name) => [name, 'x']))

  test.each([
    'a%20b.html',
    'dir/x.html?p=1&amp;q=a%20b#part',
    './dir/../dir/x.html',
    '%C3%BCn%C3%AF.html',
    'ünï.html',
    'u%CC%88ni%CC%88.html',
    '100%25.html',
    'https://example.org/unit?page=1#x',
    'HTTP://example.org',
    'https://example.org/a/../b.html?my-endpoint=1&amp;Fetch=2',
  ])('cmi5 8.1, 13.1.4, 14.1: %s is accepted', async (url) => {
    const parsed = await read(packageZip(courseXml(auXml({ url })), contents))
    expect(parsed.structure.units[0]?.url).toBe(url.replaceAll('&amp;', '&'))
  })

  test.each(['steam://run/1?a=1', 'Zoommtg:join?confno=1', 'ms-powerpoint:ofe|u|x'.replaceAll('|', '%7C'), 'tel:112'])(
    'cmi5 13.1.4: %s is kept, and its author learns that it cannot be opened here',
    async (url) => {
      const content = courseXml(auXml({ url }) + auXml({ id: 'urn:2' }))
      const { structure, notices } = await read(packageZip(content, contents))
      expect(structure.units.map((unit) => unit.url)).toEqual([url, 'index.html'])
      const sentence = 'of the unit opens in another program. The unit is kept, but it cannot be opened here.'
      expect(notices).toEqual([`cmi5.xml, line 7: The url “${url}” ${sentence}`])
    },
  )

  test('cmi5 14.1: a package may contain absolute and relative urls', async () => {
    const both = auXml() + auXml({ id: 'urn:2', url: 'https://example.org/two' })
    expect((await readXml(both)).units.map((unit) => unit.url)).toEqual(['index.html', 'https://example.org/two'])
  })
})

describe('values', () => {
  test('cmi5 13.1: blanks around values are ignored, also in CDATA', async () => {
    const [unit] = (
      await readXml(
        auXml({
          id: '  https://example.org/au  ',
          attributes: 'moveOn=" CompletedAndPassed " masteryScore=" 0.5 " launchMethod="OwnWindow "',
          title: '\n  Title\n ',
          url: '\n <![CDATA[\n  index.html?a=1&b=2 \n]]> ',
          rest: '<launchParameters><![CDATA[ {"a": 1} ]]></launchParameters><entitlementKey> key </entitlementKey>',
        }),
      )
    ).units
    expect(unit).toMatchObject({
      publisherId: 'https://example.org/au',
      title: { en: 'Title' },
      url: 'index.html?a=1&b=2',
      moveOn: 'CompletedAndPassed',
      masteryScore: '0.5',
      launchMethod: 'OwnWindow',
      launchParameters: '{"a": 1}',
      entitlementKey: 'key',
    })
  })

  test('cmi5 13.1.4: missing values have defaults, and empty parameters are none', async () => {
    const [unit] = (await readXml(auXml({ rest: '<launchParameters> </launchParameters><entitlementKey/>' }))).units
    expect(unit).toMatchObject({
      moveOn: 'NotApplicable',
      launchMethod: 'AnyWindow',
      masteryScore: null,
      launchParameters: null,
      entitlementKey: null,
      activityType: null,
    })
  })

  test.each(['0', '1', '0.0', '1.0000', '.5', '0.1234', '+0.5'])(
    'cmi5 13.1.4: masteryScore %s is a number',
    async (masteryScore) => {
      const [unit] = (await readXml(auXml({ attributes: `masteryScore="${masteryScore}"` }))).units
      expect(unit?.masteryScore).toBe(masteryScore)
    },
  )

  test('cmi5 13.1: all languages are kept, text without a language as und, and the first of two counts', async () => {
    const title =
      '<title><langstring lang="de-DE">Gestein</langstring><langstring>Rock</langstring><langstring lang="de-DE">Fels</langstring></title>'
    const unit = `<au id="urn:a">${title}<description><langstring lang="toString">?</langstring></description><url>index.html</url></au>`
    const [read] = (await readXml(unit)).units
    expect(read).toMatchObject({ title: { 'de-DE': 'Gestein', und: 'Rock' }, description: { toString: '?' } })
  })

  test('texts are tidied like names: one line for a title, and no controls of direction', async () => {
    const described =
      '<title><langstring lang="en">\u202eAssay\u2066\n  one\u200b</langstring><langstring lang="de">\u202e</langstring></title>' +
      '<description><langstring lang="en">One\u202e\ntwo\u2069 </langstring></description>'
    const unit = `<au id="urn:a">${described}<url>index.html</url></au>`
    const objective = `<objectives><objective id="urn:o">${described}</objective></objectives>`
    const read = await readXml(`${objective}<block id="urn:b">${described}${unit}</block>`)
    const tidy = { title: { en: 'Assay one', de: '' }, description: { en: 'One\ntwo' } }
    for (const one of [read.units[0], read.blocks[0], read.objectives[0]]) expect(one).toMatchObject(tidy)
  })

  test('cmi5 13.1.2: units and blocks keep their order and nesting', async () => {
    const unit = (id: string) => auXml({ id: `urn:${id}`, title: id })
    const content = unit('1') + blockXml('urn:b1', unit('2') + blockXml('urn:b2', unit('3')) + unit('4')) + unit('5')
    const { blocks, units } = await readXml(content)
    expect(units.map((one) => [one.publisherId, one.block])).toEqual([
      ['urn:1', null],
      ['urn:2', 0],
      ['urn:3', 1],
      ['urn:4', 0],
      ['urn:5', null],
    ])
    expect(blocks.map((one) => [one.publisherId, one.parent])).toEqual([
      ['urn:b1', null],
      ['urn:b2', 0],
    ])
  })

  test('cmi5 13.1.4: objectives and references to them', async () => {
    const references = '<objectives><objective idref=" urn:o2 "/><objective idref="urn:o2"/></objectives>'
    const { objectives, units } = await readXml(auXml({ objectives: references }), {
      objectives: objectiveXml('urn:o1') + objectiveXml('urn:o2'),
    })
    expect(objectives.map((one) => one.publisherId)).toEqual(['urn:o1', 'urn:o2'])
    expect(units[0]?.objectives).toEqual(['urn:o2'])
  })

  test('cmi5 13.1.2: blocks may be nested fifty and five hundred deep', async () => {
    for (const depth of [50, 500]) {
      let content = auXml()
      for (let i = 0; i < depth; i++) content = blockXml(`urn:b:${i}`, content)
      const { blocks, units } = await readXml(content)
      expect(blocks).toHaveLength(depth)
      expect(units[0]?.block).toBe(depth - 1)
    }
  })

  test('cmi5 13.1.5: elements and attributes of other namespaces are ignored anywhere', async () => {
    const other = '<x:note xmlns:x="urn:x" x:a="1"><x:deep/><title xmlns="urn:y">no</title></x:note>'
    const unit = `<au id="urn:a" xmlns:x="urn:x" x:color="red">${other}${texts('A', 'B')}${other}<url x:b="2">index.html</url>${other}</au>`
    const { units } = await readXml(`${other}${blockXml('urn:b', other + unit + other)}${other}`)
    expect(units[0]?.title).toEqual({ en: 'A' })
  })

  test('comments and processing instructions are not content', async () => {
    const [unit] = (await readXml(auXml({ url: 'index<!-- not part -->.html<?x y?>' }))).units
    expect(unit?.url).toBe('index.html')
  })

  test('a document type in a CDATA section is text', async () => {
    const [unit] = (await readXml(auXml({ title: '<![CDATA[<!DOCTYPE html>]]>' }))).units
    expect(unit?.title).toEqual({ en: '<!DOCTYPE html>' })
  })
})
