import { isUid } from '~/lib/uid.ts'
import { isListed } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { idleSince } from './unit-sessions.server.ts'

/** The people affected when a module's package is replaced. */
export type PeopleInModule = {
  /** People with an attempt that was begun (or moved) and is not finished. They stay on its version. */
  inProgress: number
  /** Those of `inProgress` who have the module open now. */
  openNow: number
  /** Those of `inProgress` who are in a version other than the published one, and so could be moved to it. */
  inOtherVersions: number
}

/** Counts the people in a module, for staff. Previews do not count. */
export async function countPeopleInModule(ctx: Ctx, input: { moduleUid: string }): Promise<PeopleInModule> {
  requireStaff(ctx)
  if (!isUid(input.moduleUid)) return { inProgress: 0, openNow: 0, inOtherVersions: 0 }
  return await ctx.db
    .selectFrom('registrations')
    .innerJoin('modules', 'modules.id', 'registrations.module_id')
    .innerJoin('users', (join) =>
      join.onRef('users.id', '=', 'registrations.user_id').on('users.erased_at', 'is', null),
    )
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('launch_sessions')
          .select((eb) => [
            eb.fn.count<number>('initialized_at').as('begun'),
            eb.fn
              .countAll<number>()
              .filterWhere((eb) =>
                eb.and([
                  eb('terminated_at', 'is', null),
                  eb('abandoned_at', 'is', null),
                  eb('initialized_at', 'is not', null),
                  eb('launched_by', 'is', null),
                  eb('last_seen_at', '>', idleSince(ctx.now)),
                ]),
              )
              .as('open'),
          ])
          .whereRef('launch_sessions.registration_id', '=', 'registrations.id')
          .as('sessions'),
      (join) => join.onTrue(),
    )
    .select((eb) => [
      eb.fn.countAll<number>().as('inProgress'),
      eb.fn.countAll<number>().filterWhere('sessions.open', '>', 0).as('openNow'),
      eb.fn
        .countAll<number>()
        .filterWhere('registrations.module_version_id', '<>', eb.ref('modules.published_version_id'))
        .as('inOtherVersions'),
    ])
    .where('modules.uid', '=', input.moduleUid)
    .where(isListed(ctx, 'modules'))
    .where('registrations.is_preview', '=', false)
    .where('registrations.closed_at', 'is', null)
    .where('registrations.progress_percent', '<', 100)
    .where((eb) => eb.or([eb('sessions.begun', '>', 0), eb('registrations.moved_from_id', 'is not', null)]))
    .executeTakeFirstOrThrow()
}
