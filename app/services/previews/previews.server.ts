/**
 * Content as learners of a plan would see it, as it is saved, published or not. A preview reads, and writes nothing:
 * neither progress nor events, visits of the content or favorites.
 */
import { sql } from 'kysely'
import type { PreviewedKind } from '~/forms/previews.ts'
import { isUid } from '~/lib/uid.ts'
import { type ContentKind, isListed } from '../access/access.server.ts'
import { type FileInfo, joins, listPartsOf } from '../access/parts.server.ts'
import { actsAsStaff, type Ctx, requireStaff, requireViewer } from '../context.ts'
import { type CourseOutline, findCourseOutline } from '../courses/cards.server.ts'
import { NotFound } from '../errors.ts'
import { readFilmWords } from '../films/watch-media.server.ts'
import { getLectureToEdit } from '../lectures/save-lecture.server.ts'
import { listCardsOfModules, type ModuleCard } from '../modules/cards.server.ts'
import { getVideoToEdit } from '../videos/save-video.server.ts'
import { findPlan, getOpenLink, type PreviewedItem, type PreviewPlan } from './preview-links.server.ts'

/** What learners of the plan could do with a module of the course. */
export type ModuleAccess = 'open' | 'announced' | 'closed' | 'draft'

export type Preview = {
  plan: { uid: string; name: string }
  name: string
  /** What is shown is published. A course whose latest version is a draft is not. */
  isPublished: boolean
  /** Learners have an earlier version while the one that is shown is a draft. */
  hasEarlier: boolean
  /** The plan includes it. */
  isInPlan: boolean
  tags: string[]
  shown: PreviewedCourse | PreviewedFilm
}

export type PreviewedCourse = {
  kind: 'course'
  outline: CourseOutline
  modules: Map<string, ModuleCard & { access: ModuleAccess }>
}

type FilmWords = Awaited<ReturnType<typeof readFilmWords>>

export type PreviewedFilm = {
  kind: 'lecture' | 'video'
  uid: string
  state: Awaited<ReturnType<typeof getLectureToEdit>>['state'] | Awaited<ReturnType<typeof getVideoToEdit>>['state']
  duration: number | null
  cover: FileInfo | null
  /** The address of the film: of a file, or at Vimeo. */
  src: string
} & FilmWords

/** For staff: the content as learners of this plan would see it. Throws NotFound without the content or the plan. */
export async function getPreview(ctx: Ctx, input: PreviewedItem & { planUid: string }): Promise<Preview> {
  requireStaff(ctx)
  return readPreview(ctx, input)
}

/** For anybody of the site who is signed in and has the link. */
export async function openPreviewLink(ctx: Ctx, input: { token: string }): Promise<Preview> {
  requireViewer(ctx)
  return readPreview(ctx, await getOpenLink(ctx, input))
}

async function readPreview(ctx: Ctx, input: PreviewedItem & { planUid: string }): Promise<Preview> {
  const plan = await findPlan(ctx, input.planUid)
  if (!plan || !isUid(input.itemUid)) throw new NotFound()
  // The link, or the guard, has decided that this one content may be seen, so it is read as staff would.
  const reading: Ctx = { ...ctx, viewer: null, isOperator: true }
  const { kind } = input
  // The uid as stored; the address may have it in capitals.
  const itemUid = input.itemUid.toLowerCase()
  const [state, parts, shown] = await Promise.all([
    readState(reading, { kind, itemUid }, plan),
    listPartsOf(reading, `${kind}s`, [itemUid], ['tags']),
    kind === 'course' ? readCourse(reading, itemUid, plan, actsAsStaff(ctx)) : readFilm(reading, kind, itemUid),
  ])
  const { uid, name } = plan
  const tags = (parts.get(itemUid)?.tags ?? []).map(({ text }) => text)
  return { plan: { uid, name }, ...state, tags, shown }
}

type State = Pick<Preview, 'name' | 'isPublished' | 'hasEarlier' | 'isInPlan'>

