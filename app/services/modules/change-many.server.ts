/**
 * One change of many modules, as a bulk operation: the selection is stored, the person is asked, and then jobs change one
 * module after the other, each in its own transaction, so that one refusal does not stop the others.
 */
import { changeModulesForm, type ModulesChange } from '~/forms/change-modules.ts'
import { inTransaction } from '~db/transaction.server.ts'
import {
  type BulkItem,
  type BulkKind,
  type BulkOperation,
  endBulkOperation,
  findBulkEnd,
  findBulkOperation,
  findBulkWork,
  getBulkOperation,
  listRecentBulkOperations,
  prepareBulkOperation,
  startBulkOperation,
  startPreparedOperation,
} from '../bulk/bulk.server.ts'
import {
  listBulkItems,
  listChangedItems,
  listNextItems,
  listUnchangedItems,
  workThroughItems,
} from '../bulk/work-through-items.server.ts'
import { actsAsStaff, type Ctx, requireStaff } from '../context.ts'
import { Conflict, NotFound, ServiceError } from '../errors.ts'
import { parseInput } from '../input.ts'
import { queue } from '../queue/queue.server.ts'
import { findViewer } from '../sessions/sessions.server.ts'
import {
  changeModuleStatus,
  countRestorableModules,
  type Deletion,
  deleteModule,
  listModulesByUid,
  listStatusObstacles,
  type Obstacle,
  undoDeletion,
} from './modules.server.ts'

type ModuleInput = { moduleUid: string; deletion?: Deletion }

/** Each returns false, and writes nothing, if the module is already as it should be. */
const changes: Record<ModulesChange, (ctx: Ctx, input: ModuleInput) => Promise<boolean>> = {
  publish: (ctx, { moduleUid }) => changeModuleStatus(ctx, { moduleUid, status: 'published' }),
  unpublish: (ctx, { moduleUid }) => changeModuleStatus(ctx, { moduleUid, status: 'draft' }),
  delete: async (ctx, input) => {
    await deleteModule(ctx, input)
    return true
  },
  restore: undoDeletion,
}

type ChangeKind = Extract<BulkKind, `${string}-modules`>
const changeOf: Record<ChangeKind, ModulesChange> = {
  'publish-modules': 'publish',
  'unpublish-modules': 'unpublish',
  'delete-modules': 'delete',
  'restore-modules': 'restore',
}

export type ModulesOperation = BulkOperation & { change: ModulesChange }

/** Stores which modules to change and how, for staff. `startModulesChange` begins it. */
export async function prepareModulesChange(
  ctx: Ctx,
  input: { change: string; moduleUids: string[] },
): Promise<{ operationUid: string }> {
  requireStaff(ctx, 'write')
  const { change, moduleUids } = parseInput(changeModulesForm, input)
  const uids = [...new Set(moduleUids)]
  const modules = await listModulesByUid(ctx, uids)
  const items = uids.map((uid) => ({ uid, label: modules.get(uid)?.name ?? 'A module' }))
  const operation = await prepareBulkOperation(ctx, { kind: `${change}-modules`, items })
  return { operationUid: operation.uid }
}

/**
 * Starts a change, only for the person who prepared it. A second call starts nothing. Refuses a change that would leave
 * all its modules as they are.
 */
export async function startModulesChange(ctx: Ctx, input: { operationUid: string }): Promise<void> {
  requireStaff(ctx, 'write')
  await inTransaction(ctx, async (ctx) => {
    const { uid: operationUid } = await getModulesOperation(ctx, input)
    if (!(await startPreparedOperation(ctx, { operationUid }))) return
    const { refusal } = await checkModulesChange(ctx, { operationUid })
    if (refusal !== null) throw new Conflict('module.nothing_to_change', refusal)
    await queueBatch(ctx, operationUid)
  })
}

/**
 * Starts to restore the modules of a bulk deletion, for the person who deleted them and for admins. Modules that were
 * removed again after that deletion stay removed. While the restore is running, it returns that operation. Refuses a
 * deletion that is still running, because it would remove more, and one that has left no module to restore.
 */
