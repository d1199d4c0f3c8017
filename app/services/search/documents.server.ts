/**
 * The search documents: one for each course, module, video, lecture and glossary term, with its texts. They do not
 * store who may see an item; queries check that. Services that write an item call `queueIndexing` in the same
 * transaction. The job reads the current state of the item, so it may run late, twice, or in parallel.
 */
import { type RawBuilder, sql } from 'kysely'
import { cutText } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { SystemCtx } from '../context.ts'
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
    await sql`select pg_advisory_xact_lock(hashtextextended(${`search|${kind}`}, 0))`.execute(ctx.db)
    const { rows } = await sources[kind](uids).execute(ctx.db)
    await writeDocuments(ctx, kind, rows.map(documentOf))
    await deleteDocuments(ctx, kind, uids)
  })
}

const chunk = 100

/** Lists items of all sites without a document, by id. Pass `last` as `after` to continue. */
export async function listUnindexed(
  ctx: SystemCtx,
  input: { kind: SearchKind; after: number },
): Promise<{ uids: string[]; last: number }> {
  const { rows } = await sql<{ uid: string; id: number }>`
    select entity.uid, entity.id from ${sql.table(tables[input.kind])} entity
    where entity.deleted_at is null and entity.id > ${input.after} and not exists (
      select from search_documents document
      where document.site_id = entity.site_id and document.kind = ${input.kind} and document.entity_id = entity.id)
    order by entity.id limit ${chunk}`.execute(ctx.db)
  return { uids: rows.map(({ uid }) => uid), last: rows.at(-1)?.id ?? input.after }
}

/** `about` is the description that lists show; `text` is the content. */
type Source = { siteId: number; id: number; title: string; searchKey: string; about: string; text: string }
type Document = Source & { body: string; foldedTitle: string; foldedAbout: string; foldedText: string }

/** A tsvector has room for a megabyte of lexemes and positions, which a text of this size cannot exceed. */
const mostBytes = 300_000

function documentOf(source: Source): Document {
  const foldedAbout = cutBytes(fold(source.about), mostBytes)
  const foldedText = cutBytes(fold(source.text), mostBytes - Buffer.byteLength(foldedAbout))
  return {
    ...source,
    body: cutText([source.about, source.text].filter(Boolean).join('\n'), mostBytes),
    foldedTitle: fold(source.title),
    foldedAbout,
    foldedText,
  }
}

/** Removes diacritical marks, so that "Villasenor" finds "Villaseñor". Queries are folded in the same way. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '')
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
    insert into search_documents (site_id, kind, entity_id, title, body, search_key, head_tsv, tsv, updated_at)
    select d."siteId", ${kind}, d.id, d.title, d.body, d."searchKey",
      head.words, head.words || setweight(to_tsvector('english', d."foldedText"), 'C'),
      ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(documents)}::jsonb) as d (
      "siteId" bigint, id bigint, title text, body text, "searchKey" text, "foldedTitle" text, "foldedAbout" text, "foldedText" text),
      lateral (
        select setweight(to_tsvector('english', d."foldedTitle"), 'A') || setweight(to_tsvector('simple', d."foldedTitle"), 'A')
          || setweight(to_tsvector('english', d."foldedAbout"), 'B') as words) head
    on conflict (site_id, kind, entity_id) do update set
      title = excluded.title, body = excluded.body, search_key = excluded.search_key,
      head_tsv = excluded.head_tsv, tsv = excluded.tsv,
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
          where version_id = coalesce(courses.published_version_id, courses.latest_version_id))) as text
    from courses where courses.uid = any(${uids}::uuid[]) and courses.deleted_at is null`,
  module: (uids) => sql`
    select modules.site_id as "siteId", modules.id, modules.name as title, modules.search_key as "searchKey",
      modules.description as about,
      concat_ws(E'\n',
        (select string_agg(concat_ws(E'\n', ${inAllLanguages('unit.title')}, ${inAllLanguages('unit.description')}), E'\n'
          order by unit.position) from cmi5_units unit where unit.package_id = package.id),
        package.search_text) as text
    from modules
    left join cmi5_packages package on package.status = 'parsed' and not modules.coming_soon
      and package.module_version_id = coalesce(modules.published_version_id, modules.latest_version_id)
    where modules.uid = any(${uids}::uuid[]) and modules.deleted_at is null`,
  video: (uids) => sql`
    select site_id as "siteId", id, name as title, search_key as "searchKey", description as about,
      coalesce(transcript, '') as text
    from videos where uid = any(${uids}::uuid[]) and deleted_at is null`,
  lecture: (uids) => sql`
    select site_id as "siteId", id, name as title, search_key as "searchKey",
      concat_ws(E'\n', nullif(presenter, ''), description) as about,
      case when coming_soon then '' else
        concat_ws(E'\n', nullif(translate(questions_markdown, '*#', ''), ''), transcript) end as text
    from lectures where uid = any(${uids}::uuid[]) and deleted_at is null`,
  glossary: (uids) => sql`
    select site_id as "siteId", id, name as title, search_key as "searchKey", definition as about, '' as text
    from glossary_terms where uid = any(${uids}::uuid[]) and deleted_at is null`,
}

function inAllLanguages(column: string): RawBuilder<string> {
  return sql`(select string_agg(value, E'\n') from jsonb_each_text(${sql.ref(column)}))`
}
