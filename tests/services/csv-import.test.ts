/** Reading an uploaded CSV file once more, such as for the file with its faults. */
import { expect, test } from 'vitest'
import { checkTermsFile } from '~/pages/glossary-manager.server.ts'
import { Invalid } from '~/services/errors.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'
import { ownStorage, upload } from '../support/uploads.ts'

ownStorage()

const someone = async (site: 'institutional' | 'ns' = 'institutional') =>
  aContext(db, { site, viewer: await aUser(db, { groups: ['admins'], site }) })

test('whoever uploaded the file reads it again with the same columns, and nobody else reads it', async () => {
  const owner = await someone()
  const { name } = await upload(owner, 'csv', 'a.csv', 'Word,Definition\nAssay,\nBuffer,Liquid\n')
  const wanted = { name, mapping: { name: 'Word' } }
  for (let time = 0; time < 2; time++) {
    const { checked } = await checkTermsFile(owner, wanted)
    expect(checked).toMatchObject({ rows: 2, faults: [{ line: 2, column: 'Definition' }] })
  }
  expect(await checkTermsFile(owner, { name, mapping: {} })).toMatchObject({ checked: null })
  for (const other of [await someone(), await someone('ns')]) {
    await expect(checkTermsFile(other, wanted)).rejects.toThrow(Invalid)
  }
  await expect(checkTermsFile(owner, { ...wanted, name: '' })).rejects.toThrow('Please choose a file.')
  for (const wrong of ['x', '../a.csv']) {
    await expect(checkTermsFile(owner, { ...wanted, name: wrong })).rejects.toThrow(Invalid)
  }
})
