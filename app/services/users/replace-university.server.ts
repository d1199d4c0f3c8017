import { sql } from 'kysely'
import { partsOf } from '~/lib/groups.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { removeUniversity } from '../institutions/institutions.server.ts'
import { projectFacetsOf } from '../questionnaire/questionnaire.server.ts'

/**
 * Moves the people of an institution to another one and deletes it. For admins (C-108 to C-110). The institution that is
 * the site's default stays.
 */
export async function deleteUniversity(
  ctx: Ctx,
  input: { universityUid: string; replacementUid: string },
): Promise<void> {
  requireAdmin(ctx, 'write')
  const universityUid = input.universityUid.toLowerCase()
  const replacementUid = input.replacementUid.toLowerCase()
  if (!isUid(universityUid) || !isUid(replacementUid)) throw new NotFound()
  if (universityUid === replacementUid) throw new Invalid('Choose another institution as the replacement.')
  await inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ id: number; uid: string; isDefault: boolean }>`
      select universities.id, universities.uid,
        exists (select from sites where default_university_id = universities.id) as "isDefault"
      from universities
      where site_id = ${ctx.site.id} and uid = any(${[universityUid, replacementUid]}::uuid[])
      order by id for update`.execute(ctx.db)
    const university = rows.find(({ uid }) => uid === universityUid)
    const replacement = rows.find(({ uid }) => uid === replacementUid)
    if (!university || !replacement) throw new NotFound('One of these institutions no longer exists.')
    if (university.isDefault) {
      throw new Conflict('university.default', 'This is the default institution of the site and cannot be deleted.')
    }
    const moved = await ctx.db
      .updateTable('users')
      .set((eb) => ({ university_id: replacement.id, revision: eb('revision', '+', 1), updated_at: ctx.now }))
      .where('site_id', '=', ctx.site.id)
      .where('university_id', '=', university.id)
      .returning(['uid', 'revision'])
      .execute()
    await projectFacetsOf(ctx, { userUids: moved.map(({ uid }) => uid) })
    await recordMoves(ctx, moved)
    await removeUniversity(ctx, { universityUid })
    await recordAudit(ctx, {
      action: 'university.deleted',
      entity: 'university',
      entityUid: universityUid,
      after: { replacementUid, users: moved.length },
    })
  })
}

/** A form of one of these people that is open has another revision by now. */
async function recordMoves(ctx: Ctx, moved: { uid: string; revision: number }[]): Promise<void> {
  for (const part of partsOf(moved, 1000)) {
    const entries = part.map(({ uid, revision }) => ({
      action: 'user.updated',
      entity: 'user',
      entityUid: uid,
      after: { fields: ['university'], revision },
    }))
    await recordAudit(ctx, ...entries)
  }
}
