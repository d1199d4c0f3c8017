import { test } from 'vitest'
import { aStorage, auXml, blockXml, courseXml, objectiveXml, packageZip, storeBytes, zipByYazl } from '../support/packages.ts'
import { readPackage } from '~/services/packages/read-package.server.ts'
const files = aStorage()
async function go(label: string, bytes: Buffer) {
  const t = performance.now()
  try {
    const key = await storeBytes(files, bytes)
    const r = await readPackage(files, { zipKey: key, fileName: 'x.xml', prefix: `packages/${key}/` })
    console.log(label, 'OK', r.structure.units.length, r.entryCount, r.size, (performance.now() - t).toFixed(0), JSON.stringify(r.structure).slice(0, 300))
  } catch (e) { console.log(label, 'REFUSED', (e as Error).name, (e as Error).message, (performance.now() - t).toFixed(0)) }
}
test('try', async () => {
  await go('good', packageZip())
  await go('yazl', await zipByYazl({ 'cmi5.xml': courseXml(), 'index.html': 'x' }))
  await go('zip64', await zipByYazl({ 'cmi5.xml': courseXml(), 'index.html': 'x' }, { zip64: true }))
  await go('bare', Buffer.from(courseXml(auXml({ url: 'https://example.org/x' }))))
  await go('1001', Buffer.from(courseXml(Array.from({ length: 1001 }, (_, i) => auXml({ id: `https://example.org/au/${i}`, url: 'https://example.org/x?' + i })).join('\n'))))
  let deep = auXml({ url: 'https://example.org/x' })
  for (let i = 0; i < 900; i++) deep = blockXml(`https://example.org/b/${i}`, deep)
  await go('deep', Buffer.from(courseXml(deep)))
  for (let i = 0; i < 2000; i++) deep = blockXml(`https://example.org/c/${i}`, deep)
  await go('too deep', Buffer.from(courseXml(deep)))
  await go('schema', packageZip(courseXml(auXml({ attributes: 'moveOn="Maybe" foo="1"' }) + '<x/>')))
  await go('order', packageZip(courseXml('<au id="a:b"><url>index.html</url><title><langstring/></title></au>')))
  await go('nolang', packageZip(courseXml('<au id="a:b"><title/><description><langstring lang="e n">x</langstring></description><url/></au>')))
  await go('lines', packageZip(courseXml('\n'.repeat(70000) + auXml({ id: 'x' }))))
  await go('objectives', packageZip(courseXml(auXml({ objectives: '<objectives><objective idref="urn:o:2"/></objectives>' }), { objectives: objectiveXml('urn:o:1') })))
  await go('missing', packageZip(courseXml(auXml({ url: 'Index.html' }))))
})
