/**
 * The checks before publishing: what an author may have overlooked. They warn, and never keep anybody from publishing.
 */
import { sql } from 'kysely'
import { type CheckedKind, checkedKinds } from '~/forms/checks.ts'
import { vimeoPage } from '~/lib/film-address.ts'
import { countOriginals, skippedHeadings } from '~/lib/markdown.ts'
import { isPublicHost } from '~/lib/public-address.server.ts'
import { isUid } from '~/lib/uid.ts'
import { joins } from '../access/parts.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { NotFound } from '../errors.ts'
import { listDeadLinks } from './dead-links.server.ts'
import { readTextsWithLinks, tables } from './texts.server.ts'

/** Names are at most the first `mostNames`; `count` is of all. */
type Named = { names: string[]; count: number }

export type Problem =
  | { code: 'no_plan' }
  | { code: 'no_cover_description' }
  | { code: 'no_modules' }
  | { code: 'closed_pictures'; count: number }
  | { code: 'not_a_film' | 'private_film' }
  | { code: 'namesakes'; count: number }
  | { code: 'skipped_heading'; heading: string }
  /** `language` is that of its transcript, if it has one. */
  | { code: 'no_captions'; isAtVimeo: boolean; language: string | null }
  | { code: 'dead_links'; urls: string[] }
  | ({ code: ModulesCode | 'empty_parts' } & Named)
  | ({ code: 'courses_of_others' } & Named)

type ModulesCode =
  | 'draft_modules'
  | 'modules_without_package'
  | 'announced_modules'
  | 'closed_modules'
  | 'modules_of_nobody'

type Item = { kind: CheckedKind; uid: string }

const mostNames = 3

/** Lists what is worth a look before this item is published. For staff. Throws NotFound if it is gone. */
export async function listProblems(ctx: Ctx, { kind, uid }: Item): Promise<Problem[]> {
  requireStaff(ctx)
  if (!checkedKinds.includes(kind) || !isUid(uid)) throw new NotFound()
  const item = kind === 'glossary' ? await readTerm(ctx, uid) : await readFacts(ctx, kind, uid)
  const [ofCourse, ofModule, [texts]] = await Promise.all([
    kind === 'course' ? listProblemsOfCourse(ctx, uid) : [],
    kind === 'module' ? listCoursesOfOthers(ctx, uid) : [],
    readTextsWithLinks(ctx, { kind, uids: [uid] }),
  ])
  const urls = texts ? await listDeadLinks(ctx, texts.text) : []
  return [...item, ...ofCourse, ...ofModule, ...(urls.length > 0 ? [{ code: 'dead_links', urls } as const] : [])]
}

type Facts = {
  hasPlan: boolean
  isCoverSilent: boolean
  namesakes: number
  markdown: string | null
  isSilent: boolean
  videoUrl: string
  language: string | null
}

async function readFacts(ctx: Ctx, kind: Exclude<CheckedKind, 'glossary'>, uid: string): Promise<Problem[]> {
  const { plans, column } = joins[`${kind}s`]
  const table = sql.table(tables[kind])
  const ofFilm = sql`
    not item.transcript_as_captions
      and not exists (select from film_captions own where own.${sql.ref(`${kind}_id`)} = item.id) as "isSilent",
    item.video_url as "videoUrl", item.transcript_language as language`
  const { rows } = await sql<Facts>`
    select
      exists (select from ${sql.table(plans)} own where own.${sql.ref(column)} = item.id) as "hasPlan",
      item.cover_file_id is not null and trim(item.cover_img_desc) = '' as "isCoverSilent",
      (select count(*)::int from ${table} other where other.site_id = item.site_id and other.deleted_at is null
        and other.id <> item.id and other.name_key = item.name_key) as namesakes,
      ${kind === 'lecture' ? sql`item.questions_markdown` : sql`null`} as markdown,
      ${kind === 'lecture' || kind === 'video' ? ofFilm : sql`false as "isSilent"`}
    from ${table} item
    where item.uid = ${uid} and item.site_id = ${ctx.site.id} and item.deleted_at is null`.execute(ctx.db)
  const [facts] = rows
  if (!facts) throw new NotFound()
  const { videoUrl, language } = facts
  const headings = facts.markdown === null ? [] : skippedHeadings(facts.markdown)
  const pictures = facts.markdown === null ? 0 : countOriginals(facts.markdown)
  return [
    ...(facts.hasPlan ? [] : [{ code: 'no_plan' } as const]),
    ...(facts.isCoverSilent ? [{ code: 'no_cover_description' } as const] : []),
    ...(facts.namesakes > 0 ? [{ code: 'namesakes', count: facts.namesakes } as const] : []),
    ...headings.slice(0, mostNames).map((heading) => ({ code: 'skipped_heading', heading }) as const),
    ...(pictures > 0 ? [{ code: 'closed_pictures', count: pictures } as const] : []),
    ...(videoUrl ? problemsOfAddress(videoUrl) : []),
    ...(facts.isSilent ? [{ code: 'no_captions', isAtVimeo: vimeoPage(videoUrl) !== null, language } as const] : []),
  ]
}

