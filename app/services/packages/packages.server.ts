/**
 * Packages: a module's uploaded cmi5 zip or bare cmi5.xml, with its units and blocks.
 *
 * A package is accepted or refused as a whole. Nothing is visible before everything has been checked: the status
 * becomes `parsed` in the transaction that writes units and blocks, and only then do its files get an address. Parsing
 * may be killed at any point and run again, even by two workers at once: files are immutable, and each is replaced as a
 * whole.
 */

import type { LangText } from '~/lib/language.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx, SystemCtx } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { getInstallationValue } from '../sites/sites.server.ts'
import { FileMissing, storage } from '../storage/storage.server.ts'
import { declareActivities } from '../xapi/xapi.server.ts'
import { contentKeyPrefix } from './content-path.ts'
import { PackageRefused } from './limits.ts'
import type { PackageContent } from './package-text.server.ts'
import {
  claimPackage,
  findPackageState,
  insertOrReplacePackage,
  listContentKeysOfModules,
  listStuckPackages,
  listUnreadPackages,
  type PackageState,
  type PackageWork,
  saveContents,
  saveFailure,
  saveStructure,
} from './queries.server.ts'
import { noContent, readPackage, readPackageContent, readPackageTitle } from './read-package.server.ts'
import { activitiesOf } from './structure.ts'

export {
  blockTitles,
  isForOtherProgram,
  moduleMinutes,
  type PackageState,
  type PackageStatus,
} from './queries.server.ts'

/**
 * Records an uploaded zip or XML for a module version, in the caller's transaction, which also queues 'parse-package'.
 */
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

const ourFault = 'The file could not be read because of a fault on our side. Please upload it again.'
const dayMs = 24 * 60 * 60 * 1000

/** Marks a package as failed after the last try of its job. Does not change finished packages. */
export async function failPackage(ctx: SystemCtx, input: { packageUid: string }): Promise<void> {
  const work = await claimPackage(ctx.db, input.packageUid)
  if (!work) return
  await fail(ctx, work, ourFault)
}

/**
 * Fails packages whose worker was killed: those without any change for a day, longer than their job retries. Returns
 * how many.
 */
export async function failPackagesThatAreStuck(ctx: SystemCtx): Promise<number> {
  const packageUids = await listStuckPackages(ctx.db, new Date(ctx.now.getTime() - dayMs))
  for (const packageUid of packageUids) await failPackage(ctx, { packageUid })
  if (packageUids.length > 0)
    ctx.log.warn({ failed: packageUids.length }, 'packages failed because no worker finished reading them')
  return packageUids.length
}

/**
 * Saves the failure before deleting the files, because another worker may have finished the package, and then its files
 * are in use. If the process is killed in between, the files stay until the module is purged.
 */
async function fail(ctx: SystemCtx, work: PackageWork, reason: string): Promise<void> {
  if (await saveFailure(ctx.db, work, reason)) await storage().deletePrefix(contentKeyPrefix(work.contentKey))
}

/** Reads, checks and unpacks a package. Does nothing if it is finished. Throws only errors that a retry may fix. */
export async function parsePackage(ctx: SystemCtx, input: { packageUid: string }): Promise<PackageState> {
  const work = await claimPackage(ctx.db, input.packageUid)
  if (!work) return getPackageState(ctx, input)
  const prefix = contentKeyPrefix(work.contentKey)
  try {
    const parsed = await readPackage(storage(), { zipKey: work.zipKey, fileName: work.fileName, prefix })
    const iriBase = await getInstallationValue(ctx.db, 'iri_base')
    await inTransaction(ctx, async (ctx) => {
      if (!(await saveStructure(ctx.db, work, parsed, iriBase))) return
      const activities = activitiesOf(parsed.structure, { base: iriBase, moduleUid: work.moduleUid })
      await declareActivities(ctx, { siteId: work.siteId, ownerUid: work.moduleUid, activities })
    })
  } catch (error) {
    const reason = error instanceof FileMissing ? 'The uploaded file is no longer there. Please upload it again.' : null
    if (!reason && !(error instanceof PackageRefused)) throw error
    await fail(ctx, work, reason ?? (error as PackageRefused).message)
  }
  return getPackageState(ctx, input)
}

/** Deletes the unpacked files of all packages of these modules. Their rows are deleted with the modules. */
export async function deletePackageFiles(ctx: SystemCtx, input: { moduleUids: string[] }): Promise<void> {
  for (const contentKey of await listContentKeysOfModules(ctx.db, input.moduleUids)) {
    await storage().deletePrefix(contentKeyPrefix(contentKey))
  }
}

/** A text has at most 200,000 characters, so a batch takes only a few megabytes. */
const textsAtOnce = 20

/**
 * Reads the texts of packages that were parsed before texts or estimates were stored, and estimates how long they take.
 * A package that cannot be read gets an empty text and no estimate.
 */
export async function readMissingContents(ctx: SystemCtx, input: { moduleUids: string[] }): Promise<void> {
  const missing = await listUnreadPackages(ctx.db, input.moduleUids)
  for (let done = 0; done < missing.length; done += textsAtOnce) {
    const contents: ({ uid: string } & PackageContent)[] = []
    for (const { uid, zipKey } of missing.slice(done, done + textsAtOnce)) {
      contents.push({ uid, ...(await contentOfPackage(zipKey)) })
    }
    await saveContents(ctx.db, contents)
  }
}

/** Returns the title of the course in an uploaded package; null if it cannot be read. */
export async function findPackageTitle(input: { zipKey: string }): Promise<LangText | null> {
  try {
    return await readPackageTitle(storage(), input)
  } catch (error) {
    if (error instanceof FileMissing || error instanceof PackageRefused) return null
    throw error
  }
}

async function contentOfPackage(zipKey: string): Promise<PackageContent> {
  try {
    return await readPackageContent(storage(), { zipKey })
  } catch (error) {
    if (error instanceof FileMissing || error instanceof PackageRefused) return noContent
    throw error
  }
}
