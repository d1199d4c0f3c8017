/**
 * Views of reports that admins saved under a name: for themselves, or shared with the admins of the site. Only their
 * owner changes them. A view is a question that was checked when it was saved.
 */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { ReportDefinition } from '~/forms/report-list.ts'
import { questionOfChoice, type ReportChoice, type ReportQuestion, whyNotKept } from '~/forms/reports.ts'
import { savedViewForm, savedViewLimits, sortPattern } from '~/forms/saved-views.ts'
import { caseKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin, requireViewer } from '../context.ts'
import { Conflict, Invalid, NotFound, requireThat } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { type DescribedQuestion, describeQuestions } from './describe-questions.server.ts'
import { maySeeReports } from './report-recipients.server.ts'
import { getReportChoice } from './reports.server.ts'

export type SavedView = {
  uid: string
  name: string
  path: string
  question: ReportQuestion
  sort: string | null
  isShared: boolean
  isOwn: boolean
  /** Who made it. */
  owner: string
}

export type DescribedView = SavedView & DescribedQuestion

type ViewInput = { name: string; isShared?: boolean }

const ownerName = sql`coalesce(nullif(concat_ws(' ', users.first_name, users.last_name), ''), 'Somebody')`

/**
 * Lists the views of the viewer, and then those that other admins of the site share. Those of somebody who is no admin any
 * more are left out, because nobody could change them.
 */
export async function listSavedViews(
  ctx: Ctx,
  input: NumberedPageInput = {},
): Promise<{ items: DescribedView[]; total: number }> {
  requireAdmin(ctx)
  const { limit, offset } = limitsOfPage({ size: savedViewLimits.page, ...input })
  const found = visibleViews(ctx)
  const [{ rows }, { rows: counts }] = await Promise.all([
    sql<SavedView>`
      select ${viewColumns(ctx)} from ${found}
      order by saved_views.user_id <> ${ctx.viewer?.id ?? 0}, saved_views.name, saved_views.id
      limit ${limit} offset ${offset}`.execute(ctx.db),
    sql<{ total: number }>`select count(*)::int as total from ${found}`.execute(ctx.db),
  ])
  const described = await describeQuestions(ctx, rows)
  return {
    items: rows.map((row, index) => ({ ...row, ...(described[index] as DescribedQuestion) })),
    total: counts[0]?.total ?? 0,
  }
}

const visibleViews = (ctx: Ctx) => sql`
  saved_views join users on users.id = saved_views.user_id
  where saved_views.site_id = ${ctx.site.id} and saved_views.deleted_at is null
    and (saved_views.user_id = ${ctx.viewer?.id ?? 0}
      or saved_views.is_shared and ${maySeeReports(sql.ref('users'))})`

const viewColumns = (ctx: Ctx) => sql`
  saved_views.uid, saved_views.name::text, report as path, question, sort, is_shared as "isShared",
  saved_views.user_id = ${ctx.viewer?.id ?? 0} as "isOwn", ${ownerName} as owner`

/** Finds a view that the viewer can open, by the uid in the address of a report; null if there is none. */
export async function findSavedView(ctx: Ctx, input: { viewUid: string }): Promise<SavedView | null> {
  requireAdmin(ctx)
  if (!isUid(input.viewUid)) return null
  const { rows } = await sql<SavedView>`
    select ${viewColumns(ctx)} from ${visibleViews(ctx)} and saved_views.uid = ${input.viewUid}`.execute(ctx.db)
  return rows[0] ?? null
}

/** Returns a view of the viewer. Throws Forbidden for one that somebody else shares. */
export async function getOwnSavedView(
  ctx: Ctx,
  input: { viewUid: string },
): Promise<{ uid: string; name: string; isShared: boolean }> {
  requireAdmin(ctx)
  const { uid, name, isShared } = await lockOwn(ctx, input.viewUid, { isLocked: false })
  return { uid, name, isShared }
}

/**
 * Saves a question under a name. With a `uid` made by the client, a repeated request saves it once; what has been typed
 * since is saved as a change.
 */
