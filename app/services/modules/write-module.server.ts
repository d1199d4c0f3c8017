/** Writes the fields of a module. The dialog, programs and imports all use these functions. */
import type { ModuleField, ModuleStatus } from '~/forms/modules.ts'
import { setPlans, setTags } from '../access/parts-writes.server.ts'
import { type AuditFields, recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { pickFields } from '../revisions.ts'
import { queueIndexing } from '../search/documents.server.ts'
import type { Derivative } from '../storage/images.server.ts'
import { keepReplacedFiles } from '../storage/sweep.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { prepareCover, recordCover } from '../uploads/covers.server.ts'
import { getUploadedFile } from '../uploads/uploads.server.ts'
import { type AttachedPackage, attachPackage } from './attach-package.server.ts'
import { type ModuleState, readModuleState } from './module-state.server.ts'
import { setStatus } from './modules.server.ts'
import type { LockedModule } from './queries.server.ts'
import { raiseRevision, setChapter, setCover, updateTexts } from './writes.server.ts'

type PreparedFiles = { cover: Derivative | null }

/**
 * Does the slow work before anything is locked: makes the public picture of a cover. Throws at once if a file cannot be
 * attached.
 */
export async function prepareFiles(
  ctx: Ctx,
  changes: Pick<Partial<ModuleState>, 'coverImg' | 'cmi5Zip'>,
  { isFromHistory }: { isFromHistory?: boolean } = {},
): Promise<PreparedFiles> {
  if (changes.cmi5Zip) await getUploadedZip(ctx, changes.cmi5Zip)
  return { cover: changes.coverImg ? await prepareCover(ctx, { name: changes.coverImg, isFromHistory }) : null }
}

type HowToWrite = {
  prepared: PreparedFiles
  status?: ModuleStatus
  /** The fields before the change; omitted for a new module. */
  before?: ModuleState
  action?: string
  /** The values are those of an earlier revision. */
  isFromHistory?: boolean
}

/** Writes the changed fields and returns the package among them. Call it in a transaction, with the module locked. */
export async function writeModule(
  ctx: Ctx,
  module: LockedModule,
  changes: Partial<ModuleState>,
  how: HowToWrite,
): Promise<AttachedPackage | null> {
  const fields = Object.keys(changes) as ModuleField[]
  const isComingSoon = changes.comingSoon ?? module.comingSoon
  if (fields.length > 0) await updateTexts(ctx, module.id, changes)
  const owner = { kind: 'modules', uid: module.uid } as const
  if (changes.tags) await setTags(ctx, owner, await ensureTags(ctx, { texts: changes.tags }))
  if (changes.accessPlanUids && !(await setPlans(ctx, owner, changes.accessPlanUids))) {
    const message = 'One of the groups no longer exists.'
    throw new Invalid(message, { accessPlanUids: message })
  }
  if (changes.chapterUid !== undefined) await moveToChapter(ctx, module.id, changes.chapterUid)
  if (changes.coverImg) {
    const fileUid = await recordCover(ctx, {
      name: changes.coverImg,
      prepared: how.prepared.cover,
      isFromHistory: how.isFromHistory,
    })
    await setCover(ctx, module.id, fileUid)
    await keepReplacedFiles(ctx, [how.before?.coverImg ?? null])
  }
  const publishWithPackage = Boolean(changes.cmi5Zip) && how.status === 'published' && !isComingSoon
  let attached: AttachedPackage | null = null
  if (changes.cmi5Zip) {
    // Looking the file up again here keeps the clean-up job from deleting it.
    const { uid: zipFileUid } = await getUploadedZip(ctx, changes.cmi5Zip)
    attached = await attachPackage(ctx, module, { zipFileUid, publish: publishWithPackage })
  }
  if (fields.length > 0) {
    await recordFormChange(ctx, module, {
      action: how.action ?? (how.isFromHistory ? 'module.revision_restored' : 'module.updated'),
      before: how.before ? pickFields(how.before, fields) : undefined,
      // The first revision has all fields, also those that were written with the row.
      after: how.before ? changes : { ...(await readModuleState(ctx, module.uid)).state, ...changes },
    })
    await queueIndexing(ctx, { kind: 'module', uids: [module.uid] })
  }
  // A new module has nothing to publish except its package.
  if (how.status && how.before && !publishWithPackage)
    await setStatus(ctx, { ...module, comingSoon: isComingSoon }, how.status)
  return attached
}

/**
 * Raises the revision of a module and logs the change, so that later saves can be merged with it. Every write to a form
 * that two people can have open must call this in the same transaction.
 */
export async function recordFormChange(
  ctx: Ctx,
  module: { id: number; uid: string },
  change: { action: string; before?: AuditFields; after: AuditFields },
): Promise<void> {
  const revision = await raiseRevision(ctx, module.id)
  const { action, before, after } = change
  await recordAudit(ctx, {
    action,
    entity: 'module',
    entityUid: module.uid,
    ...(before && { before }),
    after: { ...after, revision },
  })
}

function getUploadedZip(ctx: Ctx, name: string) {
  return getUploadedFile(ctx, { name, kind: 'cmi5_zip', field: 'cmi5Zip' })
}

async function moveToChapter(ctx: Ctx, moduleId: number, chapterUid: string | null): Promise<void> {
  if (await setChapter(ctx, moduleId, chapterUid)) return
  throw new Invalid('There is no such chapter.', { chapterUid: 'There is no such chapter.' })
}
