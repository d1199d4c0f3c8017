import { sql } from 'kysely'
import type { Database } from '~db/client.server.ts'
import type { LanguageMap } from '../xapi/xapi.server.ts'
import type { LaunchedAs } from './registration-state.ts'
import type { LaunchMethod, MoveOn } from './vocabulary.ts'

/** A unit of a parsed package, with the overrides of its module applied. Ids stay inside this domain. */
export type Unit = {
  id: number
  uid: string
  blockId: number | null
  publisherId: string
  iri: string
  title: LanguageMap
  description: LanguageMap
  position: number
  url: string
  launchMethod: LaunchMethod
  launchParameters: string | null
  masteryScore: number | null
  moveOn: MoveOn
  entitlementKey: string | null
  activityType: string | null
  /**
   * The values without overrides. Recorded for a unit that was never launched, because overrides may change at any
   * time.
   */
  inPackage: LaunchedAs
}

export type Block = {
  id: number
  parentId: number | null
  publisherId: string
  iri: string
  title: LanguageMap
  description: LanguageMap
  position: number
}

export type Package = {
  id: number
  versionId: number
  contentKey: string
  publisherId: string
  title: LanguageMap
  description: LanguageMap
  units: Unit[]
  blocks: Block[]
}

/** Reads the package of a version; null if it has no parsed package. Takes three queries for a package of any size. */
export async function findPackage(db: Database, versionId: number): Promise<Package | null> {
  const row = await db
    .selectFrom('cmi5_packages')
    .select(['id', 'content_key as contentKey', 'publisher_id as publisherId', 'title', 'description'])
    .where('module_version_id', '=', versionId)
    .where('status', '=', 'parsed')
    .executeTakeFirst()
  if (!row) return null
  const units = await selectUnits(db, row.id)
  const blocks = await selectBlocks(db, row.id)
  return {
    ...row,
    versionId,
    publisherId: row.publisherId ?? '',
    title: asLanguageMap(row.title),
    description: asLanguageMap(row.description),
    units,
    blocks,
  }
}

async function selectUnits(db: Database, packageId: number): Promise<Unit[]> {
  const rows = await db
    .selectFrom('cmi5_units as u')
    .innerJoin('cmi5_packages as p', 'p.id', 'u.package_id')
    .innerJoin('module_versions as v', 'v.id', 'p.module_version_id')
    .leftJoin('unit_overrides as o', (join) =>
      join.onRef('o.module_id', '=', 'v.module_id').onRef('o.publisher_id', '=', 'u.publisher_id'),
    )
    .select([
      'u.id',
      'u.uid',
      'u.block_id as blockId',
      'u.publisher_id as publisherId',
      'u.iri',
      'u.title',
      'u.description',
      'u.position',
      'u.url',
      'u.launch_method as launchMethod',
      'u.entitlement_key as entitlementKey',
      'u.activity_type as activityType',
      'u.launch_parameters as ownParameters',
      'u.mastery_score as ownScore',
      'u.move_on as ownMoveOn',
      sql<string | null>`coalesce(o.launch_parameters, u.launch_parameters)`.as('launchParameters'),
      sql<number | null>`coalesce(o.mastery_score, u.mastery_score)`.as('masteryScore'),
      sql<MoveOn>`coalesce(o.move_on, u.move_on)`.as('moveOn'),
    ])
    .where('u.package_id', '=', packageId)
    .orderBy('u.position')
    .execute()
  return rows.map(({ ownParameters, ownScore, ownMoveOn, ...row }) => ({
    ...row,
    inPackage: { moveOn: ownMoveOn as MoveOn, masteryScore: ownScore, launchParameters: ownParameters },
    title: asLanguageMap(row.title),
    description: asLanguageMap(row.description),
    launchMethod: row.launchMethod as LaunchMethod,
  }))
}

async function selectBlocks(db: Database, packageId: number): Promise<Block[]> {
  const rows = await db
    .selectFrom('cmi5_blocks')
    .select(['id', 'parent_id as parentId', 'publisher_id as publisherId', 'iri', 'title', 'description', 'position'])
    .where('package_id', '=', packageId)
    .orderBy('position')
    .execute()
  return rows.map((row) => ({ ...row, title: asLanguageMap(row.title), description: asLanguageMap(row.description) }))
}

function asLanguageMap(value: unknown): LanguageMap {
  return typeof value === 'object' && value !== null ? (value as LanguageMap) : {}
}
