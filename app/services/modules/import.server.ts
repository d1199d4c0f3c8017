/**
 * Importing a package into a module: a new module, or the next version of one. The bytes are stored first, then everything else is
 * one transaction that also queues the job which reads them. Publishing after that is a wish kept with the version, so that a published
 * module never points at a package that is not parsed.
 */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type ModuleImport, moduleImport } from '~/forms/modules.ts'
import { caseKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { addPlans, unknownPlan } from '../access/parts-writes.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Invalid, NotFound, requireThat } from '../errors.ts'
import { parseInput } from '../input.ts'
import { packageLimits } from '../packages/limits.ts'
import { type PackageState, parsePackage } from '../packages/packages.server.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { createStoredFile, discardFile, type ReceivedFile, receiveFile } from '../storage/files.server.ts'
import { attachPackage } from './attach-package.server.ts'
import { pick, readModuleState } from './edit-state.server.ts'
import { comingSoon, getModule, type Module } from './modules.server.ts'
import { canEditModules } from './policy.ts'
import {
  findModuleUidByName,
  findPackageUidOfLatest,
  findPlans,
  type LockedModule,
  listPlanNames,
  lockModuleOfPackage,
  lockModuleOfSite,
} from './queries.server.ts'
import { insertModule, lockModuleName, raiseRevision, setChapter, setPublishedVersion } from './writes.server.ts'

export type ImportInput = {
  /** The bytes, or a path on this machine. */
  file: Readable | string
  fileName: string
  /** An existing module of exactly this name gets a new version, unless `moduleUid` names one. */
  name: string
  planName?: string
  planUids?: string[]
  /** As soon as the package is parsed. */
  publish?: boolean
  moduleUid?: string
  /** Made by the client for a new module, so that a request that is sent twice makes one. */
  uid?: string
  description?: string
  chapterName?: string
  inSelfStudy?: boolean
}

/** `replaced`: the latest version's package had failed, and this zip takes its place. `repeated`: nothing, it was there already. */
export type ImportOutcome = 'created' | 'new_version' | 'replaced' | 'repeated'
export type Imported = { moduleUid: string; name: string; outcome: ImportOutcome; version: number; packageUid: string }

/** For admins and authors. The package is read by a job. */
export async function importModule(ctx: Ctx, input: ImportInput): Promise<{ module: Module; imported: Imported }> {
  requireViewer(ctx)
  requireThat(canEditModules(ctx.viewer, ctx.site))
  const imported = await takeIn(ctx, input, ctx.now)
  return { module: await getModule(ctx, { moduleUid: imported.moduleUid }), imported }
}

/** For the command line and seeds: who can run it owns the installation. Reads the package at once, and tells how that went. */
export async function importModuleAsOperator(
  ctx: Ctx,
  input: ImportInput,
): Promise<{ imported: Imported; package: PackageState }> {
  // The queued job is for the case that this process is killed now; a worker that has it too does no harm, but double work.
  const imported = await takeIn(ctx, input, new Date(ctx.now.getTime() + operatorTime))
  return { imported, package: await finishPackage(ctx, { packageUid: imported.packageUid }) }
}

/** How long an operator's own reading of a package may take before its job reads it, in milliseconds. */
export const operatorTime = 10 * 60 * 1000

/** What the job does: reads the package and, where that was asked for, publishes it. Safe to repeat. */
export async function finishPackage(ctx: Ctx, input: { packageUid: string }): Promise<PackageState> {
  const state = await parsePackage(ctx, input)
  if (state.status === 'parsed') {
    await inTransaction(ctx, async (ctx) => {
      const module = await lockModuleOfPackage(ctx, input.packageUid)
      if (module) await queueIndexing(ctx, { kind: 'module', uids: [module.uid] })
      // A later version may be out already, and Coming Soon may have been ticked meanwhile.
      if (!module?.publishWhenParsed || module.comingSoon || module.version <= (module.publishedVersion ?? 0)) return
      await setPublishedVersion(ctx, module.id, module.versionId)
      await recordAudit(ctx, { action: 'module.published', entity: 'module', entityUid: module.uid })
    })
  }
  return state
}

async function takeIn(ctx: Ctx, input: ImportInput, parseAt: Date): Promise<Imported> {
  let received: ReceivedFile | undefined
  try {
    const values = parseInput(moduleImport, input)
    const planUids = await planUidsOf(ctx, input)
    received = await receive(input)
    const file = received
    const imported = await inTransaction(ctx, (ctx) => record(ctx, { ...input, ...values, planUids, file, parseAt }))
    if (imported.outcome === 'repeated') await discardFile(file)
    return imported
  } catch (error) {
    if (typeof input.file !== 'string') input.file.destroy()
    if (received) await discardFile(received)
    throw error
  }
}

async function planUidsOf(ctx: Ctx, input: ImportInput): Promise<string[]> {
  if (input.planName !== undefined) {
    const plans = await findPlans(ctx, { name: input.planName.normalize('NFC').trim() })
    if (plans.length > 0) return plans.map((plan) => plan.uid)
    const names = (await listPlanNames(ctx)).map((name) => `"${name}"`).join(', ')
    throw new Invalid(`There is no access plan "${input.planName}". There are: ${names}.`)
  }
  const uids = [...new Set(input.planUids ?? [])]
  const plans = await findPlans(ctx, { uids: uids.filter(isUid) })
  if (plans.length !== uids.length) throw unknownPlan()
  return uids
}

async function receive(input: ImportInput): Promise<ReceivedFile> {
  if (typeof input.file === 'string') {
    const path = input.file
    await access(path).catch(() => {
      throw new Invalid(`The file ${path} cannot be read.`)
    })
  }
  return receiveFile(typeof input.file === 'string' ? createReadStream(input.file) : input.file, {
    kind: 'cmi5_zip',
    fileName: input.fileName,
    contentType: /\.xml$/i.test(input.fileName) ? 'application/xml' : 'application/zip',
    maxBytes: packageLimits.receivedBytes,
  })
}

type Recording = Omit<ImportInput, 'file'> & ModuleImport & { planUids: string[]; file: ReceivedFile; parseAt: Date }

async function record(ctx: Ctx, input: Recording): Promise<Imported> {
  const { module, isNew } = await moduleFor(ctx, input)
  if (module.comingSoon && input.publish) throw comingSoon()
  if (!isNew && module.uid === input.uid) return repeated(ctx, module)
  const { state: before } = await readModuleState(ctx, module.uid)
  if (!(await addPlans(ctx, { kind: 'modules', uid: module.uid }, input.planUids))) throw unknownPlan()
  if (input.chapterName !== undefined && !(await setChapter(ctx, module.id, { name: input.chapterName }))) {
    throw new Invalid(`There is no chapter "${input.chapterName}".`)
  }
  const stored = await createStoredFile(ctx, input.file)
  const attached = await attachPackage(ctx, module, {
    zipFileUid: stored.uid,
    publish: input.publish ?? false,
    parseAt: input.parseAt,
  })
  const revision = await raiseRevision(ctx, module.id)
  await recordAudit(ctx, {
    action: 'module.package_imported',
    entity: 'module',
    entityUid: module.uid,
    before: isNew ? undefined : pick(before, ['cmi5Zip', 'accessPlanUids', 'chapterUid']),
    after: { cmi5Zip: stored.name, revision },
  })
  await queueIndexing(ctx, { kind: 'module', uids: [module.uid] })
  return {
    moduleUid: module.uid,
    name: module.name,
    outcome: isNew ? 'created' : attached.outcome,
    version: attached.version,
    packageUid: attached.packageUid,
  }
}

/** The module that the package is for, locked; made where there is none of that name. */
async function moduleFor(ctx: Ctx, input: Recording): Promise<{ module: LockedModule; isNew: boolean }> {
  if (input.moduleUid !== undefined) {
    const module = isUid(input.moduleUid) ? await lockModuleOfSite(ctx, input.moduleUid) : undefined
    if (!module) throw new NotFound()
    return { module, isNew: false }
  }
  await lockModuleName(ctx, caseKey(input.name))
  const existing = input.uid === undefined ? await findModuleUidByName(ctx, input.name) : undefined
  const uid = existing ?? input.uid ?? randomUUID()
  const isNew =
    existing === undefined &&
    (await insertModule(ctx, {
      uid,
      name: input.name,
      nameKey: caseKey(input.name),
      description: input.description,
      inSelfStudy: input.inSelfStudy,
    }))
  const module = await lockModuleOfSite(ctx, uid)
  // The uid is taken by a module of another site, or a deleted one.
  if (!module) throw new NotFound()
  return { module, isNew }
}

async function repeated(ctx: Ctx, module: LockedModule): Promise<Imported> {
  const latest = await findPackageUidOfLatest(ctx, module.id)
  if (!latest) throw new NotFound()
  return { moduleUid: module.uid, name: module.name, outcome: 'repeated', ...latest }
}