export async function restoreDeletedModules(
  ctx: Ctx,
  input: { operationUid: string },
): Promise<{ operationUid: string }> {
  requireStaff(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const deletion = await getModulesOperation(ctx, input)
    if (deletion.change !== 'delete') throw new NotFound()
    if (deletion.status === 'running') {
      throw new Conflict('module.still_deleting', 'The removal is still running. Cancel the rest of it first.')
    }
    const items = await listChangedItems(ctx, input)
    if (items.length === 0) throw new Conflict('module.nothing_deleted', 'None of these modules was removed.')
    const restore = { kind: 'restore-modules', subjectUid: deletion.uid } as const
    const isRunning = (await findBulkOperation(ctx, restore))?.status === 'running'
    if (!isRunning) await requireRestorable(ctx, { operationUid: deletion.uid, items })
    const { uid } = await startBulkOperation(ctx, { ...restore, items })
    await queueBatch(ctx, uid)
    return { operationUid: uid }
  })
}

/** Throws Conflict if none of the modules is still removed by this deletion. */
async function requireRestorable(ctx: Ctx, input: { operationUid: string; items: BulkItem[] }): Promise<void> {
  const moduleUids = input.items.map(({ uid }) => uid)
  const deletion = await findDeletion(ctx, input.operationUid)
  if (deletion && (await countRestorableModules(ctx, { moduleUids, deletion })) > 0) return
  const present = await listModulesByUid(ctx, moduleUids)
  const obstacles = moduleUids.map((uid) =>
    present.has(uid) ? { isAlready: true, reason: 'Already restored' } : { isAlready: false, reason: removedAgain },
  )
  throw new Conflict('module.nothing_to_change', refusalOf('restore', obstacles))
}

/** Returns a change, for the person who started it and for admins. */
export async function getModulesOperation(ctx: Ctx, input: { operationUid: string }): Promise<ModulesOperation> {
  const operation = await getBulkOperation(ctx, input)
  if (!isChangeKind(operation.kind)) throw new NotFound()
  return { ...operation, change: changeOf[operation.kind] }
}

/** The modules that a change is about, whether they are still there or not. */
export async function listModulesToChange(ctx: Ctx, input: { operationUid: string }): Promise<BulkItem[]> {
  const { uid } = await getModulesOperation(ctx, input)
  return listBulkItems(ctx, { operationUid: uid })
}

/**
 * Finds out, before a change starts, which of its modules it would leave as they are, and why. `refusal`: what to tell
 * the person if it would change none of them.
 */
export async function checkModulesChange(
  ctx: Ctx,
  input: { operationUid: string },
): Promise<{ obstacles: Map<string, Obstacle>; refusal: string | null }> {
  const { change } = await getModulesOperation(ctx, input)
  const uids = (await listModulesToChange(ctx, input)).map(({ uid }) => uid)
  const modules = await listModulesByUid(ctx, uids)
  const obstacles =
    change === 'publish' || change === 'unpublish'
      ? await listStatusObstacles(ctx, { moduleUids: uids, status: change === 'publish' ? 'published' : 'draft' })
      : new Map<string, Obstacle>()
  for (const uid of uids) if (!modules.has(uid)) obstacles.set(uid, { isAlready: false, reason: goneReason })
  return { obstacles, refusal: obstacles.size < uids.length ? null : refusalOf(change, [...obstacles.values()]) }
}

const pastOf = { publish: 'published', unpublish: 'unpublished', delete: 'removed', restore: 'restored' } as const

function refusalOf(change: ModulesChange, obstacles: Obstacle[]): string {
  const [count, past] = [obstacles.length, pastOf[change]]
  if (obstacles.every(({ isAlready }) => isAlready)) {
    return count === 1 ? `This module is already ${past}.` : `These ${count} modules are already ${past}.`
  }
  if (obstacles.some(({ isAlready }) => isAlready)) return `None of these ${count} modules would change.`
  return count === 1 ? `This module cannot be ${past}.` : `None of these ${count} modules can be ${past}.`
}

