/**
 * Packages: what a module's author uploaded, a cmi5 zip or a bare cmi5.xml, and what it says about units and blocks.
 *
 * A package is refused or taken as a whole. Nothing of it can be seen before everything was checked: the status turns to `parsed`
 * in the transaction that writes units and blocks, and nobody has an address of its files earlier. Parsing may be killed at any
 * point and run again, also by two workers at once: files are immutable and each is replaced whole.
 */

import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx, SystemCtx } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { getInstallationValue } from '../sites/sites.server.ts'
import { FileMissing, storage } from '../storage/storage.server.ts'
import { contentKeyPrefix } from './content-path.ts'
import { PackageRefused } from './limits.ts'
import {
  claimPackage,
  findPackageState,
  insertOrReplacePackage,
  listContentKeysOfModules,
  listPackagesWithoutText,
  listStuckPackages,
  type PackageState,
  type PackageWork,
  saveFailure,
  saveStructure,
  saveTexts,
} from './queries.server.ts'
import { readPackage, readPackageText } from './read-package.server.ts'

export { isForOtherProgram, type PackageState, type PackageStatus } from './queries.server.ts'

/** Records an uploaded zip or XML for a module version; in the caller's transaction, which also queues 'parse-package'. */
export async function createPackage(
  ctx: Ctx,
  input: { moduleVersionUid: string; zipFileUid: string },
): Promise<{ uid: string }> {
  const created = await insertOrReplacePackage(ctx.db, input)
  if (!created) throw new Conflict('package.exists', 'This version already has a package.')
  return created
}

export async function getPackageState(ctx: SystemCtx, input: { packageUid: string }): Promise<PackageState> {
  const state = await findPackageState(ctx.db, input.packageUid)
  if (!state) throw new NotFound()
  return state
}

const givenUp = 'The file could not be read because of a fault on our side. Please upload it again.'
const dayMs = 24 * 60 * 60 * 1000

/** After the last try of its job: a package that nobody will read any more says so. Finished ones stay as they are. */
export async function failPackage(ctx: SystemCtx, input: { packageUid: string }): Promise<void> {
  const work = await claimPackage(ctx.db, input.packageUid)
  if (!work) return
  await fail(ctx, work, givenUp)
}

/** Those whose last worker was killed: nothing has happened to them for a day, longer than their job is tried. */
export async function failPackagesThatAreStuck(ctx: SystemCtx): Promise<number> {
  const packageUids = await listStuckPackages(ctx.db, new Date(ctx.now.getTime() - dayMs))
  for (const packageUid of packageUids) await failPackage(ctx, { packageUid })
  if (packageUids.length > 0)
    ctx.log.warn({ failed: packageUids.length }, 'gave up packages that no worker reads any more')
  return packageUids.length
}

/**
 * The row first: had another worker read the package meanwhile, its files are in use. Killed in between, the files of a refused package lie there
 * until its module is purged.
 */
async function fail(ctx: SystemCtx, work: PackageWork, reason: string): Promise<void> {
  if (await saveFailure(ctx.db, work, reason)) await storage().deletePrefix(contentKeyPrefix(work.contentKey))
}

/** Reads, checks and unpacks. Does nothing to a package that is finished. Throws only for reasons that another try may cure. */
export async function parsePackage(ctx: SystemCtx, input: { packageUid: string }): Promise<PackageState> {
  const work = await claimPackage(ctx.db, input.packageUid)
  if (!work) return getPackageState(ctx, input)
  const prefix = contentKeyPrefix(work.contentKey)
  try {
    const parsed = await readPackage(storage(), { zipKey: work.zipKey, fileName: work.fileName, prefix })
    const iriBase = await getInstallationValue(ctx.db, 'iri_base')
    await inTransaction(ctx, (ctx) => saveStructure(ctx.db, work, parsed, iriBase))
  } catch (error) {
    const reason = error instanceof FileMissing ? 'The uploaded file is no longer there. Please upload it again.' : null
    if (!reason && !(error instanceof PackageRefused)) throw error
    await fail(ctx, work, reason ?? (error as PackageRefused).message)
  }
  return getPackageState(ctx, input)
}

/** Removes the unpacked files of all packages of these modules, for good. The rows go with the modules. */
export async function deletePackageFiles(ctx: SystemCtx, input: { moduleUids: string[] }): Promise<void> {
  for (const contentKey of await listContentKeysOfModules(ctx.db, input.moduleUids)) {
    await storage().deletePrefix(contentKeyPrefix(contentKey))
  }
}

/** A text has at most 200,000 characters, so that a batch of them is some megabytes and no more. */
const textsAtOnce = 20

/** Reads the texts of packages that were parsed before texts were kept. What cannot be read (any more) has none. */
export async function readMissingTexts(ctx: SystemCtx, input: { moduleUids: string[] }): Promise<void> {
  const missing = await listPackagesWithoutText(ctx.db, input.moduleUids)
  for (let done = 0; done < missing.length; done += textsAtOnce) {
    const texts: { uid: string; text: string }[] = []
    for (const { uid, zipKey } of missing.slice(done, done + textsAtOnce)) {
      texts.push({ uid, text: await textOfPackage(zipKey) })
    }
    await saveTexts(ctx.db, texts)
  }
}

async function textOfPackage(zipKey: string): Promise<string> {
  try {
    return await readPackageText(storage(), { zipKey })
  } catch (error) {
    if (error instanceof FileMissing || error instanceof PackageRefused) return ''
    throw error
  }
}