/** What may be wrong with the address of a film elsewhere; nobody asks for it. */
function problemsOfAddress(videoUrl: string): Problem[] {
  if (!URL.canParse(videoUrl) || vimeoPage(videoUrl) !== null) return []
  const { hostname, pathname } = new URL(videoUrl)
  if (!isPublicHost(hostname)) return [{ code: 'private_film' }]
  return /\.(mp4|m4v|mov|webm|ogv|m3u8)$/i.test(pathname) ? [] : [{ code: 'not_a_film' }]
}

/** The names of terms are unique, and everybody may read them: only their links can be wrong. */
async function readTerm(ctx: Ctx, uid: string): Promise<Problem[]> {
  const term = await ctx.db
    .selectFrom('glossary_terms')
    .select('id')
    .where('uid', '=', uid)
    .where('site_id', '=', ctx.site.id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!term) throw new NotFound()
  return []
}

type ModuleFacts = {
  name: string
  isDraft: boolean
  isAnnounced: boolean
  hasPackage: boolean
  missing: number
  shared: number
}

/** A module that is announced has no package yet, and learners see it. */
async function listProblemsOfCourse(ctx: Ctx, uid: string): Promise<Problem[]> {
  const { rows } = await sql<ModuleFacts>`
    select modules.name, modules.published_version_id is null and not modules.coming_soon as "isDraft",
      modules.published_version_id is null and modules.coming_soon as "isAnnounced",
      modules.coming_soon or exists (
        select from cmi5_packages package where package.status = 'parsed' and package.module_version_id =
          coalesce(modules.published_version_id, modules.latest_version_id)) as "hasPackage",
      (select count(*)::int from course_access_plans own where own.course_id = courses.id and not exists (
        select from module_access_plans plan
        where plan.module_id = modules.id and plan.access_plan_id = own.access_plan_id)) as missing,
      (select count(*)::int from course_access_plans own join module_access_plans plan
        on plan.module_id = modules.id and plan.access_plan_id = own.access_plan_id
        where own.course_id = courses.id) as shared
    from courses
    join course_chapters chapter on chapter.version_id = courses.latest_version_id
    join course_sections section on section.id = chapter.section_id
    join course_chapter_modules spot on spot.chapter_id = chapter.id
    join modules on modules.id = spot.module_id and modules.deleted_at is null
    where courses.uid = ${uid} and courses.site_id = ${ctx.site.id} and courses.deleted_at is null
    order by section.position, chapter.position, spot.position, modules.id`.execute(ctx.db)
  if (rows.length === 0) return [{ code: 'no_modules' }]
  const those = (code: ModulesCode) =>
    namesOf(
      code,
      rows.filter((row) => isThat[code](row)),
    )
  return [
    ...namesOf('empty_parts', await listEmptyParts(ctx, uid)),
    ...those('draft_modules'),
    ...those('announced_modules'),
    ...those('modules_without_package'),
    ...those('modules_of_nobody'),
    ...those('closed_modules'),
  ]
}

/** Chapters without modules, and sections without chapters, in the order of the course. */
async function listEmptyParts(ctx: Ctx, uid: string): Promise<{ name: string }[]> {
  const { rows } = await sql<{ name: string }>`
    select coalesce(chapter.name, section.name) as name
    from courses
    join course_sections section on section.version_id = courses.latest_version_id
    left join course_chapters chapter on chapter.section_id = section.id
    where courses.uid = ${uid} and courses.site_id = ${ctx.site.id} and not exists (
      select from course_chapter_modules spot join modules on modules.id = spot.module_id and modules.deleted_at is null
      where spot.chapter_id = chapter.id)
    order by section.position, chapter.position`.execute(ctx.db)
  return rows
}

const isThat = {
  draft_modules: ({ isDraft }: ModuleFacts) => isDraft,
  announced_modules: ({ isAnnounced }: ModuleFacts) => isAnnounced,
  modules_without_package: ({ hasPackage }: ModuleFacts) => !hasPackage,
  modules_of_nobody: ({ missing, shared }: ModuleFacts) => missing > 0 && shared === 0,
  closed_modules: ({ missing, shared }: ModuleFacts) => missing > 0 && shared > 0,
}

function namesOf<Code extends Problem['code']>(code: Code, rows: { name: string }[]) {
  if (rows.length === 0) return []
  return [{ code, names: rows.slice(0, mostNames).map(({ name }) => name), count: rows.length }]
}

/** The courses with this module that nobody who may open it may open. */
async function listCoursesOfOthers(ctx: Ctx, uid: string): Promise<Problem[]> {
  const { rows } = await sql<{ name: string }>`
    select courses.name from modules join courses on courses.site_id = modules.site_id and courses.deleted_at is null
    where modules.uid = ${uid} and modules.site_id = ${ctx.site.id}
      and exists (
        select from course_chapters chapter join course_chapter_modules spot on spot.chapter_id = chapter.id
        where chapter.version_id = courses.latest_version_id and spot.module_id = modules.id)
      and exists (select from course_access_plans own where own.course_id = courses.id)
      and exists (select from module_access_plans own where own.module_id = modules.id)
      and not exists (
        select from course_access_plans theirs join module_access_plans mine
          on mine.access_plan_id = theirs.access_plan_id and mine.module_id = modules.id
        where theirs.course_id = courses.id)
    order by courses.name, courses.id limit 1000`.execute(ctx.db)
  return namesOf('courses_of_others', rows)
}
