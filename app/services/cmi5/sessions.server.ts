import { sql } from 'kysely'
import { contentPlaceOf, fallbackPlaceOf } from '~/config/content.server.ts'
import type { FailedTest } from '~/lib/failed-test.ts'
import { isUid } from '~/lib/uid.ts'
import { isOpenable } from '../access/access.server.ts'
import { actsAsStaff, type Ctx, refuseWhileViewing, requireViewer, type Viewer } from '../context.ts'
import { NotFound } from '../errors.ts'
import { contentPath } from '../packages/content-path.ts'
import { blockTitles } from '../packages/packages.server.ts'
import { otherProgramOf } from '../packages/urls.ts'
import { failedTestOf, isLeftElsewhere } from '../progress/progress.server.ts'
import { signingKey } from '../sites/keys.server.ts'
import type { LanguageMap } from '../xapi/xapi.server.ts'
import { isAbsoluteAddress, type LaunchData, launchAddress } from './launch-data.ts'
import { actorOf } from './lms-terms.server.ts'
import { fetchAddressOf, idleSince, isAllowed } from './unit-sessions.server.ts'
import type { LaunchMethod, LaunchMode } from './vocabulary.ts'

/**
 * How the viewer opens a unit: in its frame; in a window of ours, which has such a frame; or alone in a window that knows
 * nothing of the viewer. The last is for units elsewhere that ask for a window, since a frame may be refused there, and
 * for those on plain http, which our pages do not frame.
 */
export type Opening = 'frame' | 'window' | 'alone'

/** The launch, as the viewer page shows it. */
export type Launch = {
  auLaunchSessionUid: string
  module: { uid: string; name: string; versionUid: string }
  /** Null once the session has ended: there is nothing left to load. */
  launchUrl: string | null
  /**
   * The same unit on an origin that modules share, for a browser that cannot reach the module's own. Null where every
   * browser can.
   */
  fallbackUrl: string | null
  /**
   * The same for a program that launches: what it calls itself has a name that every program can resolve. It is
   * `launchUrl` where that is so anyway.
   */
  programUrl: string | null
  returnUrl: string
  launchMethod: LaunchMethod
  opening: Opening
  mode: LaunchMode
  status: 'open' | 'terminated' | 'abandoned'
  isPreview: boolean
  /**
   * Set if staff opened somebody else's attempt or used an unusual mode: the attempt, the mode and the learner, to show
   * and to open again.
   */
  staff: { attempt: string; mode: LaunchMode; learnerName: string | null } | null
  isFetched: boolean
  registration: { number: number; percent: number; isSatisfied: boolean }
  units: LaunchUnit[]
  nextModule: { uid: string; name: string; versionUid: string } | null
}

export type LaunchUnit = {
  uid: string
  index: number
  title: LanguageMap
  /** The titles of the blocks that the unit is in, outermost first. */
  blocks: LanguageMap[]
  percent: number
  score: number | null
  failedTest: FailedTest
  isCurrent: boolean
  /** It opens in another program, so it cannot be opened here. */
  isElsewhere: boolean
}

/**
 * Returns a launch that the viewer made, for herself or for somebody else. Throws NotFound for all others. With
 * `courseUid`, `nextModule` follows the order of that course.
 */
export async function getLaunch(
  ctx: Ctx,
  input: { auLaunchSessionUid: string; courseUid?: string | null },
): Promise<Launch> {
  const viewer = requireViewer(ctx)
  refuseWhileViewing(ctx)
  const row = await findOwnSession(ctx, viewer, input.auLaunchSessionUid)
  if (!row) throw new NotFound()
  const launchData = row.launchData as unknown as LaunchData
  const isOver = row.abandonedAt || row.lastSeenAt <= idleSince(ctx.now) || !row.isAllowed
  const status = row.terminatedAt ? 'terminated' : isOver ? 'abandoned' : 'open'
  return {
    auLaunchSessionUid: row.uid,
    module: { uid: row.moduleUid, name: row.moduleName, versionUid: row.versionUid },
    ...(status === 'open' ? await launchUrlsOf(ctx, row) : noUrls),
    returnUrl: launchData.returnURL,
    launchMethod: row.launchMethod as LaunchMethod,
    opening: openingOf(row),
    mode: row.mode as LaunchMode,
    status,
    isPreview: row.isPreview,
    staff: staffPartOf(row, viewer),
    isFetched: row.fetchedAt !== null,
    registration: { number: row.number, percent: row.percent, isSatisfied: row.satisfiedAt !== null },
    units: await selectLaunchUnits(ctx, row),
    nextModule:
      row.isPreview || row.userId !== viewer.id ? null : await nextModuleOf(ctx, row.moduleId, input.courseUid ?? null),
  }
}

