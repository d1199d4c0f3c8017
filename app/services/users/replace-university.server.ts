/**
 * Deletes institutions, for admins. Their people move to another institution, so deleting one is also how two are
 * merged. For thirty days it can be undone.
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import { replaceInstitutionForm } from '~/forms/institutions.ts'
import { partsOf } from '~/lib/groups.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin, type SystemCtx } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import {
  bringBackUniversity,
  lockUniversities,
  removeUniversity,
  type University,
} from '../institutions/institutions.server.ts'
import { projectFacetsOf } from '../questionnaire/questionnaire.server.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { isOfSite } from './table-entries.server.ts'

type ReplaceInput = z.input<typeof replaceInstitutionForm>

/** Locks the institution to delete and its replacement. */
async function lockPair(ctx: Ctx, input: ReplaceInput) {
  const { institution, replacement } = parseInput(replaceInstitutionForm, input)
  const found = await lockUniversities(ctx, { uids: [institution, replacement] })
  const from = found.find(({ uid }) => uid === institution)
  const into = found.find(({ uid }) => uid === replacement)
  if (!from) throw new NotFound('This institution no longer exists.')
  if (!into) {
    const problem = 'This institution no longer exists. Choose another one.'
    throw new Invalid(problem, { replacement: problem })
  }
  // Read after the locks: somebody may have made it the default while this waited.
  const { rows } = await sql`select from sites where default_university_id = ${from.id}`.execute(ctx.db)
  if (rows.length > 0) {
    const problem = 'This is the default institution of the site and cannot be deleted.'
    throw new Conflict('university.default', problem, { institution: problem })
  }
  return { from, into }
}

export type Replacement = { from: University; into: University; people: number }

/** Says what `deleteUniversity` would do: how many people move, and where. */
export async function planReplacement(ctx: Ctx, input: ReplaceInput): Promise<Replacement> {
  requireAdmin(ctx)
  return inTransaction(ctx, async (ctx) => {
    const { from, into } = await lockPair(ctx, input)
    const { count } = await ctx.db
      .selectFrom('users')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(isOfSite(ctx))
      .where('university_id', '=', from.id)
      .executeTakeFirstOrThrow()
    return { from: { uid: from.uid, name: from.name }, into: { uid: into.uid, name: into.name }, people: count }
  })
}

/**
 * Moves the people of an institution to its replacement and deletes it (C-108 to C-110). The site's default institution
 * stays. Returns the uid of the removal, which can be undone.
 */
export async function deleteUniversity(ctx: Ctx, input: ReplaceInput): Promise<Replacement & { removalUid: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { from, into } = await lockPair(ctx, input)
    const removal = await ctx.db
      .insertInto('removed_universities')
      .values({
        site_id: ctx.site.id,
        university_uid: from.uid,
        name: from.name,
        name_key: from.key,
        replacement_uid: into.uid,
        deleted_by: ctx.viewer?.id ?? null,
        removed_at: ctx.now,
      })
      .returning(['id', 'uid'])
      .executeTakeFirstOrThrow()
    await sql`
      insert into removed_university_people (removal_id, site_id, user_id)
      select ${removal.id}, site_id, id from users
      where ${isOfSite(ctx)} and university_id = ${from.id}`.execute(ctx.db)
    const people = await movePeople(ctx, into.id, sql`users.university_id = ${from.id}`)
    await removeUniversity(ctx, { universityUid: from.uid })
    await recordAudit(ctx, {
      action: 'university.deleted',
      entity: 'university',
      entityUid: from.uid,
      before: { name: from.name },
      after: { replacement: into.name, users: people },
    })
    return {
      removalUid: removal.uid,
      people,
      from: { uid: from.uid, name: from.name },
      into: { uid: into.uid, name: into.name },
    }
  })
}

/** Moves people to an institution. A form of one of them that is open has another revision by now. Returns their number. */
async function movePeople(ctx: Ctx, universityId: number, who: ReturnType<typeof sql<boolean>>): Promise<number> {
  const moved = await ctx.db
    .updateTable('users')
    .set((eb) => ({ university_id: universityId, revision: eb('revision', '+', 1), updated_at: ctx.now }))
    .where('site_id', '=', ctx.site.id)
    .where(who)
    .returning(['uid', 'revision'])
    .execute()
  for (const part of partsOf(moved, 1000)) {
    await projectFacetsOf(ctx, { userUids: part.map(({ uid }) => uid) })
    const entries = part.map(({ uid, revision }) => ({
      action: 'user.updated',
      entity: 'user',
      entityUid: uid,
      after: { fields: ['university'], revision },
    }))
    await recordAudit(ctx, ...entries)
  }
  return moved.length
}

