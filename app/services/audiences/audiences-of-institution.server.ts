import { sql } from 'kysely'
import { type Ctx, requireAdmin } from '../context.ts'

/** Counts the audiences whose rules name an institution. They no longer find its people when it is deleted. */
export async function countAudiencesOfInstitution(ctx: Ctx, input: { institutionUid: string }): Promise<number> {
  requireAdmin(ctx)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audiences
    where site_id = ${ctx.site.id} and deleted_at is null and exists (
      select from jsonb_array_elements(rule) condition
      where condition ->> 'about' = 'institution'
        and condition -> 'values' ? ${input.institutionUid.toLowerCase()})`.execute(ctx.db)
  return rows[0]?.count ?? 0
}