async function readState(ctx: Ctx, { kind, itemUid }: PreviewedItem, plan: PreviewPlan): Promise<State> {
  const kinds = `${kind}s` as const
  const isPublished =
    kind === 'course'
      ? sql`published_version_id is not null and published_version_id = latest_version_id`
      : sql`status = 'published'`
  const hasEarlier = kind === 'course' ? sql`published_version_id <> latest_version_id` : sql`false`
  const { rows } = await sql<State>`
    select name, ${isPublished} as "isPublished", coalesce(${hasEarlier}, false) as "hasEarlier",
      ${isInPlan(kinds, plan)} as "isInPlan" from ${sql.table(kinds)}
    where uid = ${itemUid} and ${isListed(ctx, kinds)}`.execute(ctx.db)
  if (!rows[0]) throw new NotFound()
  return rows[0]
}

function isInPlan(kind: ContentKind, plan: PreviewPlan) {
  const { plans, column } = joins[kind]
  return sql<boolean>`exists (
    select from ${sql.table(plans)} own
    where own.${sql.ref(column)} = ${sql.ref(`${kind}.id`)} and own.access_plan_id = ${plan.id})`
}

async function readCourse(
  ctx: Ctx,
  courseUid: string,
  plan: PreviewPlan,
  seesOtherDrafts: boolean,
): Promise<PreviewedCourse> {
  const outline = await findCourseOutline(ctx, { courseUid, isLatest: true })
  if (!outline) throw new NotFound()
  const uids = outline.sections.flatMap(({ chapters }) => chapters.flatMap(({ moduleUids }) => moduleUids))
  const [cards, access] = await Promise.all([listCardsOfModules(ctx, uids), readAccess(ctx, uids, plan)])
  const modules = [...cards].map(([uid, card]) => {
    const own = access.get(uid) ?? 'closed'
    // A link shows one content. The drafts in a course are content of their own.
    return [uid, { ...(own === 'draft' && !seesOtherDrafts ? hidden(card) : card), access: own }] as const
  })
  return { kind: 'course', outline, modules: new Map(modules) }
}

function hidden(card: ModuleCard): ModuleCard {
  const nothing = { description: '', cover: null, coverImgDesc: '', unitCount: 0, minutes: null }
  return { ...card, ...nothing, name: 'A module that is not published yet', chapter: null, section: null }
}

async function readAccess(ctx: Ctx, uids: string[], plan: PreviewPlan): Promise<Map<string, ModuleAccess>> {
  if (uids.length === 0) return new Map()
  const { rows } = await sql<{ uid: string; access: ModuleAccess }>`
    select uid, case
      when published_version_id is null and not coming_soon then 'draft'
      when not ${isInPlan('modules', plan)} then 'closed'
      when coming_soon then 'announced' else 'open' end as access
    from modules where uid = any(${uids}::uuid[]) and ${isListed(ctx, 'modules')}`.execute(ctx.db)
  return new Map(rows.map(({ uid, access }) => [uid, access]))
}

async function readFilm(ctx: Ctx, kind: Exclude<PreviewedKind, 'course'>, uid: string): Promise<PreviewedFilm> {
  const [film, parts, words] = await Promise.all([
    kind === 'lecture' ? readLecture(ctx, uid) : readVideo(ctx, uid),
    listPartsOf(ctx, `${kind}s`, [uid], ['cover']),
    readFilmWords(ctx, { kind, uid }),
  ])
  return {
    kind,
    uid,
    ...film,
    cover: parts.get(uid)?.cover ?? null,
    ...words,
  }
}

async function readLecture(ctx: Ctx, lectureUid: string) {
  const { lecture, state } = await getLectureToEdit(ctx, { lectureUid })
  return { state, duration: lecture.duration, src: lecture.videoUrl }
}

async function readVideo(ctx: Ctx, videoUid: string) {
  const { video, state } = await getVideoToEdit(ctx, { videoUid })
  return { state, duration: video.duration, src: video.videoUrl }
}