/** An institution that was deleted in the last thirty days. */
export type RemovedUniversity = {
  uid: string
  name: string
  replacement: string | null
  removedAt: Date
  removedBy: string
}

const mostRemoved = 100

/**
 * Lists what `restoreUniversity` can bring back, some only after a later one, newest first, up to a hundred, for admins.
 */
export async function listRemovedUniversities(ctx: Ctx): Promise<RemovedUniversity[]> {
  requireAdmin(ctx)
  return await ctx.db
    .selectFrom('removed_universities as removed')
    .leftJoin('universities as target', (join) =>
      join.onRef('target.uid', '=', 'removed.replacement_uid').onRef('target.site_id', '=', 'removed.site_id'),
    )
    .leftJoin('users', 'users.id', 'removed.deleted_by')
    .select(['removed.uid', 'removed.name', 'target.name as replacement', 'removed.removed_at as removedAt'])
    .select(sql<string>`concat_ws(' ', users.first_name, users.last_name)`.as('removedBy'))
    .where('removed.site_id', '=', ctx.site.id)
    .where('removed.removed_at', '>', daysAgo(ctx, restorableDays))
    .orderBy('removed.removed_at', 'desc')
    .orderBy('removed.id', 'desc')
    .limit(mostRemoved)
    .execute()
}

/**
 * Brings an institution back, with everybody who still belongs to its replacement. Who has another institution by now
 * keeps that one. If an institution of this name was made in the meantime, that one is used. Conflict if the replacement
 * was deleted later, or has the name now.
 */
export async function restoreUniversity(
  ctx: Ctx,
  input: { removalUid: string },
): Promise<University & { people: number }> {
  requireAdmin(ctx, 'write')
  const gone = 'This institution has already been brought back, or it was deleted too long ago.'
  if (!isUid(input.removalUid)) throw new NotFound(gone)
  return inTransaction(ctx, async (ctx) => {
    const removal = await ctx.db
      .selectFrom('removed_universities')
      .selectAll()
      .where('site_id', '=', ctx.site.id)
      .where('uid', '=', input.removalUid)
      .where('removed_at', '>', daysAgo(ctx, restorableDays))
      .forUpdate()
      .executeTakeFirst()
    if (!removal) throw new NotFound(gone)
    // It may be about to be deleted.
    await lockUniversities(ctx, { uids: [removal.replacement_uid] })
    const later = await ctx.db
      .selectFrom('removed_universities')
      .select('name')
      .where('site_id', '=', ctx.site.id)
      .where('university_uid', '=', removal.replacement_uid)
      .where('removed_at', '>', daysAgo(ctx, restorableDays))
      .executeTakeFirst()
    if (later) {
      const problem = `The people moved to “${later.name}”, which was deleted later. Bring that one back first.`
      throw new Conflict('university.deleted_later', problem)
    }
    const university = await bringBackUniversity(ctx, {
      uid: removal.university_uid,
      name: removal.name,
      key: removal.name_key,
    })
    if (university.uid === removal.replacement_uid) {
      const problem = `The institution that its people moved to is called “${university.name}” now. Rename that one first.`
      throw new Conflict('university.replacement_has_name', problem)
    }
    // Those that were merged into it before find it under its new uid.
    await ctx.db
      .updateTable('removed_universities')
      .set({ replacement_uid: university.uid })
      .where('site_id', '=', ctx.site.id)
      .where('replacement_uid', '=', removal.university_uid)
      .execute()
    const people = await movePeople(
      ctx,
      university.id,
      sql<boolean>`users.erased_at is null
        and users.id in (select user_id from removed_university_people where removal_id = ${removal.id})
        and users.university_id = (
          select id from universities where site_id = ${ctx.site.id} and uid = ${removal.replacement_uid})`,
    )
    await ctx.db.deleteFrom('removed_universities').where('id', '=', removal.id).execute()
    await recordAudit(ctx, {
      action: 'university.restored',
      entity: 'university',
      entityUid: university.uid,
      after: { name: university.name, users: people },
    })
    return { uid: university.uid, name: university.name, people }
  })
}

/** The job: drops the notes about institutions that can no longer be brought back. */
export async function purgeRemovedUniversities(ctx: SystemCtx): Promise<void> {
  await ctx.db.deleteFrom('removed_universities').where('removed_at', '<=', daysAgo(ctx, restorableDays)).execute()
}
