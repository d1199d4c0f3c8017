/** What carries a tag, for the functions that change tags. They have authorized the viewer. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { type ContentKind, isListed, seesDrafts } from './access.server.ts'
import { joins } from './parts.server.ts'

export const contentKinds = Object.keys(joins) as ContentKind[]

/** The ids of the content with a tag, by kind. Deleted content is included, because it can be restored. */
export type Carriers = Partial<Record<ContentKind, number[]>>

const selectCarriers = (ctx: Ctx) =>
  sql.join(
    contentKinds.map((kind) => {
      const { tags, column } = joins[kind]
      return sql`
        select ${kind}::text as kind, own.${sql.ref(column)} as id, own.tag_id as "tagId"
        from ${sql.table(tags)} own where own.site_id = ${ctx.site.id}`
    }),
    sql` union all `,
  )

/** Returns what carries each of these tags, by the tag's id. */
export async function listCarriersOfTags(ctx: Ctx, input: { tagIds: number[] }): Promise<Map<number, Carriers>> {
  const { rows } = await sql<{ tagId: number; kind: ContentKind; ids: number[] }>`
    select "tagId", kind, array_agg(id order by id) as ids from (${selectCarriers(ctx)}) carriers
    where "tagId" = any(${input.tagIds}::bigint[]) group by "tagId", kind`.execute(ctx.db)
  const carriers = new Map<number, Carriers>()
  for (const { tagId, kind, ids } of rows) carriers.set(tagId, { ...carriers.get(tagId), [kind]: ids.map(Number) })
  return carriers
}

/** How many items carry a tag, by kind. */
export type TagUses = Record<ContentKind, number>

/** Counts the content that carries each of these tags and is not deleted, by the tag's uid. */
export async function countUsesOfTags(ctx: Ctx, input: { tagUids: string[] }): Promise<Map<string, TagUses>> {
  if (input.tagUids.length === 0) return new Map()
  const counts = contentKinds.map((kind) => {
    const { tags, column } = joins[kind]
    return sql`
      (select count(*)::int from ${sql.table(tags)} own join ${sql.table(kind)} item on item.id = own.${sql.ref(column)}
        where own.tag_id = tags.id and item.deleted_at is null) as ${sql.ref(kind)}`
  })
  const { rows } = await sql<TagUses & { uid: string }>`
    select tags.uid, ${sql.join(counts)} from tags
    where tags.site_id = ${ctx.site.id} and tags.uid = any(${input.tagUids}::uuid[])`.execute(ctx.db)
  return new Map(rows.map(({ uid, ...uses }) => [uid, uses]))
}

/** SQL condition on `tags`: staff see all tags of the site, and others those of content that they see. */
export function isTagSeen(ctx: Ctx): RawBuilder<SqlBool> {
  if (seesDrafts(ctx)) return sql<SqlBool>`true`
  const isOn = contentKinds.map((kind) => {
    const { tags, column } = joins[kind]
    return sql`exists (
      select from ${sql.table(tags)} own join ${sql.table(kind)} on ${sql.ref(`${kind}.id`)} = own.${sql.ref(column)}
      where own.tag_id = tags.id and ${isListed(ctx, kind)})`
  })
  return sql<SqlBool>`(${sql.join(isOn, sql` or `)})`
}

/** An item that carries a tag, for the console. */
export type TaggedItem = { kind: ContentKind; uid: string; name: string }

/** Lists what carries a tag by name, up to `most` items, without what is deleted. */
export async function listItemsWithTag(
  ctx: Ctx,
  input: { tagUid: string; most: number; otherUid?: string },
): Promise<(TaggedItem & { hasOther: boolean })[]> {
  const items = contentKinds.map((kind) => {
    const { tags, column } = joins[kind]
    return sql`
      select ${kind}::text as kind, item.uid, item.name, exists (
        select from ${sql.table(tags)} theirs join tags other on other.id = theirs.tag_id
        where theirs.${sql.ref(column)} = item.id and other.uid = ${input.otherUid ?? null}::uuid) as "hasOther"
      from ${sql.table(kind)} item join ${sql.table(tags)} own on own.${sql.ref(column)} = item.id
      join tags on tags.id = own.tag_id
      where tags.site_id = ${ctx.site.id} and tags.uid = ${input.tagUid} and item.deleted_at is null`
  })
  const { rows } = await sql<TaggedItem & { hasOther: boolean }>`
    select kind, uid, name, "hasOther" from (${sql.join(items, sql` union all `)}) items
    order by name, kind, uid limit ${input.most}`.execute(ctx.db)
  return rows
}
