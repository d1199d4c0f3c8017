import { test } from 'vitest'
import { readCourseStructure } from '~/services/packages/xml.server.ts'
import { checkStructure } from '~/services/packages/structure.ts'
import { courseXml, auXml } from '../support/packages.ts'
const rss = () => (process.memoryUsage().rss / 1e6).toFixed(0)
test('worst', async () => {
  for (const [label, content] of [
    ['badattr', Array.from({ length: 20000 }, (_, i) => auXml({ id: 'urn:' + i, attributes: 'foo="1" moveOn="x"' })).join('')],
    ['manyattrs', `<au ${Array.from({ length: 200000 }, (_, i) => `a${i}="1"`).join(' ')}/>`],
    ['small bad', '<au foo="1"/>'.repeat(350000)],
    ['dups', auXml({}).repeat(20000)],
  ] as const) {
    const xml = Buffer.from(courseXml(content))
    const t = performance.now()
    try { const s = await readCourseStructure(xml, 'a'); const p = checkStructure(s, null, 'a'); console.log(label, (xml.length/1e6).toFixed(1), 'ok', s.units.length, p.length) } catch (e) { console.log(label, (xml.length/1e6).toFixed(1), (e as Error).message.slice(0, 150), (e as any).problems?.length) }
    console.log((performance.now() - t).toFixed(0) + ' ms', rss())
  }
}, 120_000)
