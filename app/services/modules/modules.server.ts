/**
 * Modules: what learners open, one cmi5 package per version. A new zip opens a new version; publishing moves a pointer to the
 * latest version and points at parsed packages only, unpublishing clears it. Coming Soon modules are listed and never opened.
 */
import { type Page, pageByName } from '~/lib/cursor.ts'
import { caseKey, isStorable } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Conflict, NotFound, requireThat } from '../errors.ts'
import { type PageInput, parsePage } from '../paging.ts'
import { canEditModules } from './policy.ts'
import {
  countModuleRows,
  findModuleRow,
  findOpenModuleRow,
  type LockedModule,
  listModuleRows,
  listModuleRowsByUid,
  lockModuleRow,
  type Module,
  packageStatusOfVersion,
  toModule,
} from './queries.server.ts'
import { setPublishedVersion } from './writes.server.ts'

export type { Module } from './queries.server.ts'

export async function getModule(ctx: Ctx, input: { moduleUid: string }): Promise<Module> {
  const row = isUid(input.moduleUid) ? await findModuleRow(ctx, input.moduleUid) : undefined
  if (!row) throw new NotFound()
  return toModule(row)
}

/** For links by name: the exact name first, then without case; of several the newest published. Only what can be opened. */
export async function findModuleByName(ctx: Ctx, input: { name: string }): Promise<Module | null> {
  const name = input.name.normalize('NFC').trim()
  if (name === '' || !isStorable(name)) return null
  const row = await findOpenModuleRow(ctx, name, caseKey(name))
  return row ? toModule(row) : null
}

/** All modules that the viewer may see, by name. */
export async function listModules(ctx: Ctx, input: PageInput & { search?: string } = {}): Promise<Page<Module>> {
  const { first, after } = parsePage(input)
  const rows = await listModuleRows(ctx, { limit: first + 1, after, search: input.search })
  return pageByName(rows, first, toModule)
}

/** Those of the named modules that the viewer may see, by uid. */
export async function listModulesByUid(ctx: Ctx, moduleUids: string[]): Promise<Map<string, Module>> {
  const uids = moduleUids.filter(isUid)
  if (uids.length === 0) return new Map()
  const rows = await listModuleRowsByUid(ctx, uids)
  return new Map(rows.map((row) => [row.uid, toModule(row)]))
}

/** How many `listModules` walks through in all. */
export async function countModules(ctx: Ctx, input: { search?: string } = {}): Promise<number> {
  return countModuleRows(ctx, input.search)
}

/** Points learners at the latest version. Does nothing where that is so already. */
export async function publishModule(ctx: Ctx, input: { moduleUid: string }): Promise<Module> {
  return inTransaction(ctx, async (ctx) => {
    const module = await lockModuleToEdit(ctx, input.moduleUid)
    if (module.comingSoon) throw comingSoon()
    if (module.latestVersionId === null) throw new Conflict('module.no_package', 'Please upload a CMI5 zip file')
    if ((await packageStatusOfVersion(ctx, module.latestVersionId)) !== 'parsed') {
      throw new Conflict('module.not_parsed', "Can't publish the module - the zip file hasn't been processed")
    }
    if (module.publishedVersionId !== module.latestVersionId) {
      await setPublishedVersion(ctx, module.id, module.latestVersionId)
    }
    return getModule(ctx, input)
  })
}

/** Takes the module from learners. Attempts and records stay; a package that is still being read is no longer published after it. */
export async function unpublishModule(ctx: Ctx, input: { moduleUid: string }): Promise<Module> {
  return inTransaction(ctx, async (ctx) => {
    const module = await lockModuleToEdit(ctx, input.moduleUid)
    await setPublishedVersion(ctx, module.id, null)
    return getModule(ctx, input)
  })
}

export function comingSoon(): Conflict {
  return new Conflict('module.coming_soon', `Module marked as "Coming Soon" can't be published`)
}

async function lockModuleToEdit(ctx: Ctx, moduleUid: string): Promise<LockedModule> {
  requireViewer(ctx)
  const module = isUid(moduleUid) ? await lockModuleRow(ctx, moduleUid) : undefined
  if (!module) throw new NotFound()
  requireThat(canEditModules(ctx.viewer, ctx.site))
  return module
}
