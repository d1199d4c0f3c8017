/**
 * Creating and changing modules. What is attached (cover, package) was uploaded and checked before; here everything is one transaction
 * that also writes the audit log and queues what reads the package.
 *
 * Two people may have one module open. A save names the revision that its form was made from: fields that only one of them changed are
 * kept both, and a field that both changed is given back to the second one, who is told what it is now (`ModuleChanged`).
 */
import type { z } from 'zod'
import {
  type ModuleField,
  type ModuleStatus,
  type ModuleValues,
  moduleChanges,
  moduleFieldLabels,
  moduleForm,
  moduleStatus,
} from '~/forms/modules.ts'
import { caseKey } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireActor, requireStaff } from '../context.ts'
import { type FieldErrors, Invalid, NotFound } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import {
  changedFields,
  type ModuleState,
  pick,
  readModuleState,
  readModuleStateAt,
  type StateRow,
} from './edit-state.server.ts'
import { comingSoon, getModule, lockModuleToEdit, type Module } from './modules.server.ts'
import { chapterNameOf, type LockedModule, lockModuleOfSite, planNamesOf } from './queries.server.ts'
import { prepareFiles, writeModule } from './write-module.server.ts'
import { insertModule } from './writes.server.ts'

export type NewModule = z.input<typeof moduleForm> & { status?: ModuleStatus | null; uid?: string }
export type ModuleUpdate = z.input<typeof moduleChanges> & { moduleUid: string; status?: ModuleStatus | null }

/** The fields that somebody else changed since the form was opened, with what is there now. */
export class ModuleChanged extends Invalid {
  readonly state: ModuleState
  readonly revision: number
  /** Those that the sender has not touched: the form takes them over. */
  readonly theirs: ModuleField[]
  constructor(fieldErrors: FieldErrors, now: { state: ModuleState; revision: number; theirs: ModuleField[] }) {
    super(
      'Somebody else changed this module while you were editing it. What you typed is still here.',
      fieldErrors,
      'module.changed',
    )
    this.state = now.state
    this.revision = now.revision
    this.theirs = now.theirs
  }
}

/** For admins and authors. With a `uid` made by the client, a request that is sent twice makes one module. */
export async function createModule(ctx: Ctx, input: NewModule): Promise<Module> {
  requireStaff(ctx, 'write')
  const values = parseInput(moduleForm, input)
  const status = parseStatus(input.status)
  const uid = newUid(input.uid)
  if (status === 'published' && values.comingSoon) throw comingSoon()
  const prepared = await prepareFiles(ctx, values)
  return inTransaction(ctx, async (ctx) => {
    const isNew = await insertModule(ctx, { uid, ...texts(values) })
    const module = await lockModuleOfSite(ctx, uid)
    // The uid is taken by a module of another site, or a deleted one.
    if (!module) throw new NotFound()
    if (isNew) await writeModule(ctx, module, values, { prepared, status, action: 'module.created' })
    return getModule(ctx, { moduleUid: uid })
  })
}

/** Changes the fields that are named and nothing else; `status` publishes or unpublishes. */
export async function updateModule(ctx: Ctx, input: ModuleUpdate): Promise<Module> {
  requireActor(ctx, 'write')
  const changes = parseInput(moduleChanges, input)
  const status = parseStatus(input.status)
  return change(ctx, input.moduleUid, { status }, async (now) => pickGiven(changes, now.state))
}

/** `keptOfOthers`: what somebody else changed meanwhile and this form did not. */
export type SavedModule = { module: Module; keptOfOthers: ModuleField[] }

/**
 * Saves the dialog's form, which holds all fields and the revision that they were read at. Throws ModuleChanged when somebody else has
 * changed a field that this form changes too.
 */
export async function saveModule(
  ctx: Ctx,
  input: z.input<typeof moduleForm> & { moduleUid: string; revision: number },
): Promise<SavedModule> {
  requireActor(ctx, 'write')
  const values = parseInput(moduleForm, input)
  let keptOfOthers: ModuleField[] = []
  const module = await change(ctx, input.moduleUid, {}, async (now, locked, ctx) => {
    const base = await readModuleStateAt(ctx, locked, now, input.revision)
    // Too long ago to tell who changed what: everything that differs is asked about.
    const mine = changedFields(base?.state ?? now.state, values)
    const theirs = base ? changedFields(base.state, now.state) : mine
    const both = theirs.filter(
      (field) => mine.includes(field) && changedFields(now.state, pick(values, [field])).length,
    )
    keptOfOthers = theirs.filter((field) => !mine.includes(field))
    if (both.length > 0) {
      const told = await tell(ctx, both, now.state, base?.changedBy)
      throw new ModuleChanged(told, { ...now, theirs: keptOfOthers })
    }
    return pick(values, mine)
  })
  return { module, keptOfOthers }
}

