/** The modules that learners fail, for the overview. */
import { sql } from 'kysely'
import { isListed } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { failingAttempts } from './failed-test.ts'

export type FailingModule = {
  uid: string
  name: string
  /** As many as the module's report lists under "Failing". */
  learners: number
}

/** Lists the modules in which most learners are failing, for staff. */
export async function listFailingModules(ctx: Ctx, input: { limit: number }): Promise<FailingModule[]> {
  requireStaff(ctx)
  const { rows } = await sql<FailingModule>`
    select modules.uid, modules.name::text as name, failing.learners
    from (
      select p.module_id, count(distinct p.user_id)::int as learners
      from ${failingAttempts(ctx)} attempt
      join module_progress p on p.user_id = attempt.user_id and p.module_id = attempt.module_id
        and p.site_id = ${ctx.site.id} and p.completed_at is null
      join users on users.id = p.user_id and users.site_id = ${ctx.site.id} and users.erased_at is null
      group by p.module_id) failing
    join modules on modules.id = failing.module_id
    where ${isListed(ctx, 'modules')}
    order by failing.learners desc, modules.name_key, modules.id limit ${input.limit}`.execute(ctx.db)
  return rows
}
