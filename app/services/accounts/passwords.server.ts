import { hash, verify } from '@node-rs/argon2'
import { dictionary } from '@zxcvbn-ts/language-common'
import { searchKey } from '~/lib/text.ts'
import { turns } from '~/lib/turns.ts'
import { Invalid, Unavailable } from '../errors.ts'

/** argon2id with the parameters of the OWASP cheat sheet: 19 MiB, two passes. */
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const common = new Set((dictionary.passwords as string[]).slice(0, 3000))

/** Each verification takes 19 MiB and a core for a while, so only a few run at once and the others wait. */
const hashing = turns({
  running: 4,
  // About five seconds of work. Anyone behind more waiting people would give up before the response.
  waiting: 200,
  refusal: () =>
    new Unavailable('Too many people are signing in right now. Please try again in a few seconds.', 5, 'busy'),
})

export function hashPassword(password: string): Promise<string> {
  return hashing.run(() => hash(password, options))
}

let decoy: Promise<string> | undefined

/**
 * Verifies a password. Without a hash it verifies against a decoy, so that an unknown address takes as long as a known
 * one.
 */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  decoy ??= hash('no account has this password', options)
  const target = passwordHash ?? (await decoy)
  const matches = await hashing.run(() => verify(target, password))
  return matches && passwordHash !== null
}

type Person = { firstName: string; lastName: string; email: string }

/** Throws Invalid for passwords that attackers try first. */
export function refuseTooCommon(password: string, person: Person): void {
  if (!isTooCommon(password, person)) return
  const message = 'This password is too common. Choose another one.'
  throw new Invalid(message, { password: message }, 'password.too_common')
}

/**
 * Matches the most common passwords, also with digits or signs in front or behind, and the person's own name or
 * address.
 */
function isTooCommon(password: string, person: Person): boolean {
  const plain = password.toLowerCase()
  const core = plain.replace(/^[\d\W_]+|[\d\W_]+$/g, '')
  if (common.has(plain) || common.has(core)) return true
  const { firstName, lastName, email } = person
  const names = [firstName, lastName, firstName + lastName, lastName + firstName, email, email.split('@')[0] ?? '']
  const own = names.map(lettersOf).filter((name) => name.length >= 3)
  return [core, plain].some((word) => own.includes(lettersOf(word)))
}

/** Returns the letters of a text without marks and capitals: "Hana Sato1" becomes "hanasato". */
function lettersOf(text: string): string {
  return searchKey(text).replace(/[^\p{L}]/gu, '')
}
