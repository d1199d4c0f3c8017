import { randomUUID } from 'node:crypto'
import { utimesSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { parsePackageJob } from '~/jobs/parse-package.ts'
import { failPackagesThatAreStuck, getPackageState } from '~/services/packages/packages.server.ts'
import { createDerivative, makeCover } from '~/services/storage/images.server.ts'
import { setStorage, storage } from '~/services/storage/storage.server.ts'
import { keepers } from '~/services/storage/sweep.server.ts'
import { sweepUploads } from '~/services/uploads/sweep.server.ts'
import { getUploadedFile, incomingKey, prepareUpload } from '~/services/uploads/uploads.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'
import { aPicture, from, ownStorage, post, upload } from '../support/uploads.ts'

const folder = ownStorage()

const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
const nobody = await aContext(db)
const twoDaysAgo = new Date(Date.now() - 48 * 60 * 60 * 1000)

const sweep = () => sweepUploads({ ...nobody, now: new Date() })
const isThere = async (key: string) => (await storage().stat(key)) !== null

/** Makes a file two days old, in the database and on disk. */
async function age(uid: string): Promise<void> {
  await db.updateTable('stored_files').set({ created_at: twoDaysAgo }).where('uid', '=', uid).execute()
  utimesSync(path.join(folder, uid), twoDaysAgo, twoDaysAgo)
}

async function aCover(): Promise<{ uid: string; name: string }> {
  const file = await upload(author, 'cover_img', 'a.png', await aPicture())
  await age(file.uid)
  return file
}

const idOf = (uid: string) =>
  db.selectFrom('stored_files').select('id').where('uid', '=', uid).executeTakeFirstOrThrow()

test('the sweep knows every foreign key that refers to files', async () => {
  const { rows } = await sql<{ table: string; column: string }>`
    select con.conrelid::regclass::text as table, att.attname as column
    from pg_constraint con
    join pg_attribute att on att.attrelid = con.conrelid and att.attnum = any(con.conkey)
    where con.contype = 'f' and con.confrelid = 'stored_files'::regclass and att.attname <> 'site_id'`.execute(db)
  // Rows that are deleted with a file do not keep it.
  const goesWithIt = ['uploads.stored_file_id', 'stored_files.original_id']
  const known = [...keepers.map(([table, column]) => `${table}.${column}`), ...goesWithIt]
  expect([...new Set(rows.map(({ table, column }) => `${table}.${column}`))].sort()).toEqual(known.sort())
})

describe('after a day', () => {
  test('an unused file is deleted with its derivative, its upload and their bytes; a second run finds nothing', async () => {
    const file = await aCover()
    const { uid } = await createDerivative(author, await makeCover(author, { fileUid: file.uid }))
    const young = await upload(author, 'cover_img', 'young.png', await aPicture())
    expect(await sweep()).toMatchObject({ files: 2 })
    expect([await isThere(file.uid), await isThere(uid), await isThere(young.uid)]).toEqual([false, false, true])
    expect(await db.selectFrom('uploads').select('id').where('completed_at', 'is not', null).execute()).toHaveLength(1)
    expect(await sweep()).toEqual({ files: 0, uploads: 0, strays: 0 })
    await expect(getUploadedFile(author, { name: file.name, kind: 'cover_img' })).rejects.toThrow('no longer there')
  })

  test('a file stays if a module uses it or its derivative', async () => {
    for (const which of ['original', 'derivative']) {
      const file = await aCover()
      const { uid } = await createDerivative(author, await makeCover(author, { fileUid: file.uid }))
      const module = await aModule(nobody)
      const { id } = await idOf(which === 'original' ? file.uid : uid)
      await db.updateTable('modules').set({ cover_file_id: id }).where('uid', '=', module.uid).execute()
      expect((await sweep()).files).toBe(0)
      expect([await isThere(file.uid), await isThere(uid)]).toEqual([true, true])
    }
  })

  test('attaching a file during the sweep either keeps it or is refused', async () => {
    const module = await aModule(nobody)
    for (let round = 0; round < 12; round++) {
      const file = await aCover()
      const attach = inTransaction(author, async (ctx) => {
        const { uid } = await getUploadedFile(ctx, { name: file.name, kind: 'cover_img' })
        await ctx.db
          .updateTable('modules')
          .set((eb) => ({ cover_file_id: eb.selectFrom('stored_files').select('id').where('uid', '=', uid) }))
          .where('uid', '=', module.uid)
          .execute()
      })
      const [attached] = await Promise.allSettled([attach, sweep(), sweep()])
      const row = await db.selectFrom('stored_files').select('id').where('uid', '=', file.uid).executeTakeFirst()
      expect([attached.status, row !== undefined, await isThere(file.uid)]).toEqual(
        attached.status === 'fulfilled' ? ['fulfilled', true, true] : ['rejected', false, false],
      )
    }
  })

  test('an upload that was never completed is deleted with its post, and a fresh one stays', async () => {
    const stale = await prepareUpload(author, { fileName: 'a.zip', fileType: 'cmi5_zip' })
    const fresh = await prepareUpload(author, { fileName: 'a.zip', fileType: 'cmi5_zip' })
    for (const prepared of [stale, fresh]) await post(author, prepared, 'bytes')
    await db.updateTable('uploads').set({ created_at: twoDaysAgo }).where('uid', '=', stale.id).execute()
    utimesSync(path.join(folder, incomingKey(stale.id)), twoDaysAgo, twoDaysAgo)
    expect(await sweep()).toMatchObject({ uploads: 1 })
    expect(await isThere(incomingKey(stale.id))).toBe(false)
    expect(await isThere(incomingKey(fresh.id))).toBe(true)
  })

  test('bytes without a row are deleted; other and new bytes stay', async () => {
    const stray = randomUUID()
    const young = randomUUID()
    for (const key of [stray, young, 'strange', `packages/${stray}`])
      await storage().write(key, from('x'), { maxBytes: 9 })
    for (const key of [stray, 'strange', `packages/${stray}`])
      utimesSync(path.join(folder, key), twoDaysAgo, twoDaysAgo)
    expect((await sweep()).strays).toBe(1)
    expect([
      await isThere(stray),
      await isThere(young),
      await isThere('strange'),
      await isThere(`packages/${stray}`),
    ]).toEqual([false, true, true, true])
  })
})

test('after a day, a package that nobody is reading gets an error, and finished ones stay as they are', async () => {
  const stuck = await aModule(nobody)
  const done = await aModule(nobody)
  const packageOf = (versionId: number) =>
    db.selectFrom('cmi5_packages').select('uid').where('module_version_id', '=', versionId).executeTakeFirstOrThrow()
  const { uid } = await packageOf(stuck.versionId)
  const file = await upload(author, 'cmi5_zip', 'a.zip', 'x')
  const { id } = await idOf(file.uid)
  const setTo = (status: string, updated_at: Date) =>
    db.updateTable('cmi5_packages').set({ status, updated_at, zip_file_id: id }).where('uid', '=', uid).execute()
  await setTo('processing', new Date())
  expect(await failPackagesThatAreStuck(nobody)).toBe(0)
  await setTo('processing', twoDaysAgo)
  expect(await failPackagesThatAreStuck(nobody)).toBe(1)
  expect(await getPackageState(nobody, { packageUid: uid })).toMatchObject({
    status: 'error',
    lastMsg: 'The file could not be read because of a fault on our side. Please upload it again.',
  })
  const other = await packageOf(done.versionId)
  expect((await getPackageState(nobody, { packageUid: other.uid })).status).toBe('parsed')
})

test('a package gets an error if the last try of its job fails internally; before that it waits', async () => {
  const { versionId } = await aModule(nobody)
  const file = await upload(author, 'cmi5_zip', 'a.zip', 'x')
  const { id } = await idOf(file.uid)
  const { uid } = await db
    .updateTable('cmi5_packages')
    .set({ status: 'uploaded', zip_file_id: id })
    .where('module_version_id', '=', versionId)
    .returning('uid')
    .executeTakeFirstOrThrow()
  const isAway = () => Promise.reject(new Error('The disk is away'))
  const broken = { ...storage(), localPath: isAway, read: isAway }
  const whole = storage()
  setStorage(broken)
  try {
    const run = (isLast: boolean) => parsePackageJob(nobody, { packageUid: uid }, { isLast })
    await expect(run(false)).rejects.toThrow('The disk is away')
    expect((await getPackageState(nobody, { packageUid: uid })).status).toBe('processing')
    await expect(run(true)).rejects.toThrow('The disk is away')
    expect((await getPackageState(nobody, { packageUid: uid })).lastMsg).toContain('a fault on our side')
  } finally {
    setStorage(whole)
  }
})
