/**
 * View as a learner: an admin sees the learner area as somebody else would, for half an hour, and changes nothing. The
 * session stays the admin's. `findVisitor` reads the view with each request, and `openRequestContext` makes a context
 * from it in which nothing can be written.
 */
import { isUid } from '~/lib/uid.ts'
import { viewMinutes } from '~/lib/viewing.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, type GroupName, requireAdmin, requireViewer, type Viewer } from '../context.ts'
import { Conflict, Forbidden, NotFound } from '../errors.ts'
import { queue } from '../queue/queue.server.ts'
import { mayBeViewed } from './sessions.server.ts'

/**
 * Begins to view as a learner, for admins with a web session. Does nothing if this session already views as the same
 * person. Throws Conflict for everybody but learners who can log in, and while the session views as somebody else.
 */
export async function startViewing(ctx: Ctx, input: { userUid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  const admin = requireViewer(ctx, 'write')
  const sessionUid = ctx.session.uid
  if (sessionUid === null) throw new Forbidden('Learners are viewed on the site, by an admin who is logged in.')
  await inTransaction(ctx, async (ctx) => {
    const person = await findPerson(ctx, input.userUid)
    if (!person.isActive || !mayBeViewed(person)) {
      throw new Conflict('view.not_learner', 'You can view as learners who can log in, and not as admins or authors.')
    }
    await endViewing(ctx, { sessionUid, isOver: true })
    const expiresAt = new Date(ctx.now.getTime() + viewMinutes * 60_000)
    const begun = await ctx.db
      .insertInto('session_views')
      .values({
        session_uid: sessionUid,
        site_id: ctx.site.id,
        user_id: person.id,
        created_by: admin.id,
        created_at: ctx.now,
        expires_at: expiresAt,
      })
      .onConflict((oc) => oc.column('session_uid').doNothing())
      .executeTakeFirst()
    if (begun.numInsertedOrUpdatedRows === 0n) return requireSame(ctx, sessionUid, person.id)
    await queue(ctx, 'end-session-view', { sessionUid }, { runAt: expiresAt })
    await recordBoth(ctx, { admin, userUid: person.uid, what: 'started' })
  })
}

/** Stops viewing. Call it with the context of the session's owner. Returns the person; null if the view has ended. */
export async function stopViewing(ctx: Ctx): Promise<{ userUid: string | null }> {
  requireViewer(ctx, 'write')
  const { uid: sessionUid } = ctx.session
  if (sessionUid === null) return { userUid: null }
  return inTransaction(ctx, (ctx) => endViewing(ctx, { sessionUid, isOver: false }))
}

/** Job: ends a view whose time is over, also if the session has ended before. */
export async function endSessionView(ctx: Ctx, input: { sessionUid: string }): Promise<void> {
  await inTransaction(ctx, (ctx) => endViewing(ctx, { ...input, isOver: true }))
}

/** With `isOver`, ends the view only if its time is over. The deleted row decides who records the end. */
async function endViewing(
  ctx: Ctx,
  { sessionUid, isOver }: { sessionUid: string; isOver: boolean },
): Promise<{ userUid: string | null }> {
  let query = ctx.db
    .deleteFrom('session_views')
    .where('session_uid', '=', sessionUid)
    .where('site_id', '=', ctx.site.id)
  if (isOver) query = query.where('expires_at', '<=', ctx.now)
  const ended = await query
    .returning(['user_id as userId', 'created_by as adminId', 'expires_at as expiresAt'])
    .executeTakeFirst()
  if (!ended) return { userUid: null }
  const people = await ctx.db
    .selectFrom('users')
    .select(['id', 'uid', 'email', 'first_name as firstName', 'last_name as lastName'])
    .where('id', 'in', [ended.userId, ended.adminId])
    .execute()
  const admin = people.find(({ id }) => id === ended.adminId)
  const person = people.find(({ id }) => id === ended.userId)
  if (!admin || !person) return { userUid: null }
  const { email, firstName, lastName } = admin
  const names = { email: email ?? '', firstName: firstName ?? '', lastName: lastName ?? '' }
  const viewer = { ...admin, ...names, siteId: ctx.site.id, groups: [], planId: null, accessEndedAt: null }
  const now = ended.expiresAt < ctx.now ? ended.expiresAt : ctx.now
  await recordBoth({ ...ctx, viewer, now }, { admin: viewer, userUid: person.uid, what: 'ended' })
  return { userUid: person.uid }
}

/** Both people have the record: the history of the one says by whom they were viewed, that of the other whom they viewed. */
function recordBoth(
  ctx: Ctx,
  { admin, userUid, what }: { admin: Viewer; userUid: string; what: 'started' | 'ended' },
): Promise<void> {
  return recordAudit(
    ctx,
    { action: `user.view_${what}`, entity: 'user', entityUid: userUid },
    { action: `user.viewing_${what}`, entity: 'user', entityUid: admin.uid, after: { user: userUid } },
  )
}

async function requireSame(ctx: Ctx, sessionUid: string, userId: number): Promise<void> {
  const view = await ctx.db
    .selectFrom('session_views')
    .select('user_id as userId')
    .where('session_uid', '=', sessionUid)
    .executeTakeFirst()
  if (view?.userId === userId) return
  throw new Conflict('view.other', 'You are viewing as somebody else already. Please stop that first.')
}

async function findPerson(ctx: Ctx, userUid: string) {
  const row = isUid(userUid)
    ? await ctx.db
        .selectFrom('users')
        .select(['id', 'uid', 'is_active as isActive'])
        .where('uid', '=', userUid)
        .where('site_id', '=', ctx.site.id)
        .where('erased_at', 'is', null)
        .executeTakeFirst()
    : undefined
  if (!row) throw new NotFound('This user no longer exists.')
  const groups = await ctx.db.selectFrom('user_groups').select('name').where('user_id', '=', row.id).execute()
  return { ...row, groups: groups.map(({ name }) => name as GroupName) }
}
