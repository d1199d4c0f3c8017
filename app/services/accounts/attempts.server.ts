import { env } from '~/config/env.server.ts'
import { logSecurityEvent } from '../audit/security-events.server.ts'
import type { Ctx } from '../context.ts'
import { Unavailable } from '../errors.ts'
import { addressPrefix, admitAttempt, clearAttempts, countAttempts, uncountAttempt } from '../limits/limits.server.ts'
import { findKnownBrowser } from './known-browsers.server.ts'

const windowSeconds = 15 * 60
/** How long to wait after the last free attempt. Each further attempt doubles it, up to the longest. */
const firstWaitSeconds = 5
const longestWaitSeconds = 300
/** How long an answer is held back at most, while an account or a network gets far more attempts than usual. */
const longestDelayMs = 4000

type AttemptKind = 'login' | 'reset-request' | 'link' | 'change-password'
export type Attempt = {
  /** The key whose attempts have to wait. */
  gate: string
  /** The keys of the whole account and the whole network. */
  counted: string[]
}

/**
 * Counts an attempt against an account, or against what was typed as one. Beyond the limit, attempts from the same
 * network are told to wait, twice as long each time, up to five minutes; after that time the next one is checked again.
 * Attempts while waiting are refused and change nothing. Nobody is locked out: a browser in which somebody has signed in
 * to the account before has a counter of its own, and a mailed link makes any browser such a browser.
 */
export async function slowDown(ctx: Ctx, kind: AttemptKind, subject: string): Promise<Attempt> {
  const limit = env().LOGIN_ATTEMPTS_PER_15_MIN
  const about = `${kind}:${ctx.site.id}:${subject}`
  const known = kind === 'login' ? await findTrustedBrowser(ctx, about, subject, limit) : null
  const gate = known ? `${about}:browser:${known}` : `${about}:from:${addressPrefix(ctx.address)}`
  const { waitSeconds } = await admitAttempt(ctx, gate, {
    free: limit,
    windowSeconds,
    firstWaitSeconds,
    longestWaitSeconds,
  })
  if (waitSeconds > 0) {
    if (known) await uncountAttempt(ctx, [knownKey(about)])
    await logSecurityEvent(ctx, 'attempt.must_wait', { kind, ...(kind === 'login' && { account: subject }) })
    throw tooMany(kind, waitSeconds)
  }
  if (known) return { gate, counted: [knownKey(about)] }
  const counted = [about, `${kind}-from:${addressPrefix(ctx.address)}`]
  const [account = 0, network = 0] = await countAttempts(ctx, counted, windowSeconds)
  const excess = Math.max(account - limit * 5, network - limit * 10)
  if (excess > 0) await new Promise((resolve) => setTimeout(resolve, delayMs(excess)))
  return { gate, counted }
}

/**
 * Returns this browser's number, unless all known browsers of the account together have used up what the account has:
 * somebody who collected marks gets no more attempts out of them.
 */
async function findTrustedBrowser(ctx: Ctx, about: string, subject: string, limit: number): Promise<string | null> {
  const known = await findKnownBrowser(ctx, subject)
  if (!known) return null
  const [count = 0] = await countAttempts(ctx, [knownKey(about)], windowSeconds)
  return count > limit * 5 ? null : known
}

function knownKey(about: string): string {
  return `${about}:known`
}

function delayMs(excess: number): number {
  return Math.min(longestDelayMs, 250 * 2 ** Math.min(excess, 6))
}

function tooMany(kind: AttemptKind, seconds: number): Unavailable {
  const time = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} second${seconds === 1 ? '' : 's'}`
  const way = kind === 'login' ? ', or choose a new password with "Forgot password?"' : ''
  return new Unavailable(`Too many attempts. Please wait ${time} and try again${way}.`, seconds, 'rate_limited')
}

/** Removes an attempt after a success, so that a class that signs in from one network does not look like an attack. */
export async function clearAttempt(ctx: Ctx, attempt: Attempt): Promise<void> {
  await clearAttempts(ctx, [attempt.gate])
  await uncountAttempt(ctx, attempt.counted)
}

/** Runs the work of a counted attempt. The attempt does not count if the server is too busy. */
export async function unlessBusy<T>(ctx: Ctx, attempt: Attempt, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Unavailable) await uncountAttempt(ctx, [attempt.gate, ...attempt.counted])
    throw error
  }
}
