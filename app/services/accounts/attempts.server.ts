import { env } from '~/config/env.server.ts'
import type { Ctx } from '../context.ts'
import { Unavailable } from '../errors.ts'
import { addressPrefix, clearAttempts, countAttempts, uncountAttempt } from '../limits/limits.server.ts'

const windowSeconds = 15 * 60

type AttemptKind = 'login' | 'reset-request' | 'link' | 'change-password'
export type Attempt = { account: string; prefix: string; pair: string }

/**
 * Counts an attempt against an account, or against what was typed as one. Beyond the limit it waits, twice as long each
 * time, up to eight seconds. A prefix that keeps trying one account is refused for the rest of the window; the owner,
 * who comes from another address, is not.
 */
export async function slowDown(ctx: Ctx, kind: AttemptKind, subject: string): Promise<Attempt> {
  const limit = env().LOGIN_ATTEMPTS_PER_15_MIN
  const source = addressPrefix(ctx.address)
  const attempt = {
    account: `${kind}:${ctx.site.id}:${subject}`,
    prefix: `${kind}-from:${source}`,
    pair: `${kind}:${ctx.site.id}:${subject}:from:${source}`,
  }
  const [account = 0, prefix = 0, pair = 0] = await countAttempts(
    ctx,
    [attempt.account, attempt.prefix, attempt.pair],
    windowSeconds,
  )
  if (pair > limit * 2)
    throw new Unavailable('Too many attempts. Please wait a few minutes and try again.', 300, 'rate_limited')
  const excess = Math.max(pair - limit, account - limit * 5, prefix - limit * 10)
  if (excess > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(8000, 250 * 2 ** Math.min(excess, 6))))
  return attempt
}

/** Removes an attempt after a success, so that a class that signs in from one network does not look like an attack. */
export async function clearAttempt(ctx: Ctx, attempt: Attempt): Promise<void> {
  await clearAttempts(ctx, [attempt.pair])
  await uncountAttempt(ctx, [attempt.account, attempt.prefix])
}

/** Runs the work of a counted attempt. The attempt does not count if the server is too busy. */
export async function unlessBusy<T>(ctx: Ctx, attempt: Attempt, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Unavailable) await uncountAttempt(ctx, [attempt.account, attempt.prefix, attempt.pair])
    throw error
  }
}
