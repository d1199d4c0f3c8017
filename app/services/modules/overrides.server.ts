/**
 * Rules that authors set for a unit in place of those of its package: masteryScore, moveOn and launchParameters (cmi5
 * 10.2.3 to 10.2.5). They are stored by module and publisher id, so that they also hold for the next version. They
 * apply to later launches. Sessions that are open keep the rules of their launch, and roll-up uses those. A change
 * raises the revision of the module.
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import { moveOnWords, type UnitOverride, unitOverrideForm } from '~/forms/unit-override.ts'
import type { LangText } from '~/lib/language.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import type { LaunchMethod, MoveOn } from '../packages/structure.ts'
import { changedFields, mergeSave, pickFields } from '../revisions.ts'
import { lockModuleToEdit } from './modules.server.ts'
import { recordFormChange } from './write-module.server.ts'

type Rules = { masteryScore: number | null; moveOn: MoveOn; launchParameters: string | null }

export type UnitRules = {
  uid: string
  index: number
  title: LangText
  launchMethod: LaunchMethod
  /** The rules of the package. */
  inPackage: Rules
  /** The rules that are set instead; null where the package's rule holds. */
  override: UnitOverride
}

type VersionRules = {
  moduleUid: string
  moduleName: string
  /** The version that these units belong to; null if no package has been read yet. */
  version: number | null
  /** The versions that can be chosen, newest first. */
  versions: { version: number; isPublished: boolean }[]
  units: UnitRules[]
}

/**
 * Returns the rules of the units of the given version, or else of the latest version whose package was read. For admins
 * and authors.
 */
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

/** Returns the rules of one unit for its form, with the revision that the form sends back. */
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

/** `keptOfOthers`: the fields that somebody else changed meanwhile and this form did not. */
type SavedOverride = { isChanged: boolean; keptOfOthers: Field[] }

/**
 * Saves the form, which holds all three rules. An empty field means the package's rule. Throws ChangedMeanwhile if
 * somebody else has changed a rule that this form changes too.
 */
export async function setUnitOverride(
  ctx: Ctx,
  input: z.input<typeof unitOverrideForm> & { moduleUid: string; unitUid: string; revision: number },
): Promise<SavedOverride> {
  const { moduleUid, unitUid, revision, ...values } = input
  const known = await getUnitRule(ctx, { moduleUid, unitUid })
  const mine = parseInput(unitOverrideForm, values)
  return inTransaction(ctx, async (ctx) => {
    const module = await lockModuleToEdit(ctx, known.moduleUid)
    const unit = await getUnitRule(ctx, { moduleUid, unitUid })
    const before = unit.override
    // The same unit has another uid in each version of the module.
    const uids = revision === unit.revision ? [] : await uidsOfUnit(ctx, module.id, unit.uid)
    const { changes, keptOfOthers } = await mergeSave<UnitOverride>(ctx, {
      entity: 'module',
      entityUid: module.uid,
      subject: 'the rules of this unit',
      now: { state: before, revision: unit.revision },
      revision,
      mine,
      isAbout: sql`action = ${overridden} and after ->> 'unitUid' = any(${uids}::text[])`,
      describe: describeRule,
    })
    const changed = changedFields(before, changes)
    if (changed.length === 0) return { isChanged: false, keptOfOthers }
    const after = { ...before, ...changes }
    await save(ctx, { moduleId: module.id, unitUid, override: after })
    await recordFormChange(ctx, module, {
      action: overridden,
      before: pickFields(before, changed),
      after: { unitUid: known.uid, ...pickFields(after, changed) },
    })
    return { isChanged: true, keptOfOthers }
  })
}

const overridden = 'module.unit_overridden'

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

/** How many characters of launch parameters a message quotes; they can be thousands of characters long. */
const maxQuote = 250

/** Tells a person whose form has another value what the rule is now. */
function describeRule(field: Field, now: UnitOverride): string {
  const text = field === 'moveOn' ? now.moveOn && moveOnWords[now.moveOn] : now[field]
  if (text === null) return 'It is as in the package now.'
  const characters = [...String(text)]
  if (characters.length <= maxQuote) return `It is now “${text}”.`
  return `It now begins with “${characters.slice(0, maxQuote).join('')}…”.`
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
