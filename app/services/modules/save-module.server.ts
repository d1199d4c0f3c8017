/**
 * Changes modules: for programs, which send only the fields that they change, and for the dialog, which sends all
 * fields.
 */
import type { z } from 'zod'
import { type ModuleField, type ModuleStatus, moduleChanges, moduleFieldLabels, moduleForm } from '~/forms/modules.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { findKnownParts, withoutGoneParts } from '../access/known-parts.server.ts'
import { type Ctx, requireActor, requireStaff } from '../context.ts'
import { Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import {
  changedFields,
  mergeSave,
  parseRestored,
  pickFields,
  planRestore,
  type RestoredRevision,
  type RestoreInput,
  type RestorePlan,
  type Revised,
} from '../revisions.ts'
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

/** Says what `restoreModuleRevision` would change. */
export async function planModuleRestore(
  ctx: Ctx,
  input: { uid: string; revision: number },
): Promise<RestorePlan<ModuleState>> {
  const { module, ...now } = await getModuleToEdit(ctx, { moduleUid: input.uid })
  return planRestoreOf(ctx, { ...now, moduleUid: module.uid }, input)
}

/**
 * Saves a module as it was at an earlier revision, with what still exists. Its package stays: earlier ones come back by
 * publishing their version. Repeating it changes nothing.
 */
export async function restoreModuleRevision(ctx: Ctx, input: RestoreInput): Promise<RestoredRevision> {
  requireStaff(ctx, 'write')
  let plan: RestorePlan<ModuleState> | null = null
  const module = await change(ctx, input.uid, { isFromHistory: true }, async (ctx, now) => {
    plan = await planRestoreOf(ctx, now, input)
    return givenFields(parseRestored(moduleChanges, plan.changes, moduleFieldLabels), now.state)
  })
  const { changes = {}, leftOut = [] } = (plan ?? {}) as Partial<RestorePlan<ModuleState>>
  return { name: module.name, isChanged: Object.keys(changes).length > 0, leftOut }
}

function planRestoreOf(
  ctx: Ctx,
  now: Revised<ModuleState> & { moduleUid: string },
  { revision, opened }: Omit<RestoreInput, 'uid'>,
): Promise<RestorePlan<ModuleState>> {
  return planRestore<ModuleState>(ctx, {
    entity: 'module',
    entityUid: now.moduleUid,
    now,
    revision,
    opened,
    adapt: async (then) => {
      const { state, leftOut } = await withoutGoneParts(ctx, {
        earlier: { ...then, coverImg: then.coverImg ?? now.state.coverImg },
        now: now.state,
        files: { coverImg: 'cover image' },
      })
      const { chapters } = await findKnownParts(ctx, { chapters: then.chapterUid === null ? [] : [then.chapterUid] })
      const isChapterGone = then.chapterUid !== null && !chapters.has(then.chapterUid)
      return {
        state: {
          ...state,
          cmi5Zip: now.state.cmi5Zip,
          chapterUid: isChapterGone ? now.state.chapterUid : then.chapterUid,
        },
        leftOut: [
          ...leftOut,
          ...(isChapterGone ? ['The chapter from that revision no longer exists, so the current one was kept.'] : []),
          ...(then.cmi5Zip === now.state.cmi5Zip
            ? []
            : ['The package stays. Publish an earlier version to change it.']),
        ],
      }
    },
  })
}

/** Chooses the values to write. It runs twice: before the lock, to prepare files, and again under the lock. */
type Choose = (ctx: Ctx, now: Revised<ModuleState> & { moduleUid: string }) => Promise<Partial<ModuleState>>

type To = { status?: ModuleStatus; isFromHistory?: boolean }

async function change(ctx: Ctx, moduleUid: string, to: To, choose: Choose): Promise<Module> {
  // Pictures take time to make, so they are made before the transaction that holds the lock.
  const planned = await inTransaction(ctx, (ctx) => chooseChanges(ctx, moduleUid, choose))
  const prepared = await prepareFiles(ctx, planned.changes, to)
  return inTransaction(ctx, async (ctx) => {
    const { module, changes, before } = await chooseChanges(ctx, moduleUid, choose)
    await writeModule(ctx, module, changes, { ...to, prepared, before })
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
  if (field === 'inSelfStudy' || field === 'comingSoon' || field === 'showsTerms') {
    return now[field] ? 'It is now checked.' : 'It is now unchecked.'
  }
  const text = await textOfField(ctx, field, now)
  return text ? `It is now “${text}”.` : 'It is empty now.'
}

async function textOfField(
  ctx: Ctx,
  field: Exclude<ModuleField, 'coverImg' | 'cmi5Zip' | 'inSelfStudy' | 'comingSoon' | 'showsTerms'>,
  now: ModuleState,
): Promise<string | null> {
  if (field === 'accessPlanUids') return (await planNamesOf(ctx, now.accessPlanUids)).join(', ')
  if (field === 'chapterUid') return now.chapterUid && chapterNameOf(ctx, now.chapterUid)
  if (field === 'tags') return now.tags.join(', ')
  if (field === 'durationMinutes') return now.durationMinutes === null ? null : `${now.durationMinutes} min`
  return now[field]
}