export async function createSavedView(
  ctx: Ctx,
  input: ViewInput & { uid?: string; path: string; question: ReportQuestion; sort?: string | null },
): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  const values = parseInput(savedViewForm, input)
  const { report, choice } = await getReportChoice(ctx, input)
  refuseOne(report, choice)
  const uid = newUid(input.uid)
  return inTransaction(ctx, async (ctx) => {
    // Their row keeps the number of their views right while others are saved at the same time.
    await sql`select from users where id = ${viewer.id} for no key update`.execute(ctx.db)
    if (await isOwnUid(ctx, viewer.id, uid)) return updateSavedView(ctx, { ...values, viewUid: uid })
    await refuseMore(ctx, viewer.id)
    const made = await ctx.db
      .insertInto('saved_views')
      .values({
        uid,
        site_id: ctx.site.id,
        user_id: viewer.id,
        name: values.name,
        name_key: caseKey(values.name),
        report: report.path,
        question: JSON.stringify(questionOfChoice(choice)),
        sort: sortOf(input),
        is_shared: values.isShared,
        created_at: ctx.now,
        updated_at: ctx.now,
      })
      .onConflict((oc) => oc.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) throw (await isKnown(ctx, uid)) ? new NotFound() : nameIsTaken(values.name)
    const after = { ...values, report: report.title }
    await recordAudit(ctx, { action: 'saved_view.created', entity: 'saved_view', entityUid: uid, after })
    return { uid, name: values.name }
  })
}

async function isOwnUid(ctx: Ctx, userId: number, uid: string): Promise<boolean> {
  const { rows } = await sql`
    select from saved_views
    where uid = ${uid} and site_id = ${ctx.site.id} and user_id = ${userId} and deleted_at is null`.execute(ctx.db)
  return rows.length > 0
}

async function isKnown(ctx: Ctx, uid: string): Promise<boolean> {
  const { rows } = await sql`select from saved_views where uid = ${uid}`.execute(ctx.db)
  return rows.length > 0
}

