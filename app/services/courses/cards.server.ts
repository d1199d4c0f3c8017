/** Courses for the learner area: cards in the order of the catalog, and the outline of a course. */
import { sql } from 'kysely'
import { roundMinutes } from '~/lib/duration.ts'
import { isForPerson, isListed, isOpenable, isShownOnceStarted, seesDrafts } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'
import { moduleMinutes } from '../packages/packages.server.ts'
import { pictureUidOf } from '../storage/files.server.ts'
import { listSectionsOfVersions, type VersionSection } from './versions.server.ts'

export type CourseCard = {
  uid: string
  name: string
  synopsis: string
  /** False for drafts, which only staff see. */
  isPublished: boolean
  /** The picture made from an uploaded cover. */
  cover: { imageUid: string } | null
  coverImgDesc: string
  /**
   * Counts the modules of the published version that the viewer can open. Staff see how many there are, also in a draft.
   */
  moduleCount: number
  /**
   * The author's figure, or else the sum of these modules, from ten on in steps of five; null if that of none of them is
   * known.
   */
  minutes: number | null
  /** True if that of some of these modules is not known, so that the course takes longer. */
  isAtLeast: boolean
}

/** Lists the catalog: published courses of the site in a plan of the viewer, by rank. */
export async function listCourseCards(
  ctx: Ctx,
  input: { limit: number; offset?: number },
): Promise<{ items: CourseCard[]; total: number }> {
  const rows = await selectCards(ctx)
    .innerJoin('course_catalog_items', 'course_catalog_items.course_id', 'courses.id')
    .where(isOpenable(ctx, 'courses'))
    .orderBy('course_catalog_items.rank')
    .orderBy('course_catalog_items.id')
    .limit(input.limit)
    .offset(input.offset ?? 0)
    .execute()
  const { total } = await ctx.db
    .selectFrom('courses')
    .innerJoin('course_catalog_items', 'course_catalog_items.course_id', 'courses.id')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(isOpenable(ctx, 'courses'))
    .executeTakeFirstOrThrow()
  return { items: rows.map(toCard), total }
}

/** Returns cards of given courses (saved, found) by uid. */
export async function listCardsOfCourses(ctx: Ctx, courseUids: string[]): Promise<Map<string, CourseCard>> {
  if (courseUids.length === 0) return new Map()
  const rows = await selectCards(ctx).where('courses.uid', 'in', courseUids).where(isListed(ctx, 'courses')).execute()
  return new Map(rows.map((row) => [row.uid, toCard(row)]))
}

/** A card in My Learning. `isListed` is false if the viewer's access no longer includes the course. */
export type StartedCourseCard = CourseCard & { isListed: boolean }

/** Returns cards of courses that the viewer has started, by uid. */
export async function listCardsOfStartedCourses(
  ctx: Ctx,
  courseUids: string[],
): Promise<Map<string, StartedCourseCard>> {
  if (courseUids.length === 0) return new Map()
  const rows = await selectCards(ctx)
    .select(sql<boolean>`${isListed(ctx, 'courses')}`.as('isListed'))
    .where('courses.uid', 'in', courseUids)
    .where(isShownOnceStarted(ctx, 'courses'))
    .execute()
  return new Map(rows.map((row) => [row.uid, { ...toCard(row), isListed: row.isListed }]))
}

export type CourseOutline = CourseCard & {
  description: string
  learningObjectives: string[]
  banner: { imageUid: string } | null
  /** Includes uids of modules that the viewer may not see, because the courses domain does not know modules. */
  sections: VersionSection[]
}

/**
 * Returns null if the viewer may not see the course. Takes two queries. `isLatest`: as it is saved, for a preview, and not
 * as it is published.
 */
export async function findCourseOutline(
  ctx: Ctx,
  input: { courseUid: string; isLatest?: boolean },
): Promise<CourseOutline | null> {
  // `sql.raw` is safe here: the expression is constant.
  const shown = input.isLatest ? sql.raw('courses.latest_version_id') : shownVersion
  const row = await selectCards(ctx, shown)
    .leftJoin('stored_files as banner', 'banner.id', 'courses.banner_file_id')
    .select([
      'courses.description',
      'courses.learning_objectives as learningObjectives',
      sql<string | null>`(select uid from course_versions where id = ${shown})`.as('versionUid'),
      pictureUidOf('banner.id').as('bannerImageUid'),
    ])
    .where('courses.uid', '=', input.courseUid)
    .where(isListed(ctx, 'courses'))
    .executeTakeFirst()
  if (!row) return null
  const { description, learningObjectives, bannerImageUid } = row
  return {
    ...toCard(row),
    description,
    learningObjectives,
    banner: bannerImageUid === null ? null : { imageUid: bannerImageUid },
    sections: (row.versionUid && (await listSectionsOfVersions(ctx, [row.versionUid])).get(row.versionUid)) || [],
  }
}

type CardRow = Awaited<ReturnType<ReturnType<typeof selectCards>['execute']>>[number]

/** Uses the latest version for drafts, which learners never see. `sql.raw` is safe here: the expression is constant. */
const shownVersion = sql.raw('coalesce(courses.published_version_id, courses.latest_version_id)')

function selectCards(ctx: Ctx, shown = shownVersion) {
  const isCounted = seesDrafts(ctx)
    ? sql`modules.deleted_at is null`
    : isForPerson('modules', sql`${ctx.viewer?.id ?? null}::bigint`)
  return ctx.db
    .selectFrom('courses')
    .leftJoin('stored_files as cover', 'cover.id', 'courses.cover_file_id')
    .innerJoin(
      sql<{ count: number; minutes: number | null; isPartial: boolean }>`lateral (
        select count(*) as count, sum(minutes)::int as minutes, count(*) > count(minutes) as "isPartial"
        from (
          select distinct modules.id, ${moduleMinutes} as minutes
          from course_chapters chapter
          join course_chapter_modules spot on spot.chapter_id = chapter.id
          join modules on modules.id = spot.module_id and ${isCounted}
          left join cmi5_packages package on package.module_version_id = modules.published_version_id
          where chapter.version_id = ${shown}) counted)`.as('members'),
      (join) => join.onTrue(),
    )
    .select([
      'courses.uid',
      'courses.name',
      'courses.synopsis',
      'courses.cover_img_desc as coverImgDesc',
      sql<boolean>`courses.published_version_id is not null`.as('isPublished'),
      pictureUidOf('cover.id').as('coverImageUid'),
      'members.count as moduleCount',
      'courses.duration_minutes as ownMinutes',
      'members.minutes as moduleMinutes',
      'members.isPartial',
    ])
}

function toCard(row: CardRow): CourseCard {
  const { ownMinutes, moduleMinutes, isPartial } = row
  const isAtLeast = ownMinutes === null && moduleMinutes !== null && isPartial
  const round = isAtLeast ? Math.floor : Math.round
  return {
    uid: row.uid,
    name: row.name,
    synopsis: row.synopsis,
    isPublished: row.isPublished,
    cover: row.coverImageUid === null ? null : { imageUid: row.coverImageUid },
    coverImgDesc: row.coverImgDesc,
    moduleCount: row.moduleCount,
    minutes: ownMinutes ?? (moduleMinutes === null ? null : roundMinutes(moduleMinutes, round)),
    isAtLeast,
  }
}
