/**
 * Writes plans and tags of all kinds of content. Runs in the transaction of the content's own domain, which has
 * authorized the viewer and locked the row.
 */
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import type { ContentKind } from './access.server.ts'
import { joins } from './parts.server.ts'
import { type Carriers, contentKinds } from './tagged.server.ts'

type Owner = { kind: ContentKind; uid: string }

/** Sets exactly these plans. Returns false if the site does not have one of them; then the caller throws. */
export async function setPlans(ctx: Ctx, owner: Owner, planUids: string[]): Promise<boolean> {
  const { plans, column } = joins[owner.kind]
  await sql`
    delete from ${sql.table(plans)} joined using ${sql.table(owner.kind)} owner, access_plans
    where owner.uid = ${owner.uid} and owner.site_id = ${ctx.site.id} and joined.${sql.ref(column)} = owner.id
      and access_plans.id = joined.access_plan_id and access_plans.uid <> all(${planUids}::uuid[])`.execute(ctx.db)
  return addPlans(ctx, owner, planUids)
}

/** Adds these plans to the existing ones. Returns false if the site does not have one of them. */
async function addPlans(ctx: Ctx, owner: Owner, planUids: string[]): Promise<boolean> {
  const { plans, column } = joins[owner.kind]
  const { rows } = await sql<{ known: number }>`
    with plan as (
      select id from access_plans where site_id = ${ctx.site.id} and uid = any(${planUids}::uuid[])),
    added as (
      insert into ${sql.table(plans)} (site_id, ${sql.ref(column)}, access_plan_id)
      select owner.site_id, owner.id, plan.id from ${sql.table(owner.kind)} owner, plan
      where owner.uid = ${owner.uid} and owner.site_id = ${ctx.site.id}
      on conflict do nothing)
    select count(*)::int as known from plan`.execute(ctx.db)
  return rows[0]?.known === planUids.length
}

export function unknownPlan(): Invalid {
  return new Invalid('One of the access plans does not exist.')
}

/** Sets exactly these tags. Ignores tags that the site does not have. */
export async function setTags(ctx: Ctx, owner: Owner, tagUids: string[]): Promise<void> {
  const { tags, column } = joins[owner.kind]
  await sql`
    delete from ${sql.table(tags)} joined using ${sql.table(owner.kind)} owner, tags
    where owner.uid = ${owner.uid} and owner.site_id = ${ctx.site.id} and joined.${sql.ref(column)} = owner.id
      and tags.id = joined.tag_id and tags.uid <> all(${tagUids}::uuid[])`.execute(ctx.db)
  await sql`
    insert into ${sql.table(tags)} (site_id, ${sql.ref(column)}, tag_id)
    select owner.site_id, owner.id, tags.id from ${sql.table(owner.kind)} owner, tags
    where owner.uid = ${owner.uid} and owner.site_id = ${ctx.site.id}
      and tags.site_id = owner.site_id and tags.uid = any(${tagUids}::uuid[])
    on conflict do nothing`.execute(ctx.db)
}

/** Gives a tag to these items. Items that have it, or that are gone, stay as they are. */
export async function addTagToItems(ctx: Ctx, input: { tagId: number; carriers: Carriers }): Promise<void> {
  for (const kind of contentKinds) {
    const { tags, column } = joins[kind]
    const ids = input.carriers[kind] ?? []
    if (ids.length === 0) continue
    await sql`
      insert into ${sql.table(tags)} (site_id, ${sql.ref(column)}, tag_id)
      select item.site_id, item.id, ${input.tagId} from ${sql.table(kind)} item
      where item.site_id = ${ctx.site.id} and item.id = any(${ids}::bigint[])
      on conflict do nothing`.execute(ctx.db)
  }
}

/** Takes a tag away from these items. */
export async function removeTagFromItems(ctx: Ctx, input: { tagId: number; carriers: Carriers }): Promise<void> {
  for (const kind of contentKinds) {
    const { tags, column } = joins[kind]
    const ids = input.carriers[kind] ?? []
    if (ids.length === 0) continue
    await sql`
      delete from ${sql.table(tags)} own
      where own.site_id = ${ctx.site.id} and own.tag_id = ${input.tagId}
        and own.${sql.ref(column)} = any(${ids}::bigint[])`.execute(ctx.db)
  }
}
