/** Sections and chapters: the outline of the process taught, three phases and ten steps, on each site its own. */
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'

export type Section = { uid: string; name: string; description: string; frontendId: 'discover' | 'develop' | 'deliver' }
export type Chapter = { uid: string; name: string }

/** In order. They are no secret: every visitor of the site sees the outline. */
export async function listSections(ctx: Ctx): Promise<Section[]> {
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

/** By section uid, in order. */
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
