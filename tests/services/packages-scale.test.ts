/** Large packages, and packages whose reading is interrupted: memory, time, and the state after a crash. */
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, expect, test } from 'vitest'
import yazl from 'yazl'
import { finishPackage } from '~/services/modules/finish-package.server.ts'
import { getPackageState, parsePackage } from '~/services/packages/packages.server.ts'
import { diskStorage } from '~/services/storage/disk.server.ts'
import { type Storage, setStorage } from '~/services/storage/storage.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { importAndRead, importPackage } from '../support/imports.ts'
import { auXml, blockXml, courseXml, packageZip, zipBytes } from '../support/packages.ts'
import { db } from '../support/test.ts'

const root = mkdtempSync(path.join(tmpdir(), 'titrate-test-scale-'))
const files = diskStorage(path.join(root, 'files'))
const megabyte = 1024 * 1024

afterAll(async () => {
  rmSync(root, { recursive: true, force: true })
})

async function anImport(bytes: Buffer) {
  setStorage(files)
  const ctx = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], plan: null }) })
  const { imported } = await importPackage(ctx, { bytes })
  return { ctx, packageUid: imported.packageUid }
}

async function contentFolderOf(packageUid: string): Promise<string> {
  const { content_key } = await db
    .selectFrom('cmi5_packages')
    .select('content_key')
    .where('uid', '=', packageUid)
    .executeTakeFirstOrThrow()
  return path.join(root, 'files', 'packages', content_key)
}

async function unitsOf(packageUid: string): Promise<number> {
  const rows = await db
    .selectFrom('cmi5_units')
    .innerJoin('cmi5_packages', 'cmi5_packages.id', 'cmi5_units.package_id')
    .select('cmi5_units.id')
    .where('cmi5_packages.uid', '=', packageUid)
    .execute()
  return rows.length
}

/** A valid package of just under 50 MB, in large and small files that cannot be compressed. */
async function aLargeZip(): Promise<string> {
  const zip = new yazl.ZipFile()
  zip.addBuffer(Buffer.from(courseXml()), 'cmi5.xml')
  zip.addBuffer(Buffer.from('<p>Unit</p>'), 'index.html')
  const film = () => Readable.from(Array.from({ length: 30 }, () => randomBytes(megabyte)))
  zip.addReadStreamLazy('film.mp4', { compress: false, size: 30 * megabyte }, (done) => done(null, film()))
  for (let i = 0; i < 300; i++) zip.addBuffer(randomBytes(65_000), `images/${i}.png`)
  zip.end()
  const file = path.join(root, 'large.zip')
  await pipeline(zip.outputStream, createWriteStream(file))
  return file
}

test('a zip of 50 MB is imported without holding it in memory', { retry: 2 }, async () => {
  setStorage(files)
  const file = await aLargeZip()
  const ctx = await aContext(db, { isOperator: true })
  // Warms up: loads libraries and allocates the first buffers.
  await importAndRead(ctx)
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 5)
  const result = await importAndRead(ctx, { file: createReadStream(file), fileName: 'large.zip' })
  clearInterval(watch)
  expect(result.package).toMatchObject({ status: 'parsed' })
  const folder = await contentFolderOf(result.imported.packageUid)
  expect(readdirSync(path.join(folder, 'images'))).toHaveLength(300)
  // The file alone would take 50, and each copy as much again.
  expect((most - before) / megabyte).toBeLessThan(60)
})

test('cmi5 6.1: 1,001 units in 100 blocks are imported in seconds, in order', { retry: 2 }, async () => {
  const unit = (i: number) => auXml({ id: `https://example.org/au/${i}`, url: `index.html?unit=${i}` })
  const blocks = Array.from({ length: 100 }, (_, b) =>
    blockXml(`https://example.org/block/${b}`, Array.from({ length: 10 }, (_, i) => unit(b * 10 + i)).join('')),
  )
  const { ctx, packageUid } = await anImport(packageZip(courseXml(blocks.join('') + unit(1000))))
  const startedAt = performance.now()
  expect(await parsePackage(ctx, { packageUid })).toMatchObject({ status: 'parsed' })
  expect(performance.now() - startedAt).toBeLessThan(6000)
  const rows = await db
    .selectFrom('cmi5_units')
    .innerJoin('cmi5_packages', 'cmi5_packages.id', 'cmi5_units.package_id')
    .leftJoin('cmi5_blocks', 'cmi5_blocks.id', 'cmi5_units.block_id')
    .select(['cmi5_units.url', 'cmi5_blocks.position'])
    .where('cmi5_packages.uid', '=', packageUid)
    .orderBy('cmi5_units.position')
    .execute()
  expect(rows.map((row) => row.url)).toEqual(Array.from({ length: 1001 }, (_, i) => `index.html?unit=${i}`))
  expect(rows.map((row) => row.position).filter((position, i) => position !== Math.floor(i / 10))).toEqual([null])
})

