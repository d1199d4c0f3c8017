/**
 * Security events: lines of the log that monitoring can count and alert on (docs/security.md). They hold no address, no
 * name and no token: a person and a network appear as keyed hashes, which are the same in each line about them.
 */
import { createHmac } from 'node:crypto'
import { emailKey } from '~/lib/text.ts'
import { onCommit } from '~db/transaction.server.ts'
import { actorOf, type Ctx } from '../context.ts'
import { addressPrefix } from '../limits/limits.server.ts'
import { signingKey } from '../sites/keys.server.ts'

/** What went wrong for whoever tried it. */
const failures = ['sign_in.failed', 'attempt.must_wait', 'password.wrong', 'link.wrong'] as const
export type SecurityEvent = (typeof failures)[number] | 'sign_in.succeeded' | 'role.granted' | AuditedEvent

/** Entries of the audit log that are security events, too. */
const auditedEvents = [
  'access_token.created',
  'access_token.revoked',
  'user.address_kept',
  'user.password_changed',
  'user.password_reset',
  'user.deactivated',
  'xapi_client.created',
  'xapi_client.revoked',
] as const
type AuditedEvent = (typeof auditedEvents)[number]

/**
 * Writes an event to the log, in a transaction once it is committed. `account` is the key of an address. What the
 * operator does by a command is no event: nobody collects the output of commands.
 */
export async function logSecurityEvent(
  ctx: Ctx,
  event: SecurityEvent,
  about: { account?: string; kind?: string; groups?: string[] } = {},
): Promise<void> {
  if (actorOf(ctx) === 'operator') return
  const { account = ctx.viewer ? emailKey(ctx.viewer.email) : undefined, ...more } = about
  const fields = {
    event: `security.${event}`,
    site: ctx.site.key,
    ...(ctx.address !== null && { network: await pseudonym(ctx, addressPrefix(ctx.address)) }),
    ...(account !== undefined && { account: await pseudonym(ctx, account) }),
    ...more,
  }
  const isFailure = failures.some((one) => one === event)
  onCommit(() => ctx.log[isFailure ? 'warn' : 'info'](fields, 'security event'))
}

/** Returns the event of an audit entry; null if it is none. */
export function eventOfAudit(action: string): SecurityEvent | null {
  return auditedEvents.find((one) => one === action) ?? null
}

async function pseudonym(ctx: Ctx, text: string): Promise<string> {
  const key = await signingKey(ctx.db, 'token_key')
  return createHmac('sha256', key).update(`log|${ctx.site.id}|${text}`).digest('base64url').slice(0, 16)
}
