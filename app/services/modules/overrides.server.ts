/**
 * What authors set for a unit instead of what its package says: masteryScore, moveOn and launchParameters (cmi5 10.2.3 to 10.2.5). Kept by
 * module and publisher id, so that it stays when the next version comes. It holds for launches from then on; what is open goes on as it was
 * launched, and roll-up counts by that.
 *
 * Two people may change one unit. As with the module's form, a save names the module's revision that its form was made from, and what both
 * changed is given back to the second one (`UnitRulesChanged`).
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import { moveOnWords, type UnitOverride, unitOverrideForm } from '~/forms/unit-override.ts'
import type { LangText } from '~/lib/language.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { type FieldErrors, Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import type { LaunchMethod, MoveOn } from '../packages/structure.ts'
import { listChangesSince } from './edit-state.server.ts'
import { lockModuleToEdit } from './modules.server.ts'
import { raiseRevision } from './writes.server.ts'

type Rules = { masteryScore: number | null; moveOn: MoveOn; launchParameters: string | null }

export type UnitRules = {
  uid: string
  index: number
  title: LangText
  launchMethod: LaunchMethod
  /** As the package has it. */
  inPackage: Rules
  /** What is set instead; null for what is not. */
  override: UnitOverride
}

export type VersionRules = {
  moduleUid: string
  moduleName: string
  /** The version whose units these are; null where no package was read yet. */
  version: number | null
  /** Those that can be asked for, newest first. */
  versions: { version: number; isPublished: boolean }[]
  units: UnitRules[]
}

/** Of the version with this number, else of the newest that was read. For admins and authors. */
export async function getUnitRules(
  ctx: Ctx,
  input: { moduleUid: string; version?: number | null },
): Promise<VersionRules> {
  requireStaff(ctx)
  const versions = isUid(input.moduleUid) ? await selectVersions(ctx, input.moduleUid) : []
  const [first] = versions
  if (!first) throw new NotFound()
  const ready = versions.filter(({ status }) => status === 'parsed')
  const chosen = input.version ? ready.find(({ version }) => version === input.version) : ready[0]
  if (input.version && !chosen) throw new NotFound()
  return {
    moduleUid: first.moduleUid,
    moduleName: first.moduleName,
    version: chosen?.version ?? null,
    versions: ready.map(({ version, isPublished }) => ({ version: version as number, isPublished })),
    units: chosen?.packageId
      ? (await unitsOf(ctx).where('u.package_id', '=', chosen.packageId).execute()).map(toUnit)
      : [],
  }
}

type Field = keyof UnitOverride

/** The rules that somebody else changed since the form was opened, with what they are now. */
export class UnitRulesChanged extends Invalid {
  readonly override: UnitOverride
  readonly revision: number
  /** Those that the sender has not touched: the form takes them over. */
  readonly theirs: Field[]
  constructor(fieldErrors: FieldErrors, now: { override: UnitOverride; revision: number; theirs: Field[] }) {
    super(
      'Somebody else changed the rules of this unit while you were editing them. What you typed is still here.',
      fieldErrors,
      'unit_rules.changed',
    )
    this.override = now.override
    this.revision = now.revision
    this.theirs = now.theirs
  }
}

/** One of them, for its form, which is sent back with the revision. */
export async function getUnitRule(
  ctx: Ctx,
  input: { moduleUid: string; unitUid: string },
): Promise<UnitRules & { moduleUid: string; moduleName: string; version: number; revision: number }> {
  requireStaff(ctx)
  const row =
    isUid(input.moduleUid) && isUid(input.unitUid)
      ? await unitsOf(ctx)
          .innerJoin('modules as m', 'm.id', 'v.module_id')
          .select(['m.uid as moduleUid', 'm.name as moduleName', 'm.revision', 'v.version'])
          .where('u.uid', '=', input.unitUid)
          .where('m.uid', '=', input.moduleUid)
          .where('m.site_id', '=', ctx.site.id)
          .where('m.deleted_at', 'is', null)
          .executeTakeFirst()
      : undefined
  if (!row) throw new NotFound()
  const { moduleUid, moduleName, version, revision } = row
  return { ...toUnit(row), moduleUid, moduleName, version, revision }
}

