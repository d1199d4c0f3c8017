/** Modules whose remaining units all open in other programs. Nobody is offered to start or resume them here. */
import { type RawBuilder, sql } from 'kysely'
import { type Ctx, requireViewer } from '../context.ts'
import { isForOtherProgram } from '../packages/packages.server.ts'

/**
 * SQL condition for queries of `modules`. It uses the version that a launch would open: the version of the open
 * attempt, in which completed units no longer count. If there is no such attempt, if it is complete (and would be
 * retaken), or if it was never begun and another version is published now, it uses the published version with all of
 * its units.
 */
export function isLeftElsewhere(ctx: Ctx): RawBuilder<boolean> {
  return sql<boolean>`(
    select coalesce(bool_and(${isForOtherProgram('unit.url')} or coalesce(record.progress, 0) = 100)
      and bool_or(${isForOtherProgram('unit.url')}), false)
    from (select) as one
    left join registrations attempt on attempt.user_id = ${requireViewer(ctx).id} and attempt.module_id = modules.id
      and not attempt.is_preview and attempt.closed_at is null and attempt.progress_percent < 100
      and (attempt.module_version_id = modules.published_version_id or attempt.moved_from_id is not null
        or exists (select from launch_sessions s where s.registration_id = attempt.id and s.initialized_at is not null))
    join cmi5_packages package
      on package.module_version_id = coalesce(attempt.module_version_id, modules.published_version_id)
    join cmi5_units unit on unit.package_id = package.id
    left join registration_units record on record.registration_id = attempt.id and record.unit_id = unit.id)`
}
