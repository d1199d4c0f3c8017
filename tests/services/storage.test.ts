/** The contract of the storage port. Every adapter is added to `adapters` and must pass these tests. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { diskStorage } from '~/services/storage/disk.server.ts'
import { cleanFileName } from '~/services/storage/files.server.ts'
import { FileMissing, FileTooLarge, type Storage } from '~/services/storage/storage.server.ts'

const root = mkdtempSync(path.join(tmpdir(), 'titrate-test-storage-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const adapters: [name: string, adapter: Storage][] = [['disk', diskStorage(path.join(root, 'disk'))]]

const most = { maxBytes: 1_000_000 }
const from = (...parts: (string | Buffer)[]) => Readable.from(parts.map((part) => Buffer.from(part)))

async function textOf(source: Promise<Readable>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of await source) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe.each(adapters)('%s', (_name, storage) => {
  test('returns what was written, whole and in part, with its size and checksum', async () => {
    const key = `a/${randomUUID()}/b c.txt`
    const written = await storage.write(key, from('Hello, ', 'world'), most)
    expect(written).toEqual({ size: 12, sha256: createHash('sha256').update('Hello, world').digest() })
    expect(await textOf(storage.read(key))).toBe('Hello, world')
    expect(await textOf(storage.read(key, { start: 7, end: 9 }))).toBe('wor')
    expect(await storage.stat(key)).toEqual({ size: 12 })
    expect(readFileSync(await storage.localPath(key), 'utf8')).toBe('Hello, world')
  })

  test('keeps an empty file', async () => {
    const key = randomUUID()
    await storage.write(key, from(), most)
    expect(await storage.stat(key)).toEqual({ size: 0 })
    expect(await textOf(storage.read(key))).toBe('')
  })

  test('reports a missing file, and a folder is not a file', async () => {
    await storage.write('folder/file', from('x'), most)
    for (const key of [randomUUID(), 'folder', 'folder/file/deeper']) {
      expect(await storage.stat(key)).toBeNull()
      await expect(storage.read(key)).rejects.toBeInstanceOf(FileMissing)
      await expect(storage.localPath(key)).rejects.toBeInstanceOf(FileMissing)
    }
  })

  test('stops a file that is too large, and stores nothing of it', async () => {
    const key = randomUUID()
    const source = from(randomBytes(600), randomBytes(600))
    await expect(storage.write(key, source, { maxBytes: 1000 })).rejects.toBeInstanceOf(FileTooLarge)
    expect(source.destroyed).toBe(true)
    expect(await storage.stat(key)).toBeNull()
    await storage.write(key, from(randomBytes(1000)), { maxBytes: 1000 })
    expect(await storage.stat(key)).toEqual({ size: 1000 })
  })

  test('stores nothing of an interrupted source', async () => {
    const key = randomUUID()
    const broken = Readable.from(
      (function* () {
        yield Buffer.from('half')
        throw new Error('the line went dead')
      })(),
    )
    await expect(storage.write(key, broken, most)).rejects.toThrow('the line went dead')
    expect(await storage.stat(key)).toBeNull()
  })

  test('replaces a whole file, also ten times at once, and readers see one version or the other', async () => {
    const key = `again/${randomUUID()}`
    await storage.write(key, from('first'), most)
    const texts = Array.from({ length: 10 }, (_, i) => String(i).repeat(5000))
    const reading = Promise.all(Array.from({ length: 20 }, () => textOf(storage.read(key))))
    await Promise.all(texts.map((text) => storage.write(key, from(text), most)))
    expect(texts).toContain(await textOf(storage.read(key)))
    for (const seen of await reading) expect([...texts, 'first']).toContain(seen)
  })

  test('deletes, also if the file does not exist', async () => {
    const key = randomUUID()
    await storage.write(key, from('x'), most)
    await storage.delete(key)
    await storage.delete(key)
    expect(await storage.stat(key)).toBeNull()
  })

  test('deletes everything under a prefix and nothing beside it', async () => {
    const prefix = `packages/${randomUUID()}`
    for (const name of ['a', 'b/c', 'b/d/e']) await storage.write(`${prefix}/${name}`, from('x'), most)
    await storage.write(`${prefix}-other/a`, from('x'), most)
    await storage.deletePrefix(`${prefix}/`)
    await storage.deletePrefix(`${prefix}/`)
    expect(await storage.stat(`${prefix}/b/d/e`)).toBeNull()
    expect(await storage.stat(`${prefix}-other/a`)).toEqual({ size: 1 })
    await expect(storage.deletePrefix(prefix)).rejects.toThrow('Not a prefix')
    await expect(storage.deletePrefix('/')).rejects.toThrow('Not a prefix')
  })

  test('lists the files directly under a prefix, with their times', async () => {
    const folder = `listed/${randomUUID()}`
    for (const name of ['a', 'b', 'deeper/c']) await storage.write(`${folder}/${name}`, from('x'), most)
    await storage.write(`top-${folder.slice(-36)}`, from('x'), most)
    const keysOf = async (prefix: string) => {
      const keys: string[] = []
      for await (const { key, modifiedAt } of storage.list(prefix)) {
        expect(Math.abs(Date.now() - modifiedAt.getTime())).toBeLessThan(60_000)
        keys.push(key)
      }
      return keys.sort()
    }
    expect(await keysOf(`${folder}/`)).toEqual([`${folder}/a`, `${folder}/b`])
    expect(await keysOf('')).toContain(`top-${folder.slice(-36)}`)
    expect(await keysOf(`${folder}/none/`)).toEqual([])
    await expect(keysOf('../')).rejects.toThrow('Not a prefix')
  })

  test.each([
    '',
    '/etc/passwd',
    '../outside',
    'a/../../outside',
    'a/./b',
    'a//b',
    'a/',
    'a\\b',
    'C:/windows',
    '.tmp/x',
    'a\u0000b',
    'a\nb',
    'x'.repeat(256),
    'x/'.repeat(2000),
  ])('no operation accepts the key %j', async (key) => {
    const source = from('x')
    await expect(storage.write(key, source, most)).rejects.toThrow('Not a key')
    expect(source.destroyed).toBe(true)
    for (const use of [storage.read, storage.stat, storage.delete, storage.localPath]) {
      await expect(async () => use(key)).rejects.toThrow('Not a key')
    }
  })
})

test('the disk adapter leaves no half-written file behind', async () => {
  const folder = path.join(root, 'clean')
  const storage = diskStorage(folder)
  await storage.write('a', from('x'), most)
  await storage.write('b', from(randomBytes(20)), { maxBytes: 10 }).catch(() => {})
  expect(readdirSync(path.join(folder, '.tmp'))).toEqual([])
  expect(existsSync(path.join(folder, 'b'))).toBe(false)
})

test.each([
  ['C:\\fakepath\\my module.zip', 'my module.zip'],
  ['../../etc/passwd', 'passwd'],
  ['a\u0000b\u0007.zip', 'ab.zip'],
  ['', 'file'],
  ['folder/', 'file'],
  [`${'x'.repeat(300)}.zip`, `${'x'.repeat(251)}.zip`],
  ['x'.repeat(300), 'x'.repeat(255)],
  ['cod\u202egpj.exe', 'codgpj.exe'],
  ['two\u2028lines.png', 'twolines.png'],
])('a file named %j is shown as %j', (given, shown) => {
  expect(cleanFileName(given)).toBe(shown)
})

test('on a disk, files and folders are for the user of our processes only, also in a folder that was open before', async () => {
  const open = path.join(root, 'open')
  mkdirSync(open)
  chmodSync(open, 0o755)
  const modeOf = (...parts: string[]) => (statSync(path.join(open, ...parts)).mode & 0o777).toString(8)
  const before = process.umask(0)
  try {
    await diskStorage(open).write('packages/key/index.html', from('x'), most)
  } finally {
    process.umask(before)
  }
  expect([modeOf(), modeOf('.tmp'), modeOf('packages'), modeOf('packages', 'key')]).toEqual([
    '700',
    '700',
    '700',
    '700',
  ])
  expect(modeOf('packages', 'key', 'index.html')).toBe('600')
})
