/**
 * Proof that the person in front of the browser knows the password of the account: asked for before whatever would give
 * somebody with a borrowed session more than the session.
 */
import { logSecurityEvent } from '../audit/security-events.server.ts'
import { type Ctx, requireViewer, type Viewer } from '../context.ts'
import { Invalid } from '../errors.ts'
import { type Attempt, slowDown, unlessBusy } from './attempts.server.ts'
import { verifyPassword } from './passwords.server.ts'

const wrongCurrent = 'Current password is incorrect.'

/**
 * Checks that the viewer knows the password. This counts as an attempt, which the caller clears once the whole action
 * succeeds.
 */
export async function confirmOwnPassword(
  ctx: Ctx,
  currentPassword: string,
): Promise<{ attempt: Attempt; passwordHash: string | null }> {
  const viewer = requireViewer(ctx, 'write')
  const attempt = await slowDown(ctx, 'change-password', viewer.uid)
  const passwordHash = await findPasswordHash(ctx, viewer)
  const typed = currentPassword.normalize('NFC')
  if (typed.length > 500 || !(await unlessBusy(ctx, attempt, verifyPassword(passwordHash, typed)))) {
    await logSecurityEvent(ctx, 'password.wrong')
    throw refusedCurrent()
  }
  return { attempt, passwordHash }
}

export function refusedCurrent(): Invalid {
  return new Invalid(wrongCurrent, { currentPassword: wrongCurrent }, 'password.wrong_current')
}

async function findPasswordHash(ctx: Ctx, viewer: Viewer): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('users')
    .select('password_hash as passwordHash')
    .where('id', '=', viewer.id)
    .executeTakeFirst()
  return row?.passwordHash ?? null
}

type Owner = Viewer & { passwordHash: string | null }

/** Locks the account before its tokens and sessions. Returns null if it has been closed or erased in the meantime. */
export async function lockOwner(ctx: Ctx, userUid: string): Promise<Owner | null> {
  const row = await ctx.db
    .selectFrom('users')
    .select(['id', 'uid', 'email', 'first_name as firstName', 'last_name as lastName', 'password_hash as passwordHash'])
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', userUid)
    .where('is_active', '=', true)
    .where('erased_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!row) return null
  const { email, firstName, lastName } = row
  return {
    ...row,
    email: email ?? '',
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    siteId: ctx.site.id,
    groups: [],
    planId: null,
    accessEndedAt: null,
  }
}
