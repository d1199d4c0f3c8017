/**
 * Modules: what learners open. Each version has one cmi5 package. A new zip opens a new version. Publishing points the
 * module at its latest version, which must have a parsed package; unpublishing clears the pointer. Coming Soon modules
 * are listed but cannot be opened.
 */
import { type ModuleStatus, moduleStatus, packageProblemToPublish } from '~/forms/modules.ts'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { isStorable, storedKeys } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type NewAuditEntry, recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireActor, requireStaff, type SystemCtx } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { deletePackageFiles } from '../packages/packages.server.ts'
import { type PageInput, parsePage } from '../paging.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { queueIndexing } from '../search/documents.server.ts'
import {
  countModuleRows,
  findModuleRow,
  findOpenModuleRow,
  findVersionOfModule,
  type LockedModule,
  listDeletedBefore,
  listModuleRows,
  listModuleRowsByUid,
  listStatusRows,
  lockModuleRow,
  type Module,
  packageStatusOfVersion,
  toModule,
} from './queries.server.ts'
import {
  cancelPendingPublication,
  countRestorable,
  type Deletion,
  deleteModuleRows,
  markDeleted,
  markRestored,
  setPublishedVersion,
} from './writes.server.ts'

export type { Module } from './queries.server.ts'
export type { Deletion } from './writes.server.ts'

/**
 * Returns whether learners open the latest version. Only for modules that staff read, whose current version is the
 * latest.
 */
export function statusOfModule(module: Module): 'draft' | 'published' {
  const { publishedVersionUid, currentVersionUid } = module
  return publishedVersionUid !== null && publishedVersionUid === currentVersionUid ? 'published' : 'draft'
}

export async function getModule(ctx: Ctx, input: { moduleUid: string }): Promise<Module> {
  const row = isUid(input.moduleUid) ? await findModuleRow(ctx, input.moduleUid) : undefined
  if (!row) throw new NotFound()
  return toModule(row)
}

/**
 * Finds a module for a link by name. An exact match comes before one that ignores case, and the latest published of
 * several wins. Finds only modules that the viewer can open.
 */
export async function findModuleByName(ctx: Ctx, input: { name: string }): Promise<Module | null> {
  const name = input.name.normalize('NFC').trim()
  if (name === '' || !isStorable(name)) return null
  const row = await findOpenModuleRow(ctx, name, storedKeys(name))
  return row ? toModule(row) : null
}

/** Lists all modules that the viewer may see, by name. */
export async function listModules(ctx: Ctx, input: PageInput & { search?: string } = {}): Promise<Page<Module>> {
  requireActor(ctx)
  const page = parsePage('modules', input, { search: input.search })
  const rows = await listModuleRows(ctx, { limit: page.first + 1, after: page.after, search: input.search })
  return pageByName(page, rows, toModule)
}

/** Returns those of the given modules that the viewer may see, by uid. */
export async function listModulesByUid(ctx: Ctx, moduleUids: string[]): Promise<Map<string, Module>> {
  const uids = moduleUids.filter(isUid)
  if (uids.length === 0) return new Map()
  const rows = await listModuleRowsByUid(ctx, uids)
  return new Map(rows.map((row) => [row.uid, toModule(row)]))
}

/** Counts all modules that `listModules` would list. */
export async function countModules(ctx: Ctx, input: { search?: string } = {}): Promise<number> {
  return countModuleRows(ctx, input.search)
}

/** Publishes the latest version. Does nothing if it is already published. */
export async function publishModule(ctx: Ctx, input: { moduleUid: string }): Promise<Module> {
  return inTransaction(ctx, async (ctx) => {
    await changeModuleStatus(ctx, { ...input, status: 'published' })
    return getModule(ctx, input)
  })
}

/** Publishes or unpublishes a module. Returns false, and writes nothing, if the module already has this status. */
export async function changeModuleStatus(
  ctx: Ctx,
  input: { moduleUid: string; status: ModuleStatus },
): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => setStatus(ctx, await lockModuleToEdit(ctx, input.moduleUid), input.status))
}

/**
 * Throws what publishing would throw, for a page that asks before it publishes. A published module passes, since the
 * page can then ask to unpublish it.
 */
