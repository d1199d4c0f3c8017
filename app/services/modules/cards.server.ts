/** Modules as cards of the learner area, with one query for a page of cards. */
import { sql } from 'kysely'
import { isListed, isShownOnceStarted, seesDrafts } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'
import { isForOtherProgram, moduleMinutes } from '../packages/packages.server.ts'
import { pictureUidOf } from '../storage/files.server.ts'

export type ModuleCard = {
  uid: string
  name: string
  description: string
  comingSoon: boolean
  /** Published and not Coming Soon. Staff also see cards of drafts, which they can only preview. */
  isOpenable: boolean
  publishedVersionUid: string | null
  /** Every unit of the published version opens in another program. */
  isElsewhere: boolean
  /** The picture that was made from the uploaded cover. */
  cover: { imageUid: string } | null
  coverImgDesc: string
  /** Units of the published version; for staff, of the latest. */
  unitCount: number
  /** The author's figure, or else an estimate of that version's package; null if neither is known. */
  minutes: number | null
  chapter: { uid: string; name: string } | null
  section: { uid: string; name: string; frontendId: string } | null
}

const most = 1000

type ModuleCardsInput = {
  /** Only the modules of this section. */
  frontendId?: string | null
  limit?: number
  offset?: number
}

/**
 * Lists the modules page: the modules with "Add to Modules page", by section, chapter and position. Modules without a
 * chapter come last, by name.
 */
export async function listModuleCards(ctx: Ctx, input: ModuleCardsInput = {}): Promise<ModuleCard[]> {
  // Finds the modules first and reads their details second. PostgreSQL can cache the plans of two small queries, but
  // plans one big query anew each time.
  const ids = await selectShownIds(ctx, input)
  if (ids.length === 0) return []
  const rows = await selectCards(ctx).where(sql<boolean>`modules.id = any(${ids}::bigint[])`).execute()
  const cards = new Map(rows.map((row) => [row.id, toCard(row)]))
  return ids.flatMap((id) => cards.get(id) ?? [])
}

async function selectShownIds(ctx: Ctx, input: ModuleCardsInput): Promise<number[]> {
  // Ranks the chapters first. There are few of them, so the many modules join one small table.
  let places = ctx.db
    .with('steps', (db) =>
      db
        .selectFrom('chapters')
        .innerJoin('sections', 'sections.id', 'chapters.section_id')
        .select(['chapters.id', 'sections.id as sectionId', 'sections.frontend_id as frontendId'])
        .select(sql<number>`row_number() over (order by sections.position, chapters.position, chapters.id)`.as('rank'))
        .where('sections.site_id', '=', ctx.site.id),
    )
    .selectFrom('modules')
    .leftJoin('module_chapters', 'module_chapters.module_id', 'modules.id')
    .leftJoin('steps', 'steps.id', 'module_chapters.chapter_id')
    .select('modules.id')
    .where('modules.in_self_study', '=', true)
    .where(isListed(ctx, 'modules'))
    .orderBy('steps.rank', (order) => order.asc().nullsLast())
    .orderBy('module_chapters.position', (order) => order.asc().nullsLast())
    .orderBy('modules.name')
    .orderBy('modules.id')
    // The limit is a literal, not a parameter: with a parameter PostgreSQL would plan the query each time, because it
    // cannot know how few rows are wanted.
    .limit(sql.lit(Math.min(input.limit ?? most, most)))
  if (input.offset) places = places.offset(input.offset)
  if (input.frontendId) places = places.where('steps.frontendId', '=', input.frontendId)
  return (await places.execute()).map(({ id }) => id)
}

/** Reads the cards of modules that were chosen elsewhere (saved, found, the next one), by uid. */
export async function listCardsOfModules(ctx: Ctx, moduleUids: string[]): Promise<Map<string, ModuleCard>> {
  if (moduleUids.length === 0) return new Map()
  const rows = await selectCards(ctx).where('modules.uid', 'in', moduleUids).where(isListed(ctx, 'modules')).execute()
  return new Map(rows.map((row) => [row.uid, toCard(row)]))
}