test('blocks keep their parents in the database', async () => {
  let content = auXml()
  for (let i = 0; i < 50; i++) content = blockXml(`urn:b:${i}`, content)
  const { ctx, packageUid } = await anImport(packageZip(courseXml(content)))
  await parsePackage(ctx, { packageUid })
  const rows = await db
    .selectFrom('cmi5_blocks as child')
    .innerJoin('cmi5_packages', 'cmi5_packages.id', 'child.package_id')
    .leftJoin('cmi5_blocks as parent', 'parent.id', 'child.parent_id')
    .select(['child.publisher_id as child', 'parent.publisher_id as parent'])
    .where('cmi5_packages.uid', '=', packageUid)
    .orderBy('child.position')
    .execute()
  expect(rows.map((row) => row.parent)).toEqual([null, ...rows.slice(0, -1).map((row) => row.child)])
})

/** Storage that fails at the n-th write, like a full disk or a killed process. */
function failingAfter(writes: number): Storage {
  let left = writes
  return {
    ...files,
    async write(key, source, options) {
      if (left-- <= 0) {
        source.destroy()
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' })
      }
      return files.write(key, source, options)
    },
  }
}

test('an interrupted reading shows nothing, and the next try succeeds', async () => {
  const contents = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`page${i}.html`, `<p>${i}</p>`]))
  const { ctx, packageUid } = await anImport(packageZip(courseXml(), contents))
  setStorage(failingAfter(20))
  await expect(parsePackage(ctx, { packageUid })).rejects.toThrow('no space left')
  expect(await getPackageState(ctx, { packageUid })).toMatchObject({ status: 'processing', lastMsg: null })
  expect(await unitsOf(packageUid)).toBe(0)
  setStorage(files)
  expect(await finishPackage(ctx, { packageUid })).toMatchObject({ status: 'parsed' })
  expect(await unitsOf(packageUid)).toBe(1)
  expect(readdirSync(await contentFolderOf(packageUid))).toHaveLength(42)
})

test('a package that is refused at its last file leaves no files and no units', async () => {
  const good = Array.from({ length: 30 }, (_, i) => ({ name: `page${i}.html`, data: `<p>${i}</p>` }))
  const damaged = { name: 'last.html', data: 'hello', local: { crc: 1 }, central: { crc: 1 } }
  const parts = [{ name: 'cmi5.xml', data: courseXml() }, { name: 'index.html', data: 'x' }, ...good, damaged]
  const { ctx, packageUid } = await anImport(zipBytes(parts))
  const state = await parsePackage(ctx, { packageUid })
  expect(state).toMatchObject({
    status: 'error',
    lastMsg: 'last.html: The file is damaged in the zip. Make the zip again.',
  })
  expect(await unitsOf(packageUid)).toBe(0)
  expect(readdirSync(path.join(root, 'files', 'packages'))).not.toContain(
    path.basename(await contentFolderOf(packageUid)),
  )
})

test('ten workers on one package write it once', async () => {
  const { ctx, packageUid } = await anImport(packageZip())
  const states = await Promise.all(Array.from({ length: 10 }, () => parsePackage(ctx, { packageUid })))
  expect(new Set(states.map((state) => state.status))).toEqual(new Set(['parsed']))
  expect(await unitsOf(packageUid)).toBe(1)
})

test('a finished package is not read again', async () => {
  const { ctx, packageUid } = await anImport(packageZip())
  await parsePackage(ctx, { packageUid })
  setStorage(failingAfter(0))
  expect(await parsePackage(ctx, { packageUid })).toMatchObject({ status: 'parsed' })
  setStorage(files)
})
