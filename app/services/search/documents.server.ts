/**
 * The search documents: one for each course, module, video, lecture and glossary term, with its texts. They do not
 * store who may see an item; queries check that. Services that write an item call `queueIndexing` in the same
 * transaction. The job reads the current state of the item, so it may run late, twice, or in parallel.
 */
import { type RawBuilder, sql } from 'kysely'
import { fold, sameWords, wordsVersion } from '~/lib/search-words.ts'
import { cutText } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { ContentKind } from '../access/access.server.ts'
import { joins } from '../access/parts.server.ts'
import type { Ctx, SystemCtx } from '../context.ts'
import { queueSystemJob } from '../queue/queue.server.ts'

export const searchKinds = ['course', 'module', 'video', 'lecture', 'glossary'] as const
export type SearchKind = (typeof searchKinds)[number]

const tables: Record<SearchKind, string> = {
  course: 'courses',
  module: 'modules',
  video: 'videos',
  lecture: 'lectures',
  glossary: 'glossary_terms',
}

/**
 * Queues indexing after any write that affects search, including deleting and restoring. Call it in the transaction of
 * the write.
 */
export async function queueIndexing(
  ctx: Pick<SystemCtx, 'db'>,
  input: { kind: SearchKind; uids: string[] },
): Promise<void> {
  const [first] = input.uids
  if (first === undefined) return
  // Waiting jobs for the same item are merged into one.
  const key = input.uids.length === 1 ? { key: `index-content:${input.kind}:${first}` } : {}
  await queueSystemJob(ctx, 'index-content', input, key)
}

/** Writes the documents of these items of any site, and deletes those of deleted items. */
export async function indexContent(ctx: SystemCtx, input: { kind: SearchKind; uids: string[] }): Promise<void> {
  const { kind } = input
  const uids = input.uids.filter(isUid)
  if (uids.length === 0) return
  await inTransaction(ctx, async (ctx) => {
    // The lock ensures that this job does not read older data than an earlier job has written.
    await lockDocuments(ctx, [kind])
    const { rows } = await sources[kind](uids).execute(ctx.db)
    await writeDocuments(ctx, kind, rows.map(documentOf))
    await deleteDocuments(ctx, kind, uids)
  })
}

