/** Modules as the learner area shows them: one query for a page of cards. */
import { sql } from 'kysely'
import { isListed, seesDrafts } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'

export type ModuleCard = {
  uid: string
  name: string
  description: string
  comingSoon: boolean
  /** Published and not Coming Soon. Staff also see drafts, which they can only preview. */
  isOpenable: boolean
  publishedVersionUid: string | null
  cover: { uid: string; name: string } | null
  coverImgDesc: string
  /** Of the published version; for staff, of the latest. */
  unitCount: number
  chapter: { uid: string; name: string } | null
  section: { uid: string; name: string; frontendId: string } | null
}

const most = 1000

export type ModuleCardsInput = {
  /** Of one section only. */
  frontendId?: string | null
  /** The first few of each section, for the home page. */
  perSection?: number
  limit?: number
  offset?: number
}

/** The modules page: what has "Add to Modules page", in the order of sections, chapters and places; without a chapter at the end, by name. */
export async function listModuleCards(ctx: Ctx, input: ModuleCardsInput = {}): Promise<ModuleCard[]> {
  // The page is chosen first and its cards are put together afterwards: counting units is for those that are shown.
  let shown = ctx.db.selectFrom(placesOfModules(ctx, input.frontendId ?? null).as('places')).select(['id', 'place'])
  if (input.perSection) shown = shown.where('placeInSection', '<=', input.perSection)
  shown = shown
    .orderBy('place')
    .limit(Math.min(input.limit ?? most, most))
    .offset(input.offset ?? 0)
  const rows = await selectCards(ctx)
    .innerJoin(shown.as('shown'), 'shown.id', 'modules.id')
    .orderBy('shown.place')
    .execute()
  return rows.map(toCard)
}

function placesOfModules(ctx: Ctx, frontendId: string | null) {
  const order = sql`chapters.position nulls last, module_chapters.position nulls last, modules.name, modules.id`
  const query = ctx.db
    .selectFrom('modules')
    .leftJoin('module_chapters', 'module_chapters.module_id', 'modules.id')
    .leftJoin('chapters', 'chapters.id', 'module_chapters.chapter_id')
    .leftJoin('sections', 'sections.id', 'chapters.section_id')
    .select([
      'modules.id',
      sql<number>`row_number() over (order by sections.position nulls last, ${order})`.as('place'),
      sql<number>`row_number() over (partition by sections.id order by ${order})`.as('placeInSection'),
    ])
    .where('modules.in_self_study', '=', true)
    .where(isListed(ctx, 'modules'))
  return frontendId === null ? query : query.where('sections.frontend_id', '=', frontendId)
}

/** Cards of modules chosen elsewhere (in progress, saved, the next one), by uid. */
export async function listCardsOfModules(ctx: Ctx, moduleUids: string[]): Promise<Map<string, ModuleCard>> {
  if (moduleUids.length === 0) return new Map()
  const rows = await selectCards(ctx).where('modules.uid', 'in', moduleUids).where(isListed(ctx, 'modules')).execute()
  return new Map(rows.map((row) => [row.uid, toCard(row)]))
}

type CardRow = Awaited<ReturnType<ReturnType<typeof selectCards>['execute']>>[number]

function selectCards(ctx: Ctx) {
  const current = seesDrafts(ctx) ? 'modules.latest_version_id' : 'modules.published_version_id'
  return ctx.db
    .selectFrom('modules')
    .leftJoin('module_versions as published', 'published.id', 'modules.published_version_id')
    .leftJoin('stored_files', 'stored_files.id', 'modules.cover_file_id')
    .leftJoin('module_chapters', 'module_chapters.module_id', 'modules.id')
    .leftJoin('chapters', 'chapters.id', 'module_chapters.chapter_id')
    .leftJoin('sections', 'sections.id', 'chapters.section_id')
    .select((eb) => [
      'modules.uid',
      'modules.name',
      'modules.description',
      'modules.coming_soon as comingSoon',
      'modules.cover_img_desc as coverImgDesc',
      'published.uid as publishedVersionUid',
      'stored_files.uid as coverUid',
      'stored_files.name as coverName',
      'chapters.uid as chapterUid',
      'chapters.name as chapterName',
      'sections.uid as sectionUid',
      'sections.name as sectionName',
      'sections.frontend_id as frontendId',
      eb
        .selectFrom('cmi5_packages')
        .innerJoin('cmi5_units', 'cmi5_units.package_id', 'cmi5_packages.id')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('cmi5_packages.module_version_id', '=', sql<number>`${sql.ref(current)}`)
        .as('unitCount'),
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
    cover: row.coverUid === null ? null : { uid: row.coverUid, name: row.coverName ?? '' },
    coverImgDesc: row.coverImgDesc,
    unitCount: row.unitCount ?? 0,
    chapter: row.chapterUid === null ? null : { uid: row.chapterUid, name: row.chapterName ?? '' },
    section:
      row.sectionUid === null
        ? null
        : { uid: row.sectionUid, name: row.sectionName ?? '', frontendId: row.frontendId ?? '' },
  }
}
