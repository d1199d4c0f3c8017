/**
 * A whole module by whoever owns the installation, for seeds: nobody is signed in, so its files come with it instead of having been
 * uploaded before. The same rules as in the dialog, and one transaction, so that a module is there with everything or not at all.
 */
import type { Readable } from 'node:stream'
import { moduleForm } from '~/forms/modules.ts'
import { uploadRules } from '~/forms/uploads.ts'
import { caseKey } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { setPlans, setTags, unknownPlan } from '../access/parts-writes.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import type { PackageState } from '../packages/packages.server.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { createStoredFile, discardFile, type ReceivedFile, receiveFile } from '../storage/files.server.ts'
import { createDerivative, type Derivative, makeCover } from '../storage/images.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { attachPackage } from './attach-package.server.ts'
import { finishPackage, operatorTime } from './import.server.ts'
import { comingSoon } from './modules.server.ts'
import { findPackageUidOfLatest, lockModuleOfSite } from './queries.server.ts'
import { insertModule, raiseRevision, setChapter, setCover, updateTexts } from './writes.server.ts'

export type OperatorModule = {
  /** Decides whether the module is there already; then nothing of it is changed. */
  uid: string
  name: string
  description: string
  coverImgDesc: string
  tags: string[]
  chapterName: string
  accessPlanUids: string[]
  /** Listed and never opened. Only such a module may be without a package. */
  comingSoon: boolean
  /** As soon as the package is parsed. */
  publish: boolean
  /** A PNG. */
  cover: Readable
  zip: { file: Readable; fileName: string } | null
}

/** Reads the package at once and tells how that went; null where there is none. Safe to repeat, and to be killed at any point. */
export async function createModuleAsOperator(
  ctx: Ctx,
  input: OperatorModule,
): Promise<{ moduleUid: string; package: PackageState | null }> {
  if (input.publish && input.comingSoon) throw comingSoon()
  // Asked first only to spare the work: the insert decides.
  const isThere = await inTransaction(ctx, async (ctx) => (await lockModuleOfSite(ctx, input.uid)) !== undefined)
  const packageUid = isThere ? await packageUidOf(ctx, input.uid) : await create(ctx, input)
  return { moduleUid: input.uid, package: packageUid ? await finishPackage(ctx, { packageUid }) : null }
}

async function create(ctx: Ctx, input: OperatorModule): Promise<string | null> {
  // The row comes before the transaction, where the picture for others is made of it; without a module it is swept after a day.
  const cover = await receiveFile(input.cover, {
    kind: 'cover_img',
    fileName: 'cover.png',
    contentType: 'image/png',
    maxBytes: uploadRules.cover_img.maxBytes,
  })
  await createStoredFile(ctx, cover)
  const derivative = await makeCover(ctx, { fileUid: cover.uid })
  const zip = input.zip && (await receiveZip(input.zip))
  try {
    const packageUid = await inTransaction(ctx, (ctx) => write(ctx, input, { derivative, zip }))
    if (packageUid !== undefined) return packageUid
  } catch (error) {
    if (zip) await discardFile(zip)
    throw error
  }
  if (zip) await discardFile(zip)
  return packageUidOf(ctx, input.uid)
}

function receiveZip(zip: { file: Readable; fileName: string }): Promise<ReceivedFile> {
  return receiveFile(zip.file, {
    kind: 'cmi5_zip',
    fileName: zip.fileName,
    contentType: 'application/zip',
    maxBytes: uploadRules.cmi5_zip.maxBytes,
  })
}

/** The uid of its package, null where it has none; undefined when the module was there already. */
async function write(
  ctx: Ctx,
  input: OperatorModule,
  files: { derivative: Derivative; zip: ReceivedFile | null },
): Promise<string | null | undefined> {
  const { derivative, zip } = files
  const { chapterUid: _, ...values } = parseInput(moduleForm, {
    ...input,
    coverImg: `${derivative.originalUid}.png`,
    cmi5Zip: zip ? `${zip.uid}.zip` : null,
    chapterUid: null,
  })
  const { name, description, inSelfStudy } = values
  const isNew = await insertModule(ctx, { uid: input.uid, name, nameKey: caseKey(name), description, inSelfStudy })
  if (!isNew) return undefined
  const module = await lockModuleOfSite(ctx, input.uid)
  if (!module) throw new NotFound()
  await updateTexts(ctx, module.id, { coverImgDesc: values.coverImgDesc, comingSoon: values.comingSoon })
  const owner = { kind: 'modules', uid: module.uid } as const
  await setTags(ctx, owner, await ensureTags(ctx, { texts: values.tags }))
  if (!(await setPlans(ctx, owner, values.accessPlanUids))) throw unknownPlan()
  if (!(await setChapter(ctx, module.id, { name: input.chapterName }))) {
    throw new Invalid(`There is no chapter "${input.chapterName}".`)
  }
  await createDerivative(ctx, derivative)
  await setCover(ctx, module.id, derivative.originalUid)
  let packageUid: string | null = null
  if (zip) {
    const { uid: zipFileUid } = await createStoredFile(ctx, zip)
    // The job is for the case that this process is killed now.
    const parseAt = new Date(ctx.now.getTime() + operatorTime)
    packageUid = (await attachPackage(ctx, module, { zipFileUid, publish: input.publish, parseAt })).packageUid
  }
  const revision = await raiseRevision(ctx, module.id)
  await recordAudit(ctx, {
    action: 'module.created',
    entity: 'module',
    entityUid: module.uid,
    after: { ...values, revision },
  })
  await queueIndexing(ctx, { kind: 'module', uids: [module.uid] })
  return packageUid
}

async function packageUidOf(ctx: Ctx, moduleUid: string): Promise<string | null> {
  return inTransaction(ctx, async (ctx) => {
    const module = await lockModuleOfSite(ctx, moduleUid)
    // The uid is taken by a module of another site, or a deleted one.
    if (!module) throw new NotFound()
    return (await findPackageUidOfLatest(ctx, module.id))?.packageUid ?? null
  })
}