/** A card in My Learning. `isListed` is false if the viewer's access no longer includes the module. */
export type StartedModuleCard = ModuleCard & { isListed: boolean }

/** Reads the cards of modules that the viewer has started, by uid. */
export async function listCardsOfStartedModules(
  ctx: Ctx,
  moduleUids: string[],
): Promise<Map<string, StartedModuleCard>> {
  if (moduleUids.length === 0) return new Map()
  const rows = await selectCards(ctx)
    .select(sql<boolean>`${isListed(ctx, 'modules')}`.as('isListed'))
    .where('modules.uid', 'in', moduleUids)
    .where(isShownOnceStarted(ctx, 'modules'))
    .execute()
  return new Map(
    rows.map((row) => {
      const card = toCard(row)
      return [row.uid, { ...card, isListed: row.isListed, isOpenable: row.isListed && card.isOpenable }]
    }),
  )
}

type CardRow = Awaited<ReturnType<ReturnType<typeof selectCards>['execute']>>[number]

function selectCards(ctx: Ctx) {
  const current = seesDrafts(ctx) ? 'modules.latest_version_id' : 'modules.published_version_id'
  return ctx.db
    .selectFrom('modules')
    .leftJoin('module_versions as published', 'published.id', 'modules.published_version_id')
    .leftJoin('cmi5_packages as package', 'package.module_version_id', current)
    .leftJoin('stored_files', 'stored_files.id', 'modules.cover_file_id')
    .leftJoin('module_chapters', 'module_chapters.module_id', 'modules.id')
    .leftJoin('chapters', 'chapters.id', 'module_chapters.chapter_id')
    .leftJoin('sections', 'sections.id', 'chapters.section_id')
    .select((eb) => [
      'modules.id',
      'modules.uid',
      'modules.name',
      'modules.description',
      'modules.coming_soon as comingSoon',
      'modules.cover_img_desc as coverImgDesc',
      'published.uid as publishedVersionUid',
      moduleMinutes.as('minutes'),
      pictureUidOf('stored_files.id').as('coverImageUid'),
      'chapters.uid as chapterUid',
      'chapters.name as chapterName',
      'sections.uid as sectionUid',
      'sections.name as sectionName',
      'sections.frontend_id as frontendId',
      eb
        .selectFrom('cmi5_units')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .whereRef('cmi5_units.package_id', '=', 'package.id')
        .as('unitCount'),
      eb
        .selectFrom('cmi5_packages')
        .innerJoin('cmi5_units', 'cmi5_units.package_id', 'cmi5_packages.id')
        .select((eb) => eb.fn.agg<boolean>('bool_and', [isForOtherProgram('cmi5_units.url')]).as('isElsewhere'))
        .whereRef('cmi5_packages.module_version_id', '=', 'modules.published_version_id')
        .as('isElsewhere'),
    ])
}

function toCard(row: CardRow): ModuleCard {
  return {
    uid: row.uid,
    name: row.name,
    description: row.description,
    comingSoon: row.comingSoon,
    isOpenable: row.publishedVersionUid !== null && !row.comingSoon,
    publishedVersionUid: row.publishedVersionUid,
    isElsewhere: row.isElsewhere ?? false,
    cover: row.coverImageUid === null ? null : { imageUid: row.coverImageUid },
    coverImgDesc: row.coverImgDesc,
    unitCount: row.unitCount ?? 0,
    minutes: row.minutes,
    chapter: row.chapterUid === null ? null : { uid: row.chapterUid, name: row.chapterName ?? '' },
    section:
      row.sectionUid === null
        ? null
        : { uid: row.sectionUid, name: row.sectionName ?? '', frontendId: row.frontendId ?? '' },
  }
}