function staffPartOf(row: OwnSession, viewer: Viewer): Launch['staff'] {
  const isOwn = row.userId === viewer.id
  if (isOwn && row.mode === (row.isPreview ? 'Browse' : 'Normal')) return null
  const learnerName = isOwn ? null : `${row.firstName ?? ''} ${row.lastName ?? ''}`.trim() || row.email
  return { attempt: row.registrationUid, mode: row.mode as LaunchMode, learnerName }
}

type Urls = Pick<Launch, 'launchUrl' | 'fallbackUrl' | 'programUrl'>

const noUrls: Urls = { launchUrl: null, fallbackUrl: null, programUrl: null }

async function launchUrlsOf(ctx: Ctx, row: OwnSession): Promise<Urls> {
  const own = contentPlaceOf(ctx.site, row.moduleUid)?.origin ?? ctx.site.baseUrl
  const shared = fallbackPlaceOf(ctx.site)?.origin
  const launchUrl = await launchUrlOf(ctx, row, { origin: own, unitAddress: row.launchUrl })
  if (shared === undefined) return { launchUrl, fallbackUrl: null, programUrl: launchUrl }
  return {
    launchUrl,
    fallbackUrl: await launchUrlOf(ctx, row, await onSharedOrigin(ctx, row, shared)),
    programUrl: await launchUrlOf(ctx, row, { origin: shared, unitAddress: row.launchUrl }),
  }
}

/** Returns the launch address with all parameters of cmi5 8.1. */
async function launchUrlOf(
  ctx: Ctx,
  row: OwnSession,
  { origin, unitAddress }: { origin: string; unitAddress: string },
): Promise<string> {
  const { objectType, account } = await actorOf(ctx.db, row.userUid)
  return launchAddress(unitAddress, {
    endpoint: `${origin}/xapi/`,
    fetch: await fetchAddressOf(ctx.db, origin, row),
    actor: { objectType, account },
    registration: row.registrationUid,
    activityId: row.unitIri,
  })
}

/** A path is signed for its host, so another host needs another path. */
async function onSharedOrigin(ctx: Ctx, row: OwnSession, origin: string) {
  const key = await signingKey(ctx.db, 'content_key')
  const path = contentPath(key, { contentKey: row.contentKey, userUid: row.userUid, now: ctx.now, moduleUid: null })
  return { origin, unitAddress: new URL(row.unitUrl, `${origin}${path}`).href }
}

function openingOf({ unitUrl, launchMethod }: OwnSession): Opening {
  const isOwnWindow = launchMethod === 'OwnWindow'
  if (isAbsoluteAddress(unitUrl)) return isOwnWindow || /^http:/i.test(unitUrl) ? 'alone' : 'frame'
  return isOwnWindow ? 'window' : 'frame'
}

export type SessionCheck = { status: boolean; error: string | null }

/**
 * Tells whether the viewer's own launch may continue. The check counts as activity of the page, recorded at most once a
 * minute. With `isFollowed`, a launch that was continued stands for the last one that continues it: the viewer behind a
 * unit's own window knows only the first.
 */
