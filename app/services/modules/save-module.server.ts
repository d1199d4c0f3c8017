/**
 * Changes modules: for programs, which send only the fields that they change, and for the dialog, which sends all
 * fields.
 */
import type { z } from 'zod'
import { type ModuleField, type ModuleStatus, moduleChanges, moduleFieldLabels, moduleForm } from '~/forms/modules.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireActor, requireStaff } from '../context.ts'
import { Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import { changedFields, mergeSave, pickFields, type Revised } from '../revisions.ts'
import { type ModuleState, readModuleState } from './module-state.server.ts'
import { getModule, lockModuleToEdit, type Module, parseStatus } from './modules.server.ts'
import { chapterNameOf, planNamesOf } from './queries.server.ts'
import { prepareFiles, writeModule } from './write-module.server.ts'

export type ModuleUpdate = z.input<typeof moduleChanges> & { moduleUid: string; status?: ModuleStatus | null }

/** Changes only the given fields. `status` publishes or unpublishes. */
export async function updateModule(ctx: Ctx, input: ModuleUpdate): Promise<Module> {
  requireActor(ctx, 'write')
  const changes = parseInput(moduleChanges, input)
  const status = parseStatus(input.status)
  return change(ctx, input.moduleUid, { status }, async (_ctx, now) => givenFields(changes, now.state))
}

/** `keptOfOthers`: the fields that somebody else changed meanwhile and this form did not. */
type SavedModule = { module: Module; keptOfOthers: ModuleField[] }

/**
 * Saves the dialog's form, which holds all fields and the revision they were read at. Throws ChangedMeanwhile if
 * somebody else has changed a field that this form changes too.
 */
export async function saveModule(
  ctx: Ctx,
  input: z.input<typeof moduleForm> & { moduleUid: string; revision: number },
): Promise<SavedModule> {
  requireActor(ctx, 'write')
  const mine = parseInput(moduleForm, input)
  let keptOfOthers: ModuleField[] = []
  const module = await change(ctx, input.moduleUid, {}, async (ctx, now) => {
    const merged = await mergeSave<ModuleState>(ctx, {
      entity: 'module',
      entityUid: now.moduleUid,
      subject: 'this module',
      now,
      revision: input.revision,
      mine,
      describe: (field, state) => describeField(ctx, field, state),
    })
    keptOfOthers = merged.keptOfOthers
    return merged.changes
  })
  return { module, keptOfOthers }
}

/** Returns whether the form matches what is stored. Preview and Publish use the stored module. */
export async function isModuleSaved(
  ctx: Ctx,
  input: z.input<typeof moduleForm> & { moduleUid: string },
): Promise<boolean> {
  const { state } = await getModuleToEdit(ctx, input)
  const values = moduleForm.safeParse(input)
  return values.success && changedFields<ModuleState>(state, values.data).length === 0
}

export type ModuleToEdit = { module: Module; state: ModuleState; revision: number }

/** Returns the stored values for the dialog and the revision that it sends back with them. */
export async function getModuleToEdit(ctx: Ctx, input: { moduleUid: string }): Promise<ModuleToEdit> {
  requireActor(ctx)
  const module = await getModule(ctx, input)
  requireStaff(ctx)
  return { module, ...(await readModuleState(ctx, input.moduleUid)) }
}

/** Chooses the values to write. It runs twice: before the lock, to prepare files, and again under the lock. */
type Choose = (ctx: Ctx, now: Revised<ModuleState> & { moduleUid: string }) => Promise<Partial<ModuleState>>

async function change(ctx: Ctx, moduleUid: string, to: { status?: ModuleStatus }, choose: Choose): Promise<Module> {
  // Pictures take time to make, so they are made before the transaction that holds the lock.
  const planned = await inTransaction(ctx, (ctx) => chooseChanges(ctx, moduleUid, choose))
  const prepared = await prepareFiles(ctx, planned.changes)
  return inTransaction(ctx, async (ctx) => {
    const { module, changes, before } = await chooseChanges(ctx, moduleUid, choose)
    await writeModule(ctx, module, changes, { prepared, status: to.status, before })
    return getModule(ctx, { moduleUid })
  })
}

async function chooseChanges(ctx: Ctx, moduleUid: string, choose: Choose) {
  const module = await lockModuleToEdit(ctx, moduleUid)
  const now = await readModuleState(ctx, module.uid)
  const chosen = await choose(ctx, { ...now, moduleUid: module.uid })
  // A package can be replaced but not removed: people may be in the middle of its version.
  if (chosen.cmi5Zip === null) delete chosen.cmi5Zip
  return { module, changes: pickFields(chosen, changedFields(now.state, chosen)), before: now.state }
}

/** Returns the fields that a program sent. Every module needs a package, unless it is Coming Soon. */
async function givenFields(changes: Partial<ModuleState>, state: ModuleState): Promise<Partial<ModuleState>> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const isReady = (given.comingSoon ?? state.comingSoon) || (given.cmi5Zip ?? state.cmi5Zip) !== null
  const message = 'Please upload a CMI5 zip file'
  if (!isReady) throw new Invalid(message, { cmi5Zip: message })
  return given
}

/** Tells a person whose form has another value what the field is now. */
async function describeField(ctx: Ctx, field: ModuleField, now: ModuleState): Promise<string> {
  if (field === 'coverImg' || field === 'cmi5Zip') {
    return `There is a different ${moduleFieldLabels[field].toLowerCase()} now.`
  }
  if (field === 'inSelfStudy' || field === 'comingSoon') {
    return now[field] ? 'It is now checked.' : 'It is now unchecked.'
  }
  const text = await textOfField(ctx, field, now)
  return text ? `It is now “${text}”.` : 'It is empty now.'
}

async function textOfField(
  ctx: Ctx,
  field: Exclude<ModuleField, 'coverImg' | 'cmi5Zip' | 'inSelfStudy' | 'comingSoon'>,
  now: ModuleState,
): Promise<string | null> {
  if (field === 'accessPlanUids') return (await planNamesOf(ctx, now.accessPlanUids)).join(', ')
  if (field === 'chapterUid') return now.chapterUid && chapterNameOf(ctx, now.chapterUid)
  if (field === 'tags') return now.tags.join(', ')
  if (field === 'durationMinutes') return now.durationMinutes === null ? null : `${now.durationMinutes} min`
  return now[field]
}