/** The modules that a change has changed so far. */
export async function listChangedModules(ctx: Ctx, input: { operationUid: string }): Promise<BulkItem[]> {
  const { uid } = await getModulesOperation(ctx, input)
  return listChangedItems(ctx, { operationUid: uid })
}

/** The modules that a change has left as they were, because they were already published, unpublished or restored. */
export async function listUnchangedModules(ctx: Ctx, input: { operationUid: string }): Promise<BulkItem[]> {
  const { uid } = await getModulesOperation(ctx, input)
  return listUnchangedItems(ctx, { operationUid: uid })
}

/**
 * The changes of modules that the viewer has begun in the last day, the newest first. `isUndone`: a removal that the
 * viewer has undone, or is undoing.
 */
export async function listRecentModulesChanges(ctx: Ctx): Promise<(BulkOperation & { isUndone: boolean })[]> {
  const operations = await listRecentBulkOperations(ctx, { kinds: Object.keys(changeOf) as ChangeKind[] })
  const undone = new Set(
    operations
      .filter(({ kind, status }) => kind === 'restore-modules' && (status === 'running' || status === 'done'))
      .map(({ subjectUid }) => subjectUid),
  )
  return operations.map((operation) => ({ ...operation, isUndone: undone.has(operation.uid) }))
}

const batch = 50

/**
 * Job: changes a batch and queues the next one. Acts as the person who began it, and stops if that person may no longer
 * do it, or if somebody cancels the operation. A module that is already published, or unpublished, is counted as unchanged.
 */
export async function changeModules(
  ctx: Ctx,
  input: { operationUid: string; most?: number },
): Promise<{ changed: number; isDone: boolean }> {
  const { operationUid, most = batch } = input
  const nothing = { changed: 0, isDone: true }
  const work = await findBulkWork(ctx, { operationUid })
  if (!work || !isChangeKind(work.kind)) return nothing
  const acting = await actingAs(ctx, work.createdById)
  if (!acting) {
    await endBulkOperation(ctx, { operationUid, status: 'canceled' })
    return nothing
  }
  const change = changeOf[work.kind]
  const deletion = change === 'restore' ? await findDeletion(ctx, work.subjectUid) : undefined
  const items = await listNextItems(ctx, { operationUid, after: work.cursor, most })
  const changed = await workThroughItems(acting, { operationUid, after: work.cursor, items }, ({ uid }, record) =>
    inTransaction(acting, async (ctx) => {
      const isChanged = await changeOne(ctx, change, { moduleUid: uid, deletion })
      await record(ctx, isChanged ? 'changed' : 'unchanged')
    }),
  )
  if (changed === null) return nothing
  const isDone = items.length < most
  if (isDone) await endBulkOperation(ctx, { operationUid, status: 'done' })
  else await queueBatch(ctx, operationUid)
  return { changed, isDone }
}

/** Finds the bulk deletion that is undone, so that modules that were removed again after it stay removed. */
async function findDeletion(ctx: Ctx, operationUid: string): Promise<Deletion | undefined> {
  const deletion = await findBulkEnd(ctx, { operationUid })
  return deletion ? { byId: deletion.createdById, until: deletion.endedAt ?? ctx.now } : undefined
}

const goneReason = 'This module is no longer there.'
const removedAgain = 'This module was removed again later, or too long ago.'

async function changeOne(ctx: Ctx, change: ModulesChange, input: ModuleInput): Promise<boolean> {
  try {
    return await changes[change](ctx, input)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
    const reason = input.deletion ? removedAgain : goneReason
    throw new Conflict('module.gone', reason)
  }
}

async function queueBatch(ctx: Ctx, operationUid: string): Promise<void> {
  await queue(ctx, 'change-modules', { operationUid }, { key: `change-modules:${operationUid}` })
}

async function actingAs(ctx: Ctx, userId: number | null): Promise<Ctx | null> {
  const viewer = userId === null ? null : await findViewer(ctx, { userId })
  const acting = { ...ctx, viewer }
  return viewer && actsAsStaff(acting) ? acting : null
}

function isChangeKind(kind: BulkKind): kind is ChangeKind {
  return kind in changeOf
}