export async function requirePublishable(ctx: Ctx, input: { moduleUid: string }): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const module = await lockModuleToEdit(ctx, input.moduleUid)
    if (module.publishedVersionId === null || module.publishedVersionId !== module.latestVersionId) {
      await requireReady(ctx, module)
    }
  })
}

/**
 * Publishes the given version, which may be an earlier one. Nothing else changes: attempts stay on the version that
 * they started in. If a newer package is still being read, it is no longer published automatically. Does nothing if the
 * version is already published.
 */
export async function publishVersion(
  ctx: Ctx,
  input: { moduleUid: string; moduleVersionUid: string },
): Promise<{ name: string; version: number }> {
  return inTransaction(ctx, async (ctx) => {
    const module = await lockModuleToEdit(ctx, input.moduleUid)
    const version = isUid(input.moduleVersionUid)
      ? await findVersionOfModule(ctx, module.id, input.moduleVersionUid)
      : undefined
    if (!version) throw new NotFound()
    if (module.comingSoon) throw comingSoon()
    const problem = packageProblemToPublish(version.status)
    if (problem) throw new Conflict('module.not_parsed', problem)
    if (module.publishedVersionId !== version.id) {
      await setPublishedVersion(ctx, module.id, version.id)
      await cancelPendingPublication(ctx, module.id)
      const before = { version: version.published }
      await record(ctx, module.uid, 'module.version_published', { before, after: { version: version.version } })
    }
    return { name: module.name, version: version.version }
  })
}

/**
 * Unpublishes the module. Attempts and records stay. A package that is still being read is no longer published
 * afterward. Does nothing to a draft.
 */
export async function unpublishModule(ctx: Ctx, input: { moduleUid: string }): Promise<Module> {
  return inTransaction(ctx, async (ctx) => {
    await changeModuleStatus(ctx, { ...input, status: 'draft' })
    return getModule(ctx, input)
  })
}

/**
 * Deletes a module softly: nobody sees it any more. For thirty days `restoreModule` can bring it back with its place,
 * its packages and everybody's progress. Throws NotFound if it is already deleted.
 */
export async function deleteModule(ctx: Ctx, input: { moduleUid: string }): Promise<Module> {
  return inTransaction(ctx, async (ctx) => {
    await lockModuleToEdit(ctx, input.moduleUid)
    const module = await getModule(ctx, input)
    await markDeleted(ctx, module.uid)
    await record(ctx, module.uid, 'module.deleted')
    return module
  })
}

/**
 * Undoes a deletion. Does nothing to a module that is not deleted. Throws NotFound after thirty days, when its files
 * may be gone, and for a module that is deleted by another deletion than the given one.
 */
export async function restoreModule(ctx: Ctx, input: { moduleUid: string; deletion?: Deletion }): Promise<Module> {
  return inTransaction(ctx, async (ctx) => {
    await undoDeletion(ctx, input)
    return getModule(ctx, input)
  })
}

/** Like `restoreModule`. Returns false, and writes nothing, if the module is not deleted. */
export async function undoDeletion(ctx: Ctx, input: { moduleUid: string; deletion?: Deletion }): Promise<boolean> {
  requireStaff(ctx, 'write')
  if (!isUid(input.moduleUid)) throw new NotFound()
  return inTransaction(ctx, async (ctx) => {
    const after = daysAgo(ctx, restorableDays - oneMinute)
    const isRestored = await markRestored(ctx, input.moduleUid, { after, deletion: input.deletion })
    if (isRestored) await record(ctx, input.moduleUid, 'module.restored')
    else await getModule(ctx, input)
    return isRestored
  })
}

/** Counts the modules that `undoDeletion` would bring back. */
export async function countRestorableModules(
  ctx: Ctx,
  input: { moduleUids: string[]; deletion: Deletion },
): Promise<number> {
  requireStaff(ctx)
  return countRestorable(ctx, input.moduleUids, {
    after: daysAgo(ctx, restorableDays - oneMinute),
    deletion: input.deletion,
  })
}

/** A restore that began in time must commit before the purge may begin, because the purge deletes the files first. */
const oneMinute = 1 / 1440

/**
 * The job: removes modules that were deleted thirty days ago. It deletes files before rows, so that a run that is
 * killed can continue.
 */
export async function purgeDeletedModules(ctx: SystemCtx): Promise<void> {
  const before = daysAgo(ctx, restorableDays)
  for (;;) {
    const uids = await listDeletedBefore(ctx, before, 50)
    if (uids.length === 0) return
    await deletePackageFiles(ctx, { moduleUids: uids })
    await deleteModuleRows(ctx, uids, before)
  }
}