async function lockDocuments(ctx: SystemCtx, kinds: readonly SearchKind[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('search|' || kind, 0))
    from unnest(${kinds}::text[]) with ordinality as t(kind, place) order by place`.execute(ctx.db)
}

/**
 * Queues indexing of everything with one of these tags, which may be a lot. Call it before the tags are deleted, in the
 * same transaction. The locks keep a running job from writing what it has read before the deletion.
 */
export async function queueIndexingOfTagged(ctx: Ctx, input: { tagUids: string[] }): Promise<void> {
  await lockDocuments(ctx, taggedKinds)
  const tagged = taggedKinds.map((kind) => {
    const { tags, column } = joins[`${kind}s`]
    return sql`
      select ${kind} as kind, own.${sql.ref(column)} as id from ${sql.table(tags)} own join tags on tags.id = own.tag_id
      where tags.site_id = ${ctx.site.id} and tags.uid = any(${input.tagUids}::uuid[])`
  })
  // No rules have the version 0, so these documents are written again.
  await sql`
    update search_documents document set words_version = 0 from (${sql.join(tagged, sql` union `)}) tagged
    where document.site_id = ${ctx.site.id} and document.kind = tagged.kind and document.entity_id = tagged.id`.execute(
    ctx.db,
  )
  await queueSystemJob(ctx, 'index-missing-content', {}, { key: 'index-missing-content' })
}

const taggedKinds = ['course', 'module', 'video', 'lecture'] as const

const chunk = 100

/**
 * Lists items of all sites without a document, or whose document was written by older rules for words, by id. Pass
 * `last` as `after` to continue.
 */
export async function listUnindexed(
  ctx: SystemCtx,
  input: { kind: SearchKind; after: number },
): Promise<{ uids: string[]; last: number }> {
  const { rows } = await sql<{ uid: string; id: number }>`
    select entity.uid, entity.id from ${sql.table(tables[input.kind])} entity
    where entity.deleted_at is null and entity.id > ${input.after} and not exists (
      select from search_documents document
      where document.site_id = entity.site_id and document.kind = ${input.kind} and document.entity_id = entity.id
        and document.words_version >= ${wordsVersion})
    order by entity.id limit ${chunk}`.execute(ctx.db)
  return { uids: rows.map(({ uid }) => uid), last: rows.at(-1)?.id ?? input.after }
}

/**
 * `about` is the description that lists show; `text` is the content; `names` are those of its tags, and of its step and
 * phase of the process, which are searched and not shown.
 */
type Source = {
  siteId: number
  id: number
  title: string
  searchKey: string
  about: string
  text: string
  names: string
}
type Document = Omit<Source, 'about' | 'text' | 'names'> & {
  body: string
  writtenTitle: string
  sameTitle: string
  sameAbout: string
  sameText: string
}

/** A tsvector has room for a megabyte of lexemes and positions, which a text of this size cannot exceed. */
const mostBytes = 300_000

function documentOf({ about, text, names, ...source }: Source): Document {
  const sameAbout = cutBytes(sameWords(`${names}\n${about}`), mostBytes)
  const sameText = cutBytes(sameWords(text), mostBytes - Buffer.byteLength(sameAbout))
  return {
    ...source,
    searchKey: sameWords(source.searchKey),
    body: cutText([about, text].filter(Boolean).join('\n'), mostBytes),
    writtenTitle: fold(source.title),
    sameTitle: sameWords(source.title),
    sameAbout,
    sameText,
  }
}

function cutBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\ufffd$/, '')
}

/** Also indexes titles without stemming, so that their beginnings are found while somebody types. */
async function writeDocuments(ctx: SystemCtx, kind: SearchKind, documents: Document[]): Promise<void> {
  if (documents.length === 0) return
  await sql`
    insert into search_documents (
      site_id, kind, entity_id, title, body, search_key, head_tsv, tsv, words_version, updated_at)
    select d."siteId", ${kind}, d.id, d.title, d.body, d."searchKey",
      head.words, head.words || setweight(to_tsvector('english', d."sameText"), 'C'), ${wordsVersion}, ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(documents)}::jsonb) as d (
      "siteId" bigint, id bigint, title text, body text, "searchKey" text, "writtenTitle" text, "sameTitle" text,
      "sameAbout" text, "sameText" text),
      lateral (
        select setweight(to_tsvector('english', d."sameTitle"), 'A')
          || setweight(to_tsvector('simple', d."sameTitle"), 'A')
          || setweight(to_tsvector('simple', d."writtenTitle"), 'A')
          || setweight(to_tsvector('english', d."sameAbout"), 'B') as words) head
    on conflict (site_id, kind, entity_id) do update set
      title = excluded.title, body = excluded.body, search_key = excluded.search_key,
      head_tsv = excluded.head_tsv, tsv = excluded.tsv, words_version = excluded.words_version,
      updated_at = excluded.updated_at`.execute(ctx.db)
}

async function deleteDocuments(ctx: SystemCtx, kind: SearchKind, uids: string[]): Promise<void> {
  await sql`
    delete from search_documents using ${sql.table(tables[kind])} entity
    where search_documents.site_id = entity.site_id and search_documents.kind = ${kind}
      and search_documents.entity_id = entity.id and entity.uid = any(${uids}::uuid[]) and entity.deleted_at is not null`.execute(
    ctx.db,
  )
}

/**
 * Selects the texts to index: the published version or, for drafts, which only staff find, the latest version. Items
 * that are Coming Soon are listed but cannot be opened, so their content is not indexed.
 */
const sources: Record<SearchKind, (uids: string[]) => RawBuilder<Source>> = {
  course: (uids) => sql`
    select courses.site_id as "siteId", courses.id, courses.name as title, courses.search_key as "searchKey",
      concat_ws(E'\n', courses.synopsis, courses.description, array_to_string(courses.learning_objectives, E'\n')) as about,
      concat_ws(E'\n',
        (select string_agg(concat_ws(E'\n', name, description), E'\n' order by position) from course_sections
          where version_id = coalesce(courses.published_version_id, courses.latest_version_id)),
        (select string_agg(concat_ws(E'\n', name, description), E'\n' order by position) from course_chapters
          where version_id = coalesce(courses.published_version_id, courses.latest_version_id))) as text,
      ${tagsOf('courses')} as names
    from courses where courses.uid = any(${uids}::uuid[]) and courses.deleted_at is null`,
  module: (uids) => sql`
    select modules.site_id as "siteId", modules.id, modules.name as title, modules.search_key as "searchKey",
      modules.description as about,
      concat_ws(E'\n',
        (select string_agg(concat_ws(E'\n', ${inAllLanguages('unit.title')}, ${inAllLanguages('unit.description')}), E'\n'
          order by unit.position) from cmi5_units unit where unit.package_id = package.id),
        package.search_text) as text,
      concat_ws(E'\n', ${tagsOf('modules')}, ${stepOf('module')}) as names
    from modules
    left join cmi5_packages package on package.status = 'parsed' and not modules.coming_soon
      and package.module_version_id = coalesce(modules.published_version_id, modules.latest_version_id)
    where modules.uid = any(${uids}::uuid[]) and modules.deleted_at is null`,
  video: (uids) => sql`
    select videos.site_id as "siteId", videos.id, name as title, search_key as "searchKey",
      concat_ws(E'\n', nullif(presenter, ''), description) as about,
      coalesce(transcript, '') as text, ${tagsOf('videos')} as names
    from videos where uid = any(${uids}::uuid[]) and deleted_at is null`,
  lecture: (uids) => sql`
    select site_id as "siteId", id, name as title, search_key as "searchKey",
      concat_ws(E'\n', nullif(presenter, ''), description) as about,
      case when coming_soon then '' else
        concat_ws(E'\n', nullif(translate(questions_markdown, '*#', ''), ''), transcript) end as text,
      concat_ws(E'\n', ${tagsOf('lectures')}, ${stepOf('lecture')}) as names
    from lectures where uid = any(${uids}::uuid[]) and deleted_at is null`,
  glossary: (uids) => sql`
    select site_id as "siteId", id, name as title, search_key as "searchKey", definition as about, '' as text, '' as names
    from glossary_terms where uid = any(${uids}::uuid[]) and deleted_at is null`,
}

function inAllLanguages(column: string): RawBuilder<string> {
  return sql`(select string_agg(value, E'\n') from jsonb_each_text(${sql.ref(column)}))`
}

function tagsOf(kind: ContentKind): RawBuilder<string> {
  const { tags, column } = joins[kind]
  return sql`coalesce((
    select string_agg(tags.text, E'\n' order by tags.text) from ${sql.table(tags)} own
    join tags on tags.id = own.tag_id where own.${sql.ref(column)} = ${sql.ref(`${kind}.id`)}), '')`
}

/** The names of the chapter and section, which learners know as a step and phase of the process. */
function stepOf(kind: 'module' | 'lecture'): RawBuilder<string | null> {
  return sql`(
    select string_agg(concat_ws(E'\n', chapters.name, sections.name), E'\n')
    from ${sql.table(`${kind}_chapters`)} place
    join chapters on chapters.id = place.chapter_id
    join sections on sections.id = chapters.section_id
    where place.${sql.ref(`${kind}_id`)} = ${sql.ref(`${kind}s.id`)})`
}
