import { randomUUID } from 'node:crypto'
import { searchKey } from '~/lib/text.ts'
import {
  fetchToken,
  findUnitSession,
  launchUnit,
  recordAuStatements,
  type UnitSession,
} from '~/services/cmi5/cmi5.server.ts'
import type { LaunchData } from '~/services/cmi5/launch-data.ts'
import { fetchSecretOf } from '~/services/cmi5/secrets.server.ts'
import type { Ctx } from '~/services/context.ts'
import { activityIri } from '~/services/packages/iris.ts'
import { getInstallationValue } from '~/services/sites/sites.server.ts'
import type { Database } from '~db/client.server.ts'
import { planOf } from './context.ts'

/** Writes modules with a parsed package straight into the tables, as the parser would. */
export type UnitSpec = {
  id?: string
  block?: string
  moveOn?: string
  masteryScore?: number
  launchParameters?: string
  launchMethod?: string
  entitlementKey?: string
  url?: string
}

export type ModuleSpec = {
  name?: string
  units?: UnitSpec[]
  /** The blocks by id, each with the id of its parent. */
  blocks?: { id: string; parent?: string }[]
  isPublished?: boolean
  comingSoon?: boolean
  plan?: string | null
}

export type TestModule = {
  id: number
  uid: string
  versionUid: string
  versionId: number
  units: { id: number; uid: string; iri: string; publisherId: string }[]
}

let modules = 0

export async function aModule(ctx: Ctx, spec: ModuleSpec = {}): Promise<TestModule> {
  const name = spec.name ?? `Module ${++modules} ${randomUUID().slice(0, 8)}`
  const module = await ctx.db
    .insertInto('modules')
    .values({
      site_id: ctx.site.id,
      name,
      name_key: name.toLowerCase(),
      search_key: searchKey(name),
      coming_soon: spec.comingSoon ?? false,
    })
    .returning(['id', 'uid'])
    .executeTakeFirstOrThrow()
  if (spec.plan !== null) {
    const plan = await planOf(ctx.db, ctx.site.id, spec.plan ?? 'Full Access')
    await ctx.db
      .insertInto('module_access_plans')
      .values({ site_id: ctx.site.id, module_id: module.id, access_plan_id: plan })
      .execute()
  }
  const version = await aModuleVersion(ctx, module, spec)
  return { ...module, ...version }
}