/** `keptOfOthers`: what somebody else changed meanwhile and this form did not. */
export type SavedOverride = { isChanged: boolean; keptOfOthers: Field[] }

/**
 * Saves the form, which holds all three: what is empty is as the package has it. Throws UnitRulesChanged when somebody else has changed a
 * rule that this form changes too.
 */
export async function setUnitOverride(
  ctx: Ctx,
  input: z.input<typeof unitOverrideForm> & { moduleUid: string; unitUid: string; revision: number },
): Promise<SavedOverride> {
  const { moduleUid, unitUid, revision, ...values } = input
  const known = await getUnitRule(ctx, { moduleUid, unitUid })
  const form = parseInput(unitOverrideForm, values)
  return inTransaction(ctx, async (ctx) => {
    const module = await lockModuleToEdit(ctx, known.moduleUid)
    const now = await getUnitRule(ctx, { moduleUid, unitUid })
    const { override: before } = now
    const base = await readOverrideAt(ctx, module, now, revision)
    // Too long ago to tell who changed what: everything that differs is asked about.
    const mine = fieldsThatDiffer(base?.override ?? before, form)
    const theirs = base ? fieldsThatDiffer(base.override, before) : mine
    const both = theirs.filter((name) => mine.includes(name) && form[name] !== before[name])
    const keptOfOthers = theirs.filter((name) => !mine.includes(name))
    if (both.length > 0)
      throw new UnitRulesChanged(tell(both, before, base?.changedBy), { ...now, theirs: keptOfOthers })
    const after = { ...before, ...Object.fromEntries(mine.map((name) => [name, form[name]])) }
    const changed = fieldsThatDiffer(before, after)
    if (changed.length === 0) return { isChanged: false, keptOfOthers }
    await save(ctx, { moduleId: module.id, unitUid, override: after })
    const only = (values: UnitOverride) => Object.fromEntries(changed.map((name) => [name, values[name]]))
    await recordAudit(ctx, {
      action: 'module.unit_overridden',
      entity: 'module',
      entityUid: module.uid,
      before: only(before),
      after: { unitUid: known.uid, ...only(after), revision: await raiseRevision(ctx, module.id) },
    })
    return { isChanged: true, keptOfOthers }
  })
}

function fieldsThatDiffer(one: UnitOverride, other: UnitOverride): Field[] {
  return (Object.keys(one) as Field[]).filter((name) => one[name] !== other[name])
}

/** What was set at an earlier revision; null when that is too long ago to be known. In other versions the unit has other uids. */
async function readOverrideAt(
  ctx: Ctx,
  module: { id: number; uid: string },
  now: { uid: string; override: UnitOverride; revision: number },
  revision: number,
): Promise<{ override: UnitOverride; changedBy: Map<Field, string> } | null> {
  const changes = await listChangesSince(ctx, module, now, revision)
  if (!changes) return null
  const uids = changes.length > 0 ? await uidsOfUnit(ctx, module.id, now.uid) : []
  const changedBy = new Map<Field, string>()
  let override = now.override
  for (const { action, before, after, actorName } of changes) {
    const { unitUid } = (after ?? {}) as { unitUid?: string }
    if (action !== 'module.unit_overridden' || unitUid === undefined || !uids.includes(unitUid)) continue
    const earlier = before as Partial<UnitOverride>
    override = { ...override, ...earlier }
    // Newest first: the last who changed a rule is named.
    for (const name of Object.keys(earlier) as Field[]) if (!changedBy.has(name)) changedBy.set(name, actorName)
  }
  return { override, changedBy }
}

async function uidsOfUnit(ctx: Ctx, moduleId: number, unitUid: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('cmi5_units as u')
    .innerJoin('cmi5_packages as p', 'p.id', 'u.package_id')
    .innerJoin('module_versions as v', 'v.id', 'p.module_version_id')
    .innerJoin('cmi5_units as asked', 'asked.publisher_id', 'u.publisher_id')
    .select('u.uid')
    .where('v.module_id', '=', moduleId)
    .where('asked.uid', '=', unitUid)
    .execute()
  return rows.map(({ uid }) => uid)
}