export async function checkLaunchSession(
  ctx: Ctx,
  input: { auLaunchSessionUid: string; isFollowed?: boolean },
): Promise<SessionCheck> {
  const viewer = requireViewer(ctx)
  const own = await findOwnSession(ctx, viewer, input.auLaunchSessionUid)
  const isOver = own && (own.terminatedAt || own.abandonedAt)
  const row = isOver && input.isFollowed ? await findOwnSession(ctx, viewer, await lastContinuing(ctx, own)) : own
  if (!row) return { status: false, error: 'There is no such launch session.' }
  if (row.terminatedAt || row.abandonedAt || row.lastSeenAt <= idleSince(ctx.now) || !row.isAllowed) {
    return { status: false, error: 'The session for this launched module has ended.' }
  }
  await touch(ctx, row)
  return { status: true, error: null }
}

async function lastContinuing(ctx: Ctx, { id, uid }: { id: number; uid: string }): Promise<string> {
  const { rows } = await sql<{ uid: string }>`
    with recursive chain as (
      select id, uid from launch_sessions where id = ${id}
      union all
      select s.id, s.uid from launch_sessions s join chain on s.continues_id = chain.id)
    select uid from chain order by id desc limit 1`.execute(ctx.db)
  return rows[0]?.uid ?? uid
}

async function touch(ctx: Ctx, { id, lastSeenAt }: { id: number; lastSeenAt: Date }): Promise<void> {
  if (ctx.now.getTime() - lastSeenAt.getTime() < 60_000) return
  await ctx.db.updateTable('launch_sessions').set({ last_seen_at: ctx.now }).where('id', '=', id).execute()
}

type OwnSession = NonNullable<Awaited<ReturnType<typeof findOwnSession>>>

async function findOwnSession(ctx: Ctx, viewer: Viewer, uid: string) {
  if (!isUid(uid)) return null
  const row = await ctx.db
    .selectFrom('launch_sessions as s')
    .innerJoin('registrations as r', 'r.id', 's.registration_id')
    .innerJoin('modules as m', 'm.id', 'r.module_id')
    .innerJoin('module_versions as v', 'v.id', 'r.module_version_id')
    .innerJoin('cmi5_units as u', 'u.id', 's.unit_id')
    .innerJoin('cmi5_packages as p', 'p.id', 'u.package_id')
    .innerJoin('users', 'users.id', 'r.user_id')
    .select(isAllowed(ctx.now).as('isAllowed'))
    .select(['users.uid as userUid', 'users.first_name as firstName', 'users.last_name as lastName', 'users.email'])
    .select([
      's.id',
      's.uid',
      's.mode',
      's.launch_url as launchUrl',
      's.launch_data as launchData',
      's.fetch_hash as fetchHash',
      's.fetched_at as fetchedAt',
      's.terminated_at as terminatedAt',
      's.abandoned_at as abandonedAt',
      's.last_seen_at as lastSeenAt',
      's.unit_id as unitId',
      'r.id as registrationId',
      'r.uid as registrationUid',
      'r.user_id as userId',
      'r.number',
      'r.is_preview as isPreview',
      'r.progress_percent as percent',
      'r.satisfied_at as satisfiedAt',
      'm.id as moduleId',
      'm.uid as moduleUid',
      'm.name as moduleName',
      'v.uid as versionUid',
      'u.iri as unitIri',
      'u.package_id as packageId',
      'u.launch_method as launchMethod',
      'u.url as unitUrl',
      'p.content_key as contentKey',
    ])
    .where('s.uid', '=', uid)
    .where((eb) => eb(eb.fn.coalesce('s.launched_by', 'r.user_id'), '=', viewer.id))
    .where('r.site_id', '=', ctx.site.id)
    .executeTakeFirst()
  // Former staff lose their launches of other people's attempts.
  return row && (row.userId === viewer.id || actsAsStaff(ctx)) ? row : null
}

