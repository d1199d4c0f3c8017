import type { Ctx } from '../context.ts'

export type AccessPlan = { uid: string; name: string }

/** "Groups with access": the plans of the site, by name. They are on every public page of prices, and no secret. */
export async function listAccessPlans(ctx: Ctx, input: { publicOnly?: boolean } = {}): Promise<AccessPlan[]> {
  let query = ctx.db
    .selectFrom('access_plans')
    .select(['uid', 'name'])
    .where('site_id', '=', ctx.site.id)
    .orderBy('name')
  if (input.publicOnly) query = query.where('is_public', '=', true)
  return query.execute()
}
