/**
 * The history of content: what the audit log says about each course, module, film, term and message. Every save is a revision, and any
 * revision can be saved again. The domain of the content does that, so that all its rules hold.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type HistoryKind, historyEventsOf } from '~/forms/history.ts'
import { isUid } from '~/lib/uid.ts'
import { findKnownParts, type KnownParts, type PartKeys } from '../access/known-parts.server.ts'
import { planAnnouncementRestore, restoreAnnouncementRevision } from '../announcements/restore-revision.server.ts'
import type { AuditFields } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin, requireStaff } from '../context.ts'
import { planCourseRestore, restoreCourseRevision } from '../courses/save-course.server.ts'
import { NotFound } from '../errors.ts'
import { planTermRestore, restoreTermRevision } from '../glossary/save-term.server.ts'
import { planLectureRestore, restoreLectureRevision } from '../lectures/save-lecture.server.ts'
import { planModuleRestore, restoreModuleRevision } from '../modules/save-module.server.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import type { RestoredRevision, RestoreInput, RestorePlan } from '../revisions.ts'
import { planVideoRestore, restoreVideoRevision } from '../videos/save-video.server.ts'

/** A kind of content: its table, who may edit it, and how its domain brings a revision back. */
type Kind = {
  table: 'announcements' | 'courses' | 'modules' | 'lectures' | 'videos' | 'glossary_terms'
  guard: (ctx: Ctx, access?: 'read' | 'write') => void
  /** A condition under which it can no longer change. */
  isFixed?: RawBuilder<SqlBool>
  plan: (ctx: Ctx, input: { uid: string; revision: number }) => Promise<RestorePlan>
  restore: (ctx: Ctx, input: RestoreInput) => Promise<RestoredRevision>
}

const kinds: Record<HistoryKind, Kind> = {
  announcement: {
    table: 'announcements',
    guard: requireAdmin,
    isFixed: sql<SqlBool>`(status = 'sent' or sending in ('preparing', 'sending', 'stopped', 'done'))`,
    plan: planAnnouncementRestore,
    restore: restoreAnnouncementRevision,
  },
  course: { table: 'courses', guard: requireStaff, plan: planCourseRestore, restore: restoreCourseRevision },
  module: { table: 'modules', guard: requireStaff, plan: planModuleRestore, restore: restoreModuleRevision },
  lecture: { table: 'lectures', guard: requireStaff, plan: planLectureRestore, restore: restoreLectureRevision },
  video: { table: 'videos', guard: requireStaff, plan: planVideoRestore, restore: restoreVideoRevision },
  glossary_term: { table: 'glossary_terms', guard: requireAdmin, plan: planTermRestore, restore: restoreTermRevision },
}

type Of = { kind: HistoryKind; uid: string }

/** What the audit log says about one change. `revision` is null for one that is no save of the form. */
export type HistoryEntry = {
  id: number
  revision: number | null
  action: string
  by: string
  at: Date
  before: AuditFields
  after: AuditFields
}

export type History = {
  uid: string
  name: string
  /** The revision of the present state. */
  revision: number
  isDeleted: boolean
  /** It can no longer change, like a message that was sent. */
  isFixed: boolean
  /** Newest first. */
  entries: HistoryEntry[]
  page: number
  size: number
  total: number
}

const pageSize = 20

/**
 * Lists a page of the changes of a course, module, film or term, for those who may edit it. Content that was deleted keeps its
 * history as long as it can be restored.
 */
export async function listHistory(ctx: Ctx, input: Of & { page?: number }): Promise<History> {
  const { kind, page = 1 } = input
  kinds[kind].guard(ctx)
  const subject = await getSubject(ctx, input)
  const about = ctx.db
    .selectFrom('audit_entries')
    .where('entity', '=', kind)
    .where('entity_uid', '=', subject.uid)
    .where('site_id', '=', ctx.site.id)
    // Not that somebody has assigned it.
    .where(
      'action',
      'in',
      Object.keys(historyEventsOf(kind)).map((event) => `${kind}.${event}`),
    )
  const [rows, { total }] = await Promise.all([
    about
      .select(['id', 'action', 'actor_name as by', 'at', 'before', 'after'])
      .select(sql<number | null>`(after ->> 'revision')::int`.as('revision'))
      .orderBy('id', 'desc')
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .execute(),
    about.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  const entries = rows.map((row) => ({
    ...row,
    before: (row.before ?? {}) as AuditFields,
    after: (row.after ?? {}) as AuditFields,
  }))
  return { ...subject, entries, page, size: pageSize, total }
}

type Subject = Pick<History, 'uid' | 'name' | 'revision' | 'isDeleted' | 'isFixed'>

async function getSubject(ctx: Ctx, { kind, uid }: Of): Promise<Subject> {
  if (!isUid(uid)) throw new NotFound()
  const { rows } = await sql<Subject>`
    select uid, name, revision, deleted_at is not null as "isDeleted",
      ${kinds[kind].isFixed ?? sql`false`} as "isFixed"
    from ${sql.table(kinds[kind].table)}
    where uid = ${uid} and site_id = ${ctx.site.id}
      and (deleted_at is null or deleted_at > ${daysAgo(ctx, restorableDays)})`.execute(ctx.db)
  const [subject] = rows
  if (!subject) throw new NotFound()
  return subject
}

/** Who saved a revision, and when; null if the audit log does not say. */
type Saved = { by: string; at: Date } | null

/** Says what bringing back a revision would change, for those who may edit the content. */
export async function planRevisionRestore(
  ctx: Ctx,
  input: Of & { revision: number },
): Promise<RestorePlan & { saved: Saved }> {
  const { kind, uid, revision } = input
  kinds[kind].guard(ctx)
  const plan = await kinds[kind].plan(ctx, { uid, revision })
  const saved = await ctx.db
    .selectFrom('audit_entries')
    .select(['actor_name as by', 'at'])
    .where('entity', '=', kind)
    .where('entity_uid', '=', uid)
    .where('site_id', '=', ctx.site.id)
    .where(sql<boolean>`after ->> 'revision' = ${String(revision)}`)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return { ...plan, saved: saved ?? null }
}

/**
 * Saves content as it was at an earlier revision, as a new revision, for those who may edit it. What no longer exists
 * stays out. Repeating it changes nothing; `opened` refuses it if somebody has saved since the person was asked.
 */
export async function restoreRevision(ctx: Ctx, input: Of & Omit<RestoreInput, 'uid'>): Promise<RestoredRevision> {
  const { kind, ...rest } = input
  kinds[kind].guard(ctx, 'write')
  return kinds[kind].restore(ctx, rest)
}

/** Finds the names of what revisions refer to, for those who may edit content. */
export async function findPartsOfHistory(ctx: Ctx, keys: PartKeys): Promise<KnownParts> {
  requireStaff(ctx)
  return findKnownParts(ctx, keys)
}