async function refuseMore(ctx: Ctx, userId: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from saved_views where user_id = ${userId} and deleted_at is null`.execute(ctx.db)
  if ((rows[0]?.count ?? 0) < savedViewLimits.views) return
  throw new Conflict('saved_view.too_many', `You can save at most ${savedViewLimits.views} views. Delete one first.`)
}

/** Renames a view of the viewer, and shares it or stops sharing it. */
export async function updateSavedView(
  ctx: Ctx,
  input: ViewInput & { viewUid: string },
): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  const values = parseInput(savedViewForm, input)
  return inTransaction(ctx, async (ctx) => {
    const { id, uid, name, isShared } = await lockOwn(ctx, input.viewUid)
    if (name === values.name && isShared === values.isShared) return { uid, name }
    await ctx.db
      .updateTable('saved_views')
      .set({
        name: values.name,
        name_key: caseKey(values.name),
        is_shared: values.isShared,
        updated_at: ctx.now,
      })
      .where('id', '=', id)
      .execute()
      .catch((error: unknown) => {
        throw isTaken(error) ? nameIsTaken(values.name) : error
      })
    const change = { before: { name, isShared }, after: values }
    await recordAudit(ctx, { action: 'saved_view.updated', entity: 'saved_view', entityUid: uid, ...change })
    return { uid, name: values.name }
  })
}

/** Gives a view of the viewer another question of its report. */
export async function updateSavedQuestion(
  ctx: Ctx,
  input: { viewUid: string; path: string; question: ReportQuestion; sort?: string | null },
): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  const { report, choice } = await getReportChoice(ctx, input)
  refuseOne(report, choice)
  return inTransaction(ctx, async (ctx) => {
    const { id, uid, name, path, ...before } = await lockOwn(ctx, input.viewUid)
    if (path !== report.path) throw new Invalid('This view is about another report. Save a new one.')
    const after = { question: questionOfChoice(choice), sort: sortOf(input) }
    if (isDeepStrictEqual(after, { question: before.question, sort: before.sort })) return { uid, name }
    await ctx.db
      .updateTable('saved_views')
      .set({ question: JSON.stringify(after.question), sort: after.sort, updated_at: ctx.now })
      .where('id', '=', id)
      .execute()
    const change = { before: { question: before.question, sort: before.sort }, after }
    await recordAudit(ctx, { action: 'saved_view.updated', entity: 'saved_view', entityUid: uid, ...change })
    return { uid, name }
  })
}

function refuseOne(report: ReportDefinition, choice: ReportChoice): void {
  const reason = whyNotKept(report, choice)
  if (reason !== null) throw new Invalid(reason)
}

function sortOf({ sort }: { sort?: string | null }): string | null {
  return sort && sortPattern.test(sort) ? sort : null
}

/** Deletes a view of the viewer. For thirty days it can be undone. */
export async function deleteSavedView(ctx: Ctx, input: { viewUid: string }): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { id, uid, name } = await lockOwn(ctx, input.viewUid)
    await ctx.db.updateTable('saved_views').set({ deleted_at: ctx.now }).where('id', '=', id).execute()
    await recordAudit(ctx, { action: 'saved_view.deleted', entity: 'saved_view', entityUid: uid, before: { name } })
    return { uid, name }
  })
}

/** Brings back a view of the viewer that was deleted in the last thirty days. One that is there stays as it is. */
export async function restoreSavedView(ctx: Ctx, input: { viewUid: string }): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    await sql`select from users where id = ${viewer.id} for no key update`.execute(ctx.db)
    const { id, uid, name, deletedAt } = await lockOwn(ctx, input.viewUid, { withDeleted: true })
    if (deletedAt === null) return { uid, name }
    if (deletedAt <= daysAgo(ctx, restorableDays)) throw new NotFound('This view was deleted too long ago.')
    await refuseMore(ctx, viewer.id)
    await ctx.db
      .updateTable('saved_views')
      .set({ deleted_at: null })
      .where('id', '=', id)
      .execute()
      .catch((error: unknown) => {
        throw isTaken(error) ? nameIsTaken(name) : error
      })
    await recordAudit(ctx, { action: 'saved_view.restored', entity: 'saved_view', entityUid: uid, after: { name } })
    return { uid, name }
  })
}

/** A view that was deleted in the last thirty days. */
export type RemovedView = { uid: string; name: string; removedAt: Date }

/** Lists what `restoreSavedView` can bring back, newest first, up to a hundred. */
export async function listRemovedViews(ctx: Ctx): Promise<RemovedView[]> {
  requireAdmin(ctx)
  const { rows } = await sql<RemovedView>`
    select uid, name::text, deleted_at as "removedAt" from saved_views
    where site_id = ${ctx.site.id} and user_id = ${ctx.viewer?.id ?? 0} and deleted_at > ${daysAgo(ctx, restorableDays)}
    order by deleted_at desc, id desc limit 100`.execute(ctx.db)
  return rows
}

type OwnView = {
  id: number
  uid: string
  name: string
  path: string
  question: ReportQuestion
  sort: string | null
  isShared: boolean
  userId: number
  deletedAt: Date | null
}

/** Throws NotFound for what the viewer cannot see, and Forbidden for what somebody else shares. */
async function lockOwn(ctx: Ctx, viewUid: string, { withDeleted = false, isLocked = true } = {}): Promise<OwnView> {
  if (!isUid(viewUid)) throw new NotFound()
  const { rows } = await sql<OwnView>`
    select id, uid, name::text, report as path, question, sort, is_shared as "isShared", user_id as "userId",
      deleted_at as "deletedAt"
    from saved_views
    where site_id = ${ctx.site.id} and uid = ${viewUid} ${isLocked ? sql`for update` : sql``}`.execute(ctx.db)
  const [view] = rows
  if (!view || (view.deletedAt !== null && !withDeleted)) throw new NotFound()
  const isOwn = view.userId === ctx.viewer?.id
  if (!isOwn && (!view.isShared || view.deletedAt !== null)) throw new NotFound()
  requireThat(isOwn)
  return view
}

function isTaken(error: unknown): boolean {
  return (error as { code?: string }).code === '23505'
}

function nameIsTaken(name: string): Conflict {
  const problem = `You already have a view “${name}”.`
  return new Conflict('saved_view.name_taken', problem, { name: problem })
}