/** Whether the form holds what is stored: a module is previewed and published as it was saved. */
export async function isModuleSaved(
  ctx: Ctx,
  input: z.input<typeof moduleForm> & { moduleUid: string },
): Promise<boolean> {
  const { state } = await getModuleToEdit(ctx, input)
  const values = moduleForm.safeParse(input)
  return values.success && changedFields(state, values.data).length === 0
}

export type ModuleToEdit = { module: Module; state: ModuleState; revision: number }

/** For the dialog: the form's values as stored, and the revision to send back with them. */
export async function getModuleToEdit(ctx: Ctx, input: { moduleUid: string }): Promise<ModuleToEdit> {
  requireActor(ctx)
  const module = await getModule(ctx, input)
  requireStaff(ctx)
  return { module, ...(await readModuleState(ctx, input.moduleUid)) }
}

/** Which fields are to be what, given what they are now. Asked twice: to prepare files, and again under the lock. */
type Choose = (now: StateRow, module: LockedModule, ctx: Ctx) => Promise<Partial<ModuleState>>

async function change(ctx: Ctx, moduleUid: string, wish: { status?: ModuleStatus }, choose: Choose): Promise<Module> {
  // Pictures are made before the transaction, without holding the lock.
  const wanted = await inTransaction(ctx, (ctx) => changesOf(ctx, moduleUid, choose))
  const prepared = await prepareFiles(ctx, wanted.changes)
  return inTransaction(ctx, async (ctx) => {
    const { module, changes, before } = await changesOf(ctx, moduleUid, choose)
    await writeModule(ctx, module, changes, { prepared, status: wish.status, before })
    return getModule(ctx, { moduleUid })
  })
}

async function changesOf(ctx: Ctx, moduleUid: string, choose: Choose) {
  const module = await lockModuleToEdit(ctx, moduleUid)
  const now = await readModuleState(ctx, module.uid)
  const chosen = await choose(now, module, ctx)
  // A package may be replaced; taken away it stays with its version, for those who are in it.
  if (chosen.cmi5Zip === null) delete chosen.cmi5Zip
  return { module, changes: pick(chosen, changedFields(now.state, chosen)), before: now.state }
}

function texts(values: ModuleValues) {
  const { name, description, inSelfStudy } = values
  return { name, nameKey: caseKey(name), description, inSelfStudy }
}

function parseStatus(status: unknown): ModuleStatus | undefined {
  if (status === undefined || status === null) return undefined
  const parsed = moduleStatus.safeParse(status)
  if (!parsed.success)
    throw new Invalid('The status is draft or published', { status: 'The status is draft or published' })
  return parsed.data
}

/** What a program gave, without what it left out. A package may be replaced and never taken away. */
async function pickGiven(changes: Partial<ModuleState>, state: ModuleState): Promise<Partial<ModuleState>> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const isReady = (given.comingSoon ?? state.comingSoon) || (given.cmi5Zip ?? state.cmi5Zip) !== null
  const message = 'Please upload a CMI5 zip file'
  if (!isReady) throw new Invalid(message, { cmi5Zip: message })
  return given
}

/** One sentence for each field that both changed: who, and what is there now. */
async function tell(
  ctx: Ctx,
  fields: ModuleField[],
  now: ModuleState,
  changedBy: Map<ModuleField, string> | undefined,
): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  const plans = fields.includes('accessPlanUids') ? await planNamesOf(ctx, now.accessPlanUids) : []
  const chapter = fields.includes('chapterUid') && now.chapterUid ? await chapterNameOf(ctx, now.chapterUid) : null
  for (const field of fields) {
    const who = changedBy?.get(field) ?? 'Somebody'
    errors[field] =
      `${who} changed this while you were editing. ${nowIs(field, now, { plans, chapter })} Save again to use yours.`
  }
  return errors
}

function nowIs(field: ModuleField, now: ModuleState, names: { plans: string[]; chapter: string | null }): string {
  if (field === 'coverImg' || field === 'cmi5Zip')
    return `There is another ${moduleFieldLabels[field].toLowerCase()} now.`
  if (field === 'inSelfStudy' || field === 'comingSoon')
    return now[field] ? 'It is ticked now.' : 'It is not ticked now.'
  const value = { accessPlanUids: names.plans.join(', '), chapterUid: names.chapter, tags: now.tags.join(', ') }
  const text = field in value ? value[field as keyof typeof value] : now[field]
  return text ? `It is now “${text}”.` : 'It is empty now.'
}
