import type { Ctx } from '../context.ts'

type AccessPlan = { uid: string; name: string }

/**
 * Lists the plans of the site ("Groups with access") by name. They are not secret: every public pricing page shows
 * them.
 */
export async function listAccessPlans(ctx: Ctx, input: { publicOnly?: boolean } = {}): Promise<AccessPlan[]> {
  let query = ctx.db
    .selectFrom('access_plans')
    .select(['uid', 'name'])
    .where('site_id', '=', ctx.site.id)
    .orderBy('name')
  if (input.publicOnly) query = query.where('is_public', '=', true)
  return query.execute()
}
