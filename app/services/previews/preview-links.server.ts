/**
 * Preview links: they show one content, also a draft, to anybody of the site who is signed in and has the link, for seven
 * days or until staff revoke it. They open nothing else.
 */
import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { mostPreviewLinks, type PreviewedKind, previewedKinds, previewLinkDays } from '~/forms/previews.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { joins } from '../access/parts.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff, requireViewer, type SystemCtx } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { newUid } from '../input.ts'

export type PreviewedItem = { kind: PreviewedKind; itemUid: string }

export type PreviewLink = {
  uid: string
  planName: string
  expiresAt: Date
  /** Empty for the operator and for an account that is gone. */
  createdBy: string
}

const day = 86_400_000

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * Creates a link and returns its token, which is not stored and cannot be read again. Sending the same uid again gives
 * the one link a new token.
 */
export async function createPreviewLink(
  ctx: Ctx,
  input: PreviewedItem & { uid?: string; planUid: string },
): Promise<{ uid: string; token: string; expiresAt: Date }> {
  requireStaff(ctx, 'write')
  const uid = newUid(input.uid)
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(ctx.now.getTime() + previewLinkDays * day)
  return inTransaction(ctx, async (ctx) => {
    const item = await lockItem(ctx, input)
    const plan = await findPlan(ctx, input.planUid)
    if (!plan) {
      const message = 'Please choose a group.'
      throw new Invalid(message, { planUid: message })
    }
    const { rows } = await sql<{ isNew: boolean }>`
      insert into preview_links as link
        (uid, site_id, kind, item_uid, access_plan_id, token_hash, created_by, created_at, expires_at)
      values (${uid}, ${ctx.site.id}, ${input.kind}, ${item.uid}, ${plan.id}, ${hashOf(token)},
        ${ctx.viewer?.id ?? null}, ${ctx.now}, ${expiresAt})
      on conflict (uid) do update set token_hash = excluded.token_hash
      where link.site_id = excluded.site_id and link.kind = excluded.kind and link.item_uid = excluded.item_uid
        and link.created_by is not distinct from excluded.created_by and link.revoked_at is null
        and link.expires_at > ${ctx.now}
      returning xmax = 0 as "isNew"`.execute(ctx.db)
    const [row] = rows
    if (!row) throw new Conflict('preview_link.exists', 'This link exists already. Please open the dialog again.')
    if (row.isNew) {
      await refuseTooMany(ctx, { kind: input.kind, itemUid: item.uid })
      await recordAudit(ctx, {
        action: `${input.kind}.preview_link_created`,
        entity: input.kind,
        entityUid: item.uid,
        after: { plan: plan.name, expiresAt },
      })
    }
    return { uid, token, expiresAt }
  })
}

/** Links of one content are made one after the other. Throws NotFound if it is gone. */
async function lockItem(ctx: Ctx, { kind, itemUid }: PreviewedItem): Promise<{ uid: string }> {
  if (!previewedKinds.includes(kind) || !isUid(itemUid)) throw new NotFound()
  const { rows } = await sql<{ uid: string }>`
    select uid from ${sql.table(`${kind}s`)}
    where uid = ${itemUid} and site_id = ${ctx.site.id} and deleted_at is null for no key update`.execute(ctx.db)
  if (!rows[0]) throw new NotFound()
  return rows[0]
}

/** Returns the name of content to preview. For staff. Throws NotFound if it is gone. */
/** `planUids` are those of the plans that can open it. */
export async function getItemToPreview(
  ctx: Ctx,
  { kind, itemUid }: PreviewedItem,
): Promise<{ uid: string; name: string; planUids: string[] }> {
  requireStaff(ctx)
  if (!previewedKinds.includes(kind) || !isUid(itemUid)) throw new NotFound()
  const { plans, column } = joins[`${kind}s`]
  const { rows } = await sql<{ uid: string; name: string; planUids: string[] }>`
    select uid, name, array(
      select plan.uid from ${sql.table(plans)} own join access_plans plan on plan.id = own.access_plan_id
      where own.${sql.ref(column)} = item.id) as "planUids"
    from ${sql.table(`${kind}s`)} item
    where uid = ${itemUid} and site_id = ${ctx.site.id} and deleted_at is null`.execute(ctx.db)
  if (!rows[0]) throw new NotFound()
  return rows[0]
}

export type PreviewPlan = { id: number; uid: string; name: string }