/**
 * Publishes the latest version or unpublishes the module. Returns false, and writes nothing, if the module already has
 * this status. Call it in a transaction, with the module locked.
 */
export async function setStatus(ctx: Ctx, module: LockedModule, status: ModuleStatus): Promise<boolean> {
  if (status === 'draft') {
    if (module.publishedVersionId === null) return cancelPendingPublication(ctx, module.id)
    await setPublishedVersion(ctx, module.id, null)
    await record(ctx, module.uid, 'module.unpublished')
    return true
  }
  await requireReady(ctx, module)
  if (module.publishedVersionId === module.latestVersionId) return false
  await setPublishedVersion(ctx, module.id, module.latestVersionId)
  await record(ctx, module.uid, 'module.published')
  return true
}

async function requireReady(ctx: Ctx, module: LockedModule): Promise<void> {
  const { latestVersionId } = module
  const problem = problemToPublish({
    ...module,
    packageStatus: latestVersionId === null ? null : await packageStatusOfVersion(ctx, latestVersionId),
  })
  if (problem) throw problem
}

type Readiness = Pick<LockedModule, 'comingSoon' | 'latestVersionId'> & { packageStatus: string | null | undefined }

function problemToPublish(module: Readiness): Conflict | null {
  if (module.comingSoon) return comingSoon()
  if (module.latestVersionId === null) return new Conflict('module.no_package', 'Please upload a CMI5 zip file')
  const problem = packageProblemToPublish(module.packageStatus)
  return problem === null ? null : new Conflict('module.not_parsed', problem)
}

/** Why a change would leave a module as it is. `isAlready`: the module needs no change. */
export type Obstacle = { isAlready: boolean; reason: string }

/**
 * Returns those of the modules whose status `changeModuleStatus` would not change, with the reason, by uid. For a page
 * that asks before it changes them.
 */
export async function listStatusObstacles(
  ctx: Ctx,
  input: { moduleUids: string[]; status: ModuleStatus },
): Promise<Map<string, Obstacle>> {
  requireStaff(ctx)
  const uids = input.moduleUids.filter(isUid)
  const obstacles = new Map<string, Obstacle>()
  if (uids.length === 0) return obstacles
  for (const row of await listStatusRows(ctx, uids)) {
    const { uid, publishedVersionId, latestVersionId, isPending } = row
    if (input.status === 'draft') {
      const isDraft = publishedVersionId === null && !isPending
      if (isDraft) obstacles.set(uid, { isAlready: true, reason: 'Already unpublished' })
      continue
    }
    const problem = problemToPublish(row)
    if (problem) obstacles.set(uid, { isAlready: false, reason: problem.message })
    else if (publishedVersionId === latestVersionId) {
      obstacles.set(uid, { isAlready: true, reason: 'Already published' })
    }
  }
  return obstacles
}

export function parseStatus(status: unknown): ModuleStatus | undefined {
  if (status === undefined || status === null) return undefined
  const parsed = moduleStatus.safeParse(status)
  if (parsed.success) return parsed.data
  const sentence = 'The status must be draft or published'
  throw new Invalid(sentence, { status: sentence })
}

export function comingSoon(): Conflict {
  return new Conflict('module.coming_soon', `Module marked as "Coming Soon" can't be published`)
}

/** The guard of doors that change a module. NotFound comes before Forbidden, so that nobody learns of a module they cannot see. */
export async function lockModuleToEdit(ctx: Ctx, moduleUid: string): Promise<LockedModule> {
  requireActor(ctx, 'write')
  const module = isUid(moduleUid) ? await lockModuleRow(ctx, moduleUid) : undefined
  if (!module) throw new NotFound()
  requireStaff(ctx)
  return module
}

/** Writes an audit entry and queues indexing: every change that is logged can also change what search finds. */
async function record(
  ctx: Ctx,
  moduleUid: string,
  action: string,
  change: Pick<NewAuditEntry, 'before' | 'after'> = {},
): Promise<void> {
  await recordAudit(ctx, { action, entity: 'module', entityUid: moduleUid, ...change })
  await queueIndexing(ctx, { kind: 'module', uids: [moduleUid] })
}