/** Another version of a module; published by default. */
export async function aModuleVersion(
  ctx: Ctx,
  module: { id: number; uid: string },
  spec: ModuleSpec = {},
): Promise<Pick<TestModule, 'versionUid' | 'versionId' | 'units'>> {
  const { count } = await ctx.db
    .selectFrom('module_versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('module_id', '=', module.id)
    .executeTakeFirstOrThrow()
  const isPublished = spec.isPublished ?? true
  const version = await ctx.db
    .insertInto('module_versions')
    .values({ module_id: module.id, version: count + 1, published_at: isPublished ? ctx.now : null })
    .returning(['id', 'uid'])
    .executeTakeFirstOrThrow()
  await ctx.db
    .updateTable('modules')
    .set({ latest_version_id: version.id, ...(isPublished && { published_version_id: version.id }) })
    .where('id', '=', module.id)
    .execute()
  return { versionId: version.id, versionUid: version.uid, units: await aPackage(ctx.db, module.uid, version.id, spec) }
}

async function aPackage(db: Database, moduleUid: string, versionId: number, spec: ModuleSpec) {
  const base = await getInstallationValue(db, 'iri_base')
  const text = (value: string) => JSON.stringify({ en: value })
  const pkg = await db
    .insertInto('cmi5_packages')
    .values({
      module_version_id: versionId,
      status: 'parsed',
      publisher_id: 'https://publisher.example/course',
      title: text('Course'),
      description: text('A course'),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const blockIds = new Map<string, number>()
  for (const [position, { id, parent }] of (spec.blocks ?? []).entries()) {
    const publisherId = `https://publisher.example/block/${id}`
    const block = await db
      .insertInto('cmi5_blocks')
      .values({
        package_id: pkg.id,
        parent_id: parent ? (blockIds.get(parent) as number) : null,
        publisher_id: publisherId,
        iri: activityIri(base, moduleUid, publisherId),
        title: text(id),
        description: text(id),
        position,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    blockIds.set(id, block.id)
  }
  const units = []
  for (const [position, unit] of (spec.units ?? [{}]).entries()) {
    const publisherId = `https://publisher.example/au/${unit.id ?? position + 1}`
    const row = await db
      .insertInto('cmi5_units')
      .values({
        package_id: pkg.id,
        block_id: unit.block ? (blockIds.get(unit.block) as number) : null,
        publisher_id: publisherId,
        iri: activityIri(base, moduleUid, publisherId),
        title: text(`Unit ${position + 1}`),
        description: text('A unit'),
        position,
        url: unit.url ?? `unit${position + 1}/index.html?paramA=1#start`,
        launch_method: unit.launchMethod ?? 'AnyWindow',
        move_on: unit.moveOn ?? 'Completed',
        mastery_score: unit.masteryScore ?? null,
        launch_parameters: unit.launchParameters ?? null,
        entitlement_key: unit.entitlementKey ?? null,
      })
      .returning(['id', 'uid', 'iri', 'publisher_id as publisherId'])
      .executeTakeFirstOrThrow()
    units.push(row)
  }
  return units
}

export type Launched = { uid: string; token: string; session: UnitSession }

/** Launches as the viewer of `ctx` and fetches the token, like the first two requests of a unit. */
export async function launchAndFetch(ctx: Ctx, input: Parameters<typeof launchUnit>[1]): Promise<Launched> {
  const { auLaunchSessionUid: uid } = await launchUnit(ctx, input)
  const answer = await fetchToken(ctx, { secret: await fetchSecretOf(ctx.db, uid) })
  if (!('token' in answer)) throw new Error(answer.errorText)
  const session = await findUnitSession(ctx, { token: answer.token })
  if (!session) throw new Error('No session has this token')
  return { uid, token: answer.token, session }
}

type Options = {
  id?: string
  at?: string
  score?: object
  progress?: number
  result?: object
  context?: object
  extensions?: object
  object?: object
}

const verbIri = (verb: string) => `http://adlnet.gov/expapi/verbs/${verb}`
export const category = (name: 'cmi5' | 'moveon') => ({ id: `https://w3id.org/xapi/cmi5/context/categories/${name}` })
export const masteryKey = 'https://w3id.org/xapi/cmi5/context/extensions/masteryscore'
export const progressKey = 'https://w3id.org/xapi/cmi5/result/extensions/progress'

let ticks = 0

/** A statement for this verb that obeys every rule. `options` override its parts. */
export function statementOf(session: UnitSession, verb: string, options: Options = {}) {
  const { contextTemplate, masteryScore } = session.launchData as LaunchData
  const isJudged = verb === 'passed' || verb === 'failed'
  const movesOn = isJudged || verb === 'completed'
  const isDefined = movesOn || verb === 'initialized' || verb === 'terminated'
  const needsMastery = isJudged && options.score !== undefined && masteryScore !== undefined
  return {
    id: options.id ?? randomUUID(),
    actor: session.actor,
    verb: { id: verbIri(verb), display: { en: verb } },
    object: options.object ?? { objectType: 'Activity', id: session.unitIri },
    ...((movesOn || verb === 'terminated' || options.result || options.progress !== undefined) && {
      result: {
        ...((movesOn || verb === 'terminated') && { duration: 'PT10S' }),
        ...(isJudged && { success: verb === 'passed' }),
        ...(verb === 'completed' && { completion: true }),
        ...(options.score && { score: options.score }),
        ...(options.progress !== undefined && { extensions: { [progressKey]: options.progress } }),
        ...options.result,
      },
    }),
    context: {
      registration: session.registrationUid,
      contextActivities: {
        grouping: contextTemplate.contextActivities?.grouping ?? [],
        ...(isDefined && { category: [category('cmi5'), ...(movesOn ? [category('moveon')] : [])] }),
      },
      extensions: {
        ...contextTemplate.extensions,
        ...(needsMastery && { [masteryKey]: masteryScore }),
        ...options.extensions,
      },
      ...options.context,
    },
    timestamp: options.at ?? new Date(Date.now() + ticks++).toISOString(),
  }
}

export async function send(ctx: Ctx, session: UnitSession, statements: unknown): Promise<string[]> {
  return recordAuStatements({ ...ctx, viewer: null, site: session.site }, { session, statements, version: '1.0.3' })
}

/** A complete visit: initialized, then the given verbs, then terminated. */
export async function visit(
  ctx: Ctx,
  input: Parameters<typeof launchUnit>[1],
  ...verbs: (string | [string, Options])[]
): Promise<Launched> {
  const launched = await launchAndFetch(ctx, input)
  for (const one of ['initialized', ...verbs, 'terminated']) {
    const [verb, options] = Array.isArray(one) ? one : [one, {}]
    await send(ctx, launched.session, statementOf(launched.session, verb, options))
  }
  return launched
}

/** All statements of a registration in stored order: short verb and object. */
export async function storyOf(db: Database, registrationUid: string) {
  const rows = await db
    .selectFrom('xapi_statements')
    .select(['seq', 'body'])
    .where('registration', '=', registrationUid)
    .orderBy('seq')
    .execute()
  return rows.map((row) => {
    const body = JSON.parse(row.body)
    return { seq: row.seq, verb: body.verb.id.split('/').at(-1) as string, object: body.object.id as string, body }
  })
}