async function selectLaunchUnits(ctx: Ctx, session: OwnSession): Promise<LaunchUnit[]> {
  const rows = await ctx.db
    .selectFrom('cmi5_units as u')
    .leftJoin('registration_units as ru', (join) =>
      join.onRef('ru.unit_id', '=', 'u.id').on('ru.registration_id', '=', session.registrationId),
    )
    .select(['u.id', 'u.uid', 'u.title', 'u.position', 'u.url', 'ru.progress', 'ru.score_scaled as score'])
    .select(blockTitles('u.block_id').as('blocks'))
    .select([
      'ru.move_on as moveOn',
      'ru.failed_at as failedAt',
      'ru.passed_at as passedAt',
      'ru.waived_at as waivedAt',
    ])
    .where('u.package_id', '=', session.packageId)
    .orderBy('u.position')
    .execute()
  return rows.map((row, index) => ({
    uid: row.uid,
    index,
    title: row.title as LanguageMap,
    blocks: row.blocks,
    percent: row.progress ?? 0,
    score: row.score === null ? null : Math.round(row.score * 100),
    failedTest: failedTestOf(row),
    isCurrent: row.id === session.unitId,
    isElsewhere: otherProgramOf(row.url) !== null,
  }))
}

/** Finds the next module in the course or, without a course that contains the module, in its chapter. */
async function nextModuleOf(ctx: Ctx, moduleId: number, courseUid: string | null): Promise<Launch['nextModule']> {
  const inCourse = courseUid === null ? undefined : await findNextInCourse(ctx, moduleId, courseUid)
  return inCourse ? inCourse.next : findNextModule(ctx, moduleId)
}

/** Returns undefined if the viewer may not open the course, or if the module is not in it. */
async function findNextInCourse(
  ctx: Ctx,
  moduleId: number,
  courseUid: string,
): Promise<{ next: Launch['nextModule'] } | undefined> {
  const rows = await ctx.db
    .selectFrom('courses')
    .innerJoin('course_chapters as chapter', 'chapter.version_id', 'courses.published_version_id')
    .innerJoin('course_sections as section', 'section.id', 'chapter.section_id')
    .innerJoin('course_chapter_modules as spot', 'spot.chapter_id', 'chapter.id')
    .innerJoin('modules', 'modules.id', 'spot.module_id')
    .leftJoin('module_versions as v', 'v.id', 'modules.published_version_id')
    .select(['modules.id', 'modules.uid', 'modules.name', 'v.uid as versionUid'])
    .select(isOpenable(ctx, 'modules').as('isOpenable'))
    .select(isLeftElsewhere(ctx).as('isElsewhere'))
    .where('courses.uid', '=', courseUid)
    .where(isOpenable(ctx, 'courses'))
    .orderBy('section.position')
    .orderBy('chapter.position')
    .orderBy('spot.position')
    .limit(1000)
    .execute()
  const here = rows.findIndex(({ id }) => id === moduleId)
  if (here < 0) return undefined
  const next = rows.slice(here + 1).find((row) => row.isOpenable && !row.isElsewhere)
  if (!next?.versionUid) return { next: null }
  return { next: { uid: next.uid, name: next.name, versionUid: next.versionUid } }
}

/** Finds the next module in the chapter that the viewer may open and that opens here, for the close-out menu. */
async function findNextModule(ctx: Ctx, moduleId: number): Promise<Launch['nextModule']> {
  const row = await ctx.db
    .selectFrom('module_chapters as here')
    .innerJoin('module_chapters as there', (join) =>
      join
        .onRef('there.chapter_id', '=', 'here.chapter_id')
        .on((eb) =>
          eb(eb.refTuple('there.position', 'there.module_id'), '>', eb.refTuple('here.position', 'here.module_id')),
        ),
    )
    .innerJoin('modules', 'modules.id', 'there.module_id')
    .innerJoin('module_versions as v', 'v.id', 'modules.published_version_id')
    .select(['modules.uid', 'modules.name', 'v.uid as versionUid'])
    .where('here.module_id', '=', moduleId)
    .where(isOpenable(ctx, 'modules'))
    .where(sql<boolean>`not ${isLeftElsewhere(ctx)}`)
    .orderBy('there.position')
    .orderBy('there.module_id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}