/** One sentence for each rule that both changed: who, and what is there now. */
function tell(fields: Field[], now: UnitOverride, changedBy: Map<Field, string> | undefined): FieldErrors {
  const errors: FieldErrors = {}
  for (const field of fields) {
    const who = changedBy?.get(field) ?? 'Somebody'
    errors[field] = `${who} changed this while you were editing. ${nowIs(field, now)} Save again to use yours.`
  }
  return errors
}

/** Launch parameters may be thousands of characters. */
const longestQuote = 250

function nowIs(field: Field, now: UnitOverride): string {
  const text = field === 'moveOn' ? now.moveOn && moveOnWords[now.moveOn] : now[field]
  if (text === null) return 'It is as in the package now.'
  const characters = [...String(text)]
  if (characters.length <= longestQuote) return `It is now “${text}”.`
  return `It now begins with “${characters.slice(0, longestQuote).join('')}…”.`
}

async function save(ctx: Ctx, input: { moduleId: number; unitUid: string; override: UnitOverride }): Promise<void> {
  const { masteryScore, moveOn, launchParameters } = input.override
  const values = {
    mastery_score: masteryScore,
    move_on: moveOn,
    launch_parameters: launchParameters,
    updated_at: ctx.now,
  }
  const { publisher_id } = await ctx.db
    .selectFrom('cmi5_units')
    .select('publisher_id')
    .where('uid', '=', input.unitUid)
    .executeTakeFirstOrThrow()
  if (masteryScore === null && moveOn === null && launchParameters === null) {
    await ctx.db
      .deleteFrom('unit_overrides')
      .where('module_id', '=', input.moduleId)
      .where('publisher_id', '=', publisher_id)
      .execute()
    return
  }
  await ctx.db
    .insertInto('unit_overrides')
    .values({ module_id: input.moduleId, publisher_id, ...values })
    .onConflict((oc) => oc.columns(['module_id', 'publisher_id']).doUpdateSet(values))
    .execute()
}

function selectVersions(ctx: Ctx, moduleUid: string) {
  return ctx.db
    .selectFrom('modules as m')
    .leftJoin('module_versions as v', 'v.module_id', 'm.id')
    .leftJoin('cmi5_packages as p', 'p.module_version_id', 'v.id')
    .select(['m.uid as moduleUid', 'm.name as moduleName', 'v.version', 'p.id as packageId', 'p.status'])
    .select(sql<boolean>`m.published_version_id is not distinct from v.id`.as('isPublished'))
    .where('m.uid', '=', moduleUid)
    .where('m.site_id', '=', ctx.site.id)
    .where('m.deleted_at', 'is', null)
    .orderBy('v.version', 'desc')
    .execute()
}

function unitsOf(ctx: Ctx) {
  return ctx.db
    .selectFrom('cmi5_units as u')
    .innerJoin('cmi5_packages as p', 'p.id', 'u.package_id')
    .innerJoin('module_versions as v', 'v.id', 'p.module_version_id')
    .leftJoin('unit_overrides as o', (join) =>
      join.onRef('o.module_id', '=', 'v.module_id').onRef('o.publisher_id', '=', 'u.publisher_id'),
    )
    .select(['u.uid', 'u.position as index', 'u.title', 'u.launch_method as launchMethod'])
    .select(['u.mastery_score as masteryScore', 'u.move_on as moveOn', 'u.launch_parameters as launchParameters'])
    .select(['o.mastery_score as ownScore', 'o.move_on as ownMoveOn', 'o.launch_parameters as ownParameters'])
    .where('p.status', '=', 'parsed')
    .orderBy('u.position')
}

type UnitRow = Awaited<ReturnType<ReturnType<typeof unitsOf>['execute']>>[number]

function toUnit(row: UnitRow): UnitRules {
  return {
    uid: row.uid,
    index: row.index,
    title: row.title as LangText,
    launchMethod: row.launchMethod as LaunchMethod,
    inPackage: {
      masteryScore: row.masteryScore,
      moveOn: row.moveOn as MoveOn,
      launchParameters: row.launchParameters,
    },
    override: {
      masteryScore: row.ownScore,
      moveOn: row.ownMoveOn as MoveOn | null,
      launchParameters: row.ownParameters,
    },
  }
}
