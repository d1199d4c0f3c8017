/**
 * Imports a package by the name of its module, for `npm run modules:import`. It adds a version to the module with that
 * name, or creates the module. The module may lack fields that the dialog requires, such as a cover.
 */
import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { type ModuleImport, moduleImport } from '~/forms/modules.ts'
import { chooseText } from '~/lib/language.ts'
import { caseKey, tidyLine } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { findPackageTitle } from '../packages/packages.server.ts'
import { changedFields, pickFields } from '../revisions.ts'
import { getUploadedFile } from '../uploads/uploads.server.ts'
import { readModuleState } from './module-state.server.ts'
import { comingSoon } from './modules.server.ts'
import {
  findChapterUid,
  findModuleUidByName,
  findPlanUid,
  type LockedModule,
  listPlanNames,
  lockModuleOfSite,
} from './queries.server.ts'
import { prepareFiles, writeModule } from './write-module.server.ts'
import { insertModule, lockModuleName } from './writes.server.ts'

/** `replaced`: the package of the latest version had failed, and the new package replaced it. */
type ImportOutcome = 'created' | 'new_version' | 'replaced'
export type ImportedModule = {
  moduleUid: string
  name: string
  outcome: ImportOutcome
  version: number
  packageUid: string
}

/**
 * Imports a package, for admins and authors. `cmi5Zip` is the name of an upload. `publish` publishes the version as
 * soon as the package is parsed.
 */
export async function importModule(ctx: Ctx, input: z.input<typeof moduleImport>): Promise<ImportedModule> {
  requireStaff(ctx, 'write')
  const values = parseInput(moduleImport, input)
  const prepared = await prepareFiles(ctx, { cmi5Zip: values.cmi5Zip })
  const planUid = await getPlanUid(ctx, values.planName)
  const chapterUid = values.chapterName === null ? null : await getChapterUid(ctx, values.chapterName)
  return inTransaction(ctx, async (ctx) => {
    const { module, isNew } = await lockOrInsertModule(ctx, values)
    if (module.comingSoon && values.publish) throw comingSoon()
    const { state } = await readModuleState(ctx, module.uid)
    const wanted = {
      cmi5Zip: values.cmi5Zip,
      accessPlanUids: [...new Set([...state.accessPlanUids, planUid])],
      ...(chapterUid !== null && { chapterUid }),
    }
    const attached = await writeModule(ctx, module, pickFields(wanted, changedFields(state, wanted)), {
      prepared,
      action: 'module.package_imported',
      ...(values.publish && { status: 'published' }),
      ...(!isNew && { before: state }),
    })
    if (!attached) throw new Error('The import of a package has attached none')
    const { version, packageUid } = attached
    return {
      moduleUid: module.uid,
      name: module.name,
      outcome: isNew ? 'created' : attached.outcome,
      version,
      packageUid,
    }
  })
}

async function getPlanUid(ctx: Ctx, name: string): Promise<string> {
  const uid = await findPlanUid(ctx, name)
  if (uid) return uid
  const names = (await listPlanNames(ctx)).map((known) => `"${known}"`).join(', ')
  throw new Invalid(`There is no access plan "${name}". There are: ${names}.`)
}

async function getChapterUid(ctx: Ctx, name: string): Promise<string> {
  const uid = await findChapterUid(ctx, name)
  if (uid) return uid
  throw new Invalid(`There is no chapter "${name}".`)
}

/** Returns the title of the course in an uploaded package, in English if it has that; null if it cannot be read. */
export async function findCourseTitle(ctx: Ctx, input: { cmi5Zip: string }): Promise<string | null> {
  requireStaff(ctx)
  const { uid } = await getUploadedFile(ctx, { name: input.cmi5Zip, kind: 'cmi5_zip' })
  // Files are stored under their uid.
  const title = await findPackageTitle({ zipKey: uid })
  return title && (tidyLine(chooseText(title, 'en')) || null)
}

/** Locks the newest module with exactly this name, or creates one. */
async function lockOrInsertModule(ctx: Ctx, values: ModuleImport): Promise<{ module: LockedModule; isNew: boolean }> {
  const { name, description } = values
  const nameKey = caseKey(name)
  await lockModuleName(ctx, nameKey)
  const existing = await findModuleUidByName(ctx, name)
  const uid = existing ?? randomUUID()
  if (existing === undefined) await insertModule(ctx, { uid, name, nameKey, description, inSelfStudy: true })
  const module = await lockModuleOfSite(ctx, uid)
  if (!module) throw new NotFound()
  return { module, isNew: existing === undefined }
}
