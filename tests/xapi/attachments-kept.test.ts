import { randomUUID } from 'node:crypto'
import { utimesSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sweepFiles } from '~/jobs/sweep-files.ts'
import { storage } from '~/services/storage/storage.server.ts'
import { getStatement, recordStatements } from '~/services/xapi/xapi.server.ts'
import { aContext } from '../support/context.ts'
import { db } from '../support/test.ts'
import { from, ownStorage } from '../support/uploads.ts'
import { anAttachment, sha2 } from '../support/xapi-parts.ts'

/** How long attachments are stored (xAPI 1.0.3 data 2.4.11): as long as their statement, and for a day without one. */
const folder = ownStorage()

const ctx = await aContext(db)
const twoDaysAgo = new Date(Date.now() - 48 * 60 * 60 * 1000)
const authority = { mbox: 'mailto:authority@example.org' }
const isThere = async (key: string) => (await storage().stat(key)) !== null

async function store(bytes: string): Promise<{ id: string; key: string }> {
  const statement = {
    id: randomUUID(),
    actor: { mbox: 'mailto:a@example.org' },
    verb: { id: 'https://verbs.example/wrote' },
    object: { id: 'https://activities.example/x' },
    attachments: [anAttachment(bytes)],
  }
  const attachments = [{ sha2: sha2(bytes), contentType: 'text/plain', bytes: Buffer.from(bytes) }]
  await recordStatements(ctx, { statements: statement, attachments, authority, version: '1.0.3' })
  return { id: statement.id, key: await keyOf(bytes) }
}

async function keyOf(bytes: string): Promise<string> {
  const row = db.selectFrom('xapi_attachments').select('storage_key as key').where('sha2', '=', sha2(bytes))
  return (await row.executeTakeFirstOrThrow()).key
}

async function age(key: string): Promise<void> {
  await db.updateTable('xapi_attachments').set({ created_at: twoDaysAgo }).where('storage_key', '=', key).execute()
  utimesSync(path.join(folder, key), twoDaysAgo, twoDaysAgo)
}

test('after a day, the sweep deletes attachments without a statement and files without a row, and keeps the others', async () => {
  const kept = await store('kept')
  const loose = await store('loose')
  const young = await store('young')
  await db
    .deleteFrom('xapi_statement_attachments')
    .where('sha2', 'in', [sha2('loose'), sha2('young')])
    .execute()
  const stray = `xapi/${randomUUID()}`
  await storage().write(stray, from('stray'), { maxBytes: 10 })
  for (const key of [kept.key, loose.key, stray]) await age(key)
  const fresh = `xapi/${randomUUID()}`
  await storage().write(fresh, from('fresh'), { maxBytes: 10 })
  for (let run = 0; run < 2; run++) {
    await sweepFiles(ctx)
    const left = await Promise.all([kept.key, loose.key, young.key, stray, fresh].map(isThere))
    expect(left).toEqual([true, false, true, false, true])
  }
})

test('an attachment that is sent again during its sweep is kept, whichever comes first', async () => {
  for (let round = 0; round < 10; round++) {
    const bytes = `again ${round}`
    const before = await store(bytes)
    await db.deleteFrom('xapi_statement_attachments').where('sha2', '=', sha2(bytes)).execute()
    await age(before.key)
    const [after] = await Promise.all([store(bytes), sweepFiles(ctx)])
    const found = await getStatement(ctx, { id: after.id, withAttachments: true })
    expect(found.attachments?.map(({ size }) => size)).toEqual([bytes.length])
  }
})

test('attachments that are missing in storage are left out of an answer', async () => {
  const { id, key } = await store('lost')
  await storage().delete(key)
  expect((await getStatement(ctx, { id, withAttachments: true })).attachments).toEqual([])
})
