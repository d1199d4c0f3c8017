/** Packages in a storage for the test, and the reader's answers about them. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, expect } from 'vitest'
import yazl from 'yazl'
import { PackageRefused } from '~/services/packages/limits.ts'
import { readPackage } from '~/services/packages/read-package.server.ts'
import { diskStorage } from '~/services/storage/disk.server.ts'
import { type Storage, setStorage } from '~/services/storage/storage.server.ts'

export * from './package-zip.ts'

/** A storage folder for this test file, which services use too. */
export function aStorage(): Storage {
  const root = mkdtempSync(path.join(tmpdir(), 'titrate-test-files-'))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  const adapter = diskStorage(root)
  setStorage(adapter)
  return adapter
}

/** Made by a real zip program: data descriptors, Zip64, folders. */
export async function zipByYazl(
  files: Record<string, string | Buffer>,
  options: { zip64?: boolean; folders?: string[]; compress?: boolean } = {},
): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  for (const folder of options.folders ?? []) zip.addEmptyDirectory(folder)
  for (const [name, data] of Object.entries(files)) {
    const compress = options.compress ?? true
    const forceZip64Format = options.zip64 ?? false
    zip.addReadStream(Readable.from([Buffer.from(data)]), name, { compress, forceZip64Format })
  }
  zip.end({ forceZip64Format: options.zip64 ?? false, comment: '' })
  const parts: Buffer[] = []
  for await (const part of zip.outputStream as Readable) parts.push(part)
  return Buffer.concat(parts)
}

/** Stores bytes where an upload would have stored them. */
export async function storeBytes(storage: Storage, bytes: Buffer): Promise<string> {
  const key = randomUUID()
  await storage.write(key, Readable.from([bytes]), { maxBytes: Number.POSITIVE_INFINITY })
  return key
}

/** The fault, the bytes, and the author's message (or a part of it). */
export type Refused = [title: string, bytes: () => Buffer, sentence: string]

/** The refusal of a package. Fails the test if the package is accepted, or if the error is our own fault. */
export async function refusalOf(storage: Storage, bytes: Buffer): Promise<string> {
  const zipKey = await storeBytes(storage, bytes)
  const input = { zipKey, fileName: 'upload.zip', prefix: `packages/${randomUUID()}/` }
  const outcome = await readPackage(storage, input).catch((error: Error) => error)
  expect(outcome).toBeInstanceOf(PackageRefused)
  return (outcome as PackageRefused).message
}
