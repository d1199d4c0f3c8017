/** SQL of the packages domain: cmi5_packages, cmi5_objectives, cmi5_blocks, cmi5_units. Ids stay inside this file. */
import { type RawBuilder, sql } from 'kysely'
import type { LangText } from '~/lib/language.ts'
import type { Database } from '~db/client.server.ts'
import { activityIri } from './iris.ts'
import { messageOf } from './limits.ts'
import type { PackageContent } from './package-text.server.ts'
import type { CourseStructure } from './structure.ts'

export type PackageStatus = 'uploaded' | 'processing' | 'parsed' | 'error'

export type PackageState = { uid: string; status: PackageStatus; lastMsg: string | null }

/** What the parser needs. The content key also shows whether the zip has been replaced in the meantime. */
export type PackageWork = {
  uid: string
  contentKey: string
  moduleUid: string
  siteId: number
  zipKey: string
  fileName: string
}

/**
 * SQL version of `otherProgramOf`, for conditions in queries; a test compares the two. Raw SQL, because the query
 * builder has no regular expressions.
 */
export function isForOtherProgram(url: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(url)} ~* '^[a-z][a-z0-9+.-]*:' and ${sql.ref(url)} !~* '^https?:')`
}

/**
 * SQL for how long a module takes, where `package` is the package of the version in question: the author's figure, or
 * else the estimate; null if neither is known.
 */
export const moduleMinutes = sql<
  number | null
>`coalesce(modules.duration_minutes, nullif(package.estimated_minutes, 0))`

/** SQL for the titles of the blocks that a unit is in, outermost first. `blockId` is the column of the unit. */
export function blockTitles(blockId: string): RawBuilder<LangText[]> {
  return sql<LangText[]>`coalesce((
    with recursive above as (
      select id, parent_id, title, 1 as height from cmi5_blocks where id = ${sql.ref(blockId)}
      union all
      select block.id, block.parent_id, block.title, above.height + 1
      from cmi5_blocks block join above on block.id = above.parent_id)
    select json_agg(title order by height desc) from above), '[]')`
}

export async function findPackageState(db: Database, packageUid: string): Promise<PackageState | undefined> {
  const row = await db
    .selectFrom('cmi5_packages')
    .select(['uid', 'status', 'last_msg as lastMsg'])
    .where('uid', '=', packageUid)
    .executeTakeFirst()
  return row && { ...row, status: row.status as PackageStatus }
}

/**
 * Records the package of a version. Only a failed package is replaced by the next zip, under a new content key, because
 * content addresses are immutable.
 */
export async function insertOrReplacePackage(
  db: Database,
  input: { moduleVersionUid: string; zipFileUid: string },
): Promise<{ uid: string } | undefined> {
  return await db
    .insertInto('cmi5_packages')
    .columns(['module_version_id', 'zip_file_id', 'status'])
    .expression((eb) =>
      eb
        .selectFrom(['module_versions', 'stored_files'])
        .select(['module_versions.id', 'stored_files.id as zip_file_id', sql.lit('uploaded').as('status')])
        .where('module_versions.uid', '=', input.moduleVersionUid)
        .where('stored_files.uid', '=', input.zipFileUid),
    )
    .onConflict((oc) =>
      oc
        .column('module_version_id')
        .doUpdateSet((eb) => ({
          zip_file_id: eb.ref('excluded.zip_file_id'),
          status: 'uploaded',
          last_msg: null,
          content_key: sql<string>`gen_random_uuid()`,
          updated_at: sql<Date>`now()`,
        }))
        .where('cmi5_packages.status', '=', 'error'),
    )
    .returning('uid')
    .executeTakeFirst()
}

export async function listStuckPackages(db: Database, before: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('cmi5_packages')
    .select('uid')
    .where('status', 'in', ['uploaded', 'processing'])
    .where('updated_at', '<', before)
    .orderBy('id')
    .limit(100)
    .execute()
  return rows.map((row) => row.uid)
}

/** Marks the package as being processed. Returns undefined if it is already parsed or failed. */
export async function claimPackage(db: Database, packageUid: string): Promise<PackageWork | undefined> {
  return await db
    .updateTable('cmi5_packages as p')
    .from('module_versions as v')
    .innerJoin('modules as m', 'm.id', 'v.module_id')
    .innerJoin('stored_files as f', (join) => join.onTrue())
    .set({ status: 'processing', updated_at: sql<Date>`now()` })
    .whereRef('v.id', '=', 'p.module_version_id')
    .whereRef('f.id', '=', 'p.zip_file_id')
    .where('p.uid', '=', packageUid)
    .where('p.status', 'in', ['uploaded', 'processing'])
    .returning([
      'p.uid',
      'p.content_key as contentKey',
      'm.uid as moduleUid',
      'm.site_id as siteId',
      'f.storage_key as zipKey',
      'f.original_file_name as fileName',
    ])
    .executeTakeFirst()
}

/**
 * Locks the package before the result is written. Returns undefined if another worker was faster or the zip was
 * replaced.
 */
async function lockWork(db: Database, work: PackageWork): Promise<{ id: number } | undefined> {
  return await db
    .selectFrom('cmi5_packages')
    .select('id')
    .where('uid', '=', work.uid)
    .where('content_key', '=', work.contentKey)
    .where('status', '=', 'processing')
    .forUpdate()
    .executeTakeFirst()
}

/** Returns false if the package was already finished. */
export async function saveFailure(db: Database, work: PackageWork, lastMsg: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('cmi5_packages')
    .set({ status: 'error', last_msg: lastMsg, updated_at: sql<Date>`now()` })
    .where('uid', '=', work.uid)
    .where('content_key', '=', work.contentKey)
    .where('status', '=', 'processing')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Writes the structure and sets the status to `parsed`. Call it in a transaction. Returns false if another worker was
 * faster.
 */
export async function saveStructure(
  db: Database,
  work: PackageWork,
  parsed: PackageContent & { structure: CourseStructure; entryCount: number; size: number; notices: string[] },
  iriBase: string,
): Promise<boolean> {
  const locked = await lockWork(db, work)
  if (!locked) return false
  const { course, objectives, blocks, units } = parsed.structure
  const iriOf = (publisherId: string) => activityIri(iriBase, work.moduleUid, publisherId)
  await insertObjectives(db, locked.id, objectives)
  await insertBlocks(
    db,
    locked.id,
    blocks.map((block, position) => ({
      ...block,
      position,
      iri: iriOf(block.publisherId),
      parent: block.parent === null ? null : blocks[block.parent]?.publisherId,
    })),
  )
  await insertUnits(
    db,
    locked.id,
    units.map((unit, position) => ({
      ...unit,
      position,
      iri: iriOf(unit.publisherId),
      block: unit.block === null ? null : blocks[unit.block]?.publisherId,
    })),
  )
  await db
    .updateTable('cmi5_packages')
    .set({
      status: 'parsed',
      last_msg: parsed.notices.length > 0 ? messageOf(parsed.notices) : null,
      publisher_id: course.publisherId,
      title: JSON.stringify(course.title),
      description: JSON.stringify(course.description),
      entry_count: parsed.entryCount,
      size: parsed.size,
      search_text: parsed.text,
      estimated_minutes: parsed.minutes,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', locked.id)
    .execute()
  return true
}

/** Inserts any number of rows with one SQL statement by passing them as a single JSON parameter. */
async function insertObjectives(db: Database, packageId: number, objectives: object[]): Promise<void> {
  await sql`
    insert into cmi5_objectives (package_id, publisher_id, title, description, position)
    select ${packageId}, o."publisherId", o.title, o.description, o.position
    from jsonb_to_recordset(${JSON.stringify(objectives.map((objective, position) => ({ ...objective, position })))}::jsonb)
      as o ("publisherId" text, title jsonb, description jsonb, position integer)`.execute(db)
}

async function insertBlocks(db: Database, packageId: number, blocks: object[]): Promise<void> {
  const rows = JSON.stringify(blocks)
  await sql`
    insert into cmi5_blocks (package_id, publisher_id, iri, title, description, objectives, position)
    select ${packageId}, b."publisherId", b.iri, b.title, b.description, b.objectives, b.position
    from jsonb_to_recordset(${rows}::jsonb)
      as b ("publisherId" text, iri text, title jsonb, description jsonb, objectives text[], position integer)`.execute(
    db,
  )
  await sql`
    update cmi5_blocks child set parent_id = parent.id
    from jsonb_to_recordset(${rows}::jsonb) as b ("publisherId" text, parent text)
    join cmi5_blocks parent on parent.package_id = ${packageId} and parent.publisher_id = b.parent
    where child.package_id = ${packageId} and child.publisher_id = b."publisherId"`.execute(db)
}

async function insertUnits(db: Database, packageId: number, units: object[]): Promise<void> {
  await sql`
    insert into cmi5_units (
      package_id, block_id, publisher_id, iri, title, description, objectives, position, url, launch_method,
      launch_parameters, mastery_score, move_on, entitlement_key, activity_type)
    select
      ${packageId}, b.id, u."publisherId", u.iri, u.title, u.description, u.objectives, u.position, u.url, u."launchMethod",
      u."launchParameters", u."masteryScore", u."moveOn", u."entitlementKey", u."activityType"
    from jsonb_to_recordset(${JSON.stringify(units)}::jsonb) as u (
      "publisherId" text, block text, iri text, title jsonb, description jsonb, objectives text[], position integer,
      url text, "launchMethod" text, "launchParameters" text, "masteryScore" numeric, "moveOn" text,
      "entitlementKey" text, "activityType" text)
    left join cmi5_blocks b on b.package_id = ${packageId} and b.publisher_id = u.block`.execute(db)
}

export async function listContentKeysOfModules(db: Database, moduleUids: string[]): Promise<string[]> {
  if (moduleUids.length === 0) return []
  const rows = await db
    .selectFrom('cmi5_packages as p')
    .innerJoin('module_versions as v', 'v.id', 'p.module_version_id')
    .innerJoin('modules as m', 'm.id', 'v.module_id')
    .select('p.content_key as contentKey')
    .where('m.uid', 'in', moduleUids)
    .execute()
  return rows.map(({ contentKey }) => contentKey)
}

/** Lists parsed packages without a text or an estimate. */
export async function listUnreadPackages(
  db: Database,
  moduleUids: string[],
): Promise<{ uid: string; zipKey: string }[]> {
  return await db
    .selectFrom('cmi5_packages as p')
    .innerJoin('module_versions as v', 'v.id', 'p.module_version_id')
    .innerJoin('modules as m', 'm.id', 'v.module_id')
    .innerJoin('stored_files as f', 'f.id', 'p.zip_file_id')
    .select(['p.uid', 'f.storage_key as zipKey'])
    .where('m.uid', 'in', moduleUids)
    .where('p.status', '=', 'parsed')
    .where((eb) => eb.or([eb('p.search_text', 'is', null), eb('p.estimated_minutes', 'is', null)]))
    .execute()
}

/** Passes arrays, because jsonb refuses what a page may contain, such as half of a surrogate pair. */
export async function saveContents(db: Database, contents: ({ uid: string } & PackageContent)[]): Promise<void> {
  await sql`
    update cmi5_packages set search_text = read.text, estimated_minutes = read.minutes
    from unnest(${contents.map(({ uid }) => uid)}::uuid[], ${contents.map(({ text }) => text)}::text[],
      ${contents.map(({ minutes }) => minutes)}::integer[]) as read (uid, text, minutes)
    where cmi5_packages.uid = read.uid and cmi5_packages.status = 'parsed'`.execute(db)
}
