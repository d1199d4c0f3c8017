import { isUid } from '~/lib/uid.ts'
import { isListed, isOpenable, seesDrafts } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'
import { Conflict, Forbidden, NotFound } from '../errors.ts'
import type { LaunchMode } from './vocabulary.ts'

/** A module that this viewer may open, as far as a launch needs it. */
export type Launchable = {
  id: number
  uid: string
  name: string
  namedVersionId: number
  publishedVersionId: number | null
}

/** Not visible reads as NotFound; Coming Soon is refused in words; drafts open for staff, by preview only. */
export async function findLaunchable(
  ctx: Ctx,
  input: { moduleVersionUid: string; preview?: boolean; mode?: LaunchMode },
): Promise<Launchable> {
  if (!isUid(input.moduleVersionUid)) throw new NotFound()
  const row = await ctx.db
    .selectFrom('module_versions as v')
    .innerJoin('modules', 'modules.id', 'v.module_id')
    .select(['modules.id', 'modules.uid', 'modules.name', 'modules.coming_soon as isComingSoon'])
    .select(['modules.published_version_id as publishedVersionId', 'v.id as namedVersionId'])
    .select(isOpenable(ctx, 'modules').as('isOpenable'))
    .where('v.uid', '=', input.moduleVersionUid)
    .where(isListed(ctx, 'modules'))
    .executeTakeFirst()
  if (!row) throw new NotFound()
  const { isComingSoon, isOpenable: mayOpen, ...module } = row
  if ((input.preview || (input.mode && input.mode !== 'Normal')) && !seesDrafts(ctx)) throw new Forbidden()
  if (input.preview) return module
  if (isComingSoon) throw new Conflict('module.coming_soon', 'This module is coming soon and cannot be opened yet.')
  if (!mayOpen) throw new NotFound()
  return module
}