export async function findPlan(ctx: Ctx, planUid: string): Promise<PreviewPlan | undefined> {
  if (!isUid(planUid)) return undefined
  return ctx.db
    .selectFrom('access_plans')
    .select(['id', 'uid', 'name'])
    .where('uid', '=', planUid)
    .where('site_id', '=', ctx.site.id)
    .executeTakeFirst()
}

async function refuseTooMany(ctx: Ctx, item: PreviewedItem): Promise<void> {
  if ((await listOpenLinks(ctx, item)).length <= mostPreviewLinks) return
  const most = `There are ${mostPreviewLinks} preview links already. Please revoke one of them first.`
  throw new Conflict('preview_link.too_many', most)
}

/** Lists the links of one content that still work, the newest first. For staff. */
export async function listPreviewLinks(ctx: Ctx, item: PreviewedItem): Promise<PreviewLink[]> {
  requireStaff(ctx)
  if (!previewedKinds.includes(item.kind) || !isUid(item.itemUid)) return []
  return listOpenLinks(ctx, item)
}

async function listOpenLinks(ctx: Ctx, { kind, itemUid }: PreviewedItem): Promise<PreviewLink[]> {
  const { rows } = await sql<PreviewLink>`
    select link.uid, plan.name as "planName", link.expires_at as "expiresAt",
      coalesce(trim(users.first_name || ' ' || users.last_name), '') as "createdBy"
    from preview_links link join access_plans plan on plan.id = link.access_plan_id
    left join users on users.id = link.created_by
    where link.site_id = ${ctx.site.id} and link.kind = ${kind} and link.item_uid = ${itemUid}
      and link.revoked_at is null and link.expires_at > ${ctx.now}
    order by link.created_at desc, link.id desc limit ${mostPreviewLinks + 1}`.execute(ctx.db)
  return rows
}

/** Ends a link at once. Repeating it changes nothing. */
export async function revokePreviewLink(ctx: Ctx, input: { linkUid: string }): Promise<void> {
  requireStaff(ctx, 'write')
  if (!isUid(input.linkUid)) throw new NotFound()
  await inTransaction(ctx, async (ctx) => {
    const link = await ctx.db
      .selectFrom('preview_links')
      .select(['id', 'kind', 'item_uid as itemUid', 'revoked_at as revokedAt'])
      .where('uid', '=', input.linkUid)
      .where('site_id', '=', ctx.site.id)
      .forUpdate()
      .executeTakeFirst()
    if (!link) throw new NotFound()
    if (link.revokedAt !== null) return
    await ctx.db.updateTable('preview_links').set({ revoked_at: ctx.now }).where('id', '=', link.id).execute()
    const { kind, itemUid } = link
    await recordAudit(ctx, { action: `${kind}.preview_link_revoked`, entity: kind, entityUid: itemUid })
  })
}

type OpenLink = { kind: PreviewedKind; itemUid: string; planUid: string }

/** What a link shows. Throws NotFound for a link that never was, has expired, was revoked, or is of another site. */
export async function getOpenLink(ctx: Ctx, input: { token: string }): Promise<OpenLink> {
  requireViewer(ctx)
  const [link] = await findOpenLinks(ctx, [input.token])
  if (!link) throw new NotFound()
  return link
}

/** The context, with what these tokens open. Tokens that open nothing are ignored, and nobody is told. */
export async function withPreviews(ctx: Ctx, input: { tokens: string[] }): Promise<Ctx> {
  if (input.tokens.length === 0 || !ctx.viewer) return ctx
  const links = await findOpenLinks(ctx, input.tokens)
  return { ...ctx, previewed: links.map(({ kind, itemUid }) => ({ kind: `${kind}s` as const, uid: itemUid })) }
}

async function findOpenLinks(ctx: Ctx, tokens: string[]): Promise<OpenLink[]> {
  if (ctx.viewer?.siteId !== ctx.site.id) return []
  const { rows } = await sql<OpenLink>`
    select link.kind, link.item_uid as "itemUid", plan.uid as "planUid"
    from preview_links link join access_plans plan on plan.id = link.access_plan_id
    where link.site_id = ${ctx.site.id} and link.token_hash = any(${tokens.map(hashOf)}::bytea[])
      and link.revoked_at is null and link.expires_at > ${ctx.now}`.execute(ctx.db)
  return rows
}

/** The job: deletes links that have expired. */
export async function deleteExpiredPreviewLinks(ctx: SystemCtx): Promise<void> {
  await ctx.db.deleteFrom('preview_links').where('expires_at', '<=', ctx.now).execute()
}
