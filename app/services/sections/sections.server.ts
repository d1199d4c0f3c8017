/**
 * Sections and chapters: the outline of the process that is taught, with three phases and ten steps. Each site has its
 * own.
 */
import { sql } from 'kysely'
import { isSameSet } from '~/lib/sets.ts'
import { isUid } from '~/lib/uid.ts'
import { findActorOf, recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'

export type Section = { uid: string; name: string; description: string; frontendId: 'discover' | 'develop' | 'deliver' }
export type Chapter = { uid: string; name: string }

const ordered = 'section.chapters_ordered'

/** Lists sections in order, for everybody who is signed in. */
export async function listSections(ctx: Ctx): Promise<Section[]> {
  requireViewer(ctx)
  const rows = await selectSections(ctx).orderBy('position').orderBy('id').execute()
  return rows.map(toSection)
}

export async function getSection(ctx: Ctx, input: { sectionUid: string }): Promise<Section> {
  const row = isUid(input.sectionUid)
    ? await selectSections(ctx).where('uid', '=', input.sectionUid).executeTakeFirst()
    : undefined
  if (!row) throw new NotFound()
  return toSection(row)
}

/** Lists the chapters of sections in order, by section uid. */
export async function listChaptersOfSections(ctx: Ctx, sectionUids: string[]): Promise<Map<string, Chapter[]>> {
  const chapters = new Map<string, Chapter[]>(sectionUids.map((uid) => [uid, []]))
  if (sectionUids.length === 0) return chapters
  const rows = await ctx.db
    .selectFrom('chapters')
    .innerJoin('sections', 'sections.id', 'chapters.section_id')
    .select(['sections.uid as sectionUid', 'chapters.uid', 'chapters.name'])
    .where('sections.site_id', '=', ctx.site.id)
    .where('sections.uid', 'in', sectionUids)
    .orderBy('chapters.position')
    .orderBy('chapters.id')
    .execute()
  for (const { sectionUid, uid, name } of rows) chapters.get(sectionUid)?.push({ uid, name })
  return chapters
}

function selectSections(ctx: Ctx) {
  return ctx.db
    .selectFrom('sections')
    .select(['uid', 'name', 'description', 'frontend_id as frontendId'])
    .where('site_id', '=', ctx.site.id)
}

function toSection(row: { uid: string; name: string; description: string; frontendId: string }): Section {
  return { ...row, frontendId: row.frontendId as Section['frontendId'] }
}

/** Locks chapters of the site until the transaction ends, always in the same order. Returns how many there are. */
export async function lockChapters(ctx: Ctx, input: { chapterUids: string[] }): Promise<number> {
  const rows = await ctx.db
    .selectFrom('chapters')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('uid', 'in', input.chapterUids)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.length
}

/**
 * Sets the order of a section's chapters, in the caller's transaction. The list must contain each of them once.
 * `openedChapterUids`, if given, must be their order until now. An order that is stored already is no change.
 */
export async function orderChapters(
  ctx: Ctx,
  input: { sectionUid: string; chapterUids: string[]; openedChapterUids?: string[] },
): Promise<void> {
  const chapters = await ctx.db
    .selectFrom('chapters')
    .innerJoin('sections', 'sections.id', 'chapters.section_id')
    .select(['chapters.uid', 'chapters.position'])
    .where('sections.site_id', '=', ctx.site.id)
    .where('sections.uid', '=', input.sectionUid)
    .orderBy('chapters.id')
    .forUpdate('chapters')
    .execute()
  if (chapters.length === 0) throw new NotFound()
  const now = [...chapters].sort((one, other) => one.position - other.position).map(({ uid }) => uid)
  if (input.chapterUids.join() === now.join()) return
  const isReordered = input.openedChapterUids !== undefined && input.openedChapterUids.join() !== now.join()
  if (isReordered || !isSameSet(now, input.chapterUids)) {
    const { name } = await getSection(ctx, input)
    const actor = await findActorOf(ctx, {
      entity: 'section',
      action: ordered,
      states: [{ entityUid: input.sectionUid, after: { chapterUids: now } }],
    })
    throw new Conflict(
      'chapters.not_in_step',
      `${actor ?? 'Somebody'} has changed the chapters of ${name} in the meantime.`,
    )
  }
  await ctx.db
    .updateTable('chapters')
    .set({ position: sql<number>`array_position(${input.chapterUids}::uuid[], uid)`, updated_at: ctx.now })
    .where('site_id', '=', ctx.site.id)
    .where('uid', 'in', input.chapterUids)
    .execute()
  await recordAudit(ctx, {
    action: ordered,
    entity: 'section',
    entityUid: input.sectionUid,
    after: { chapterUids: input.chapterUids },
  })
}
