import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { env } from './env.server.ts'

let build: string | undefined

/**
 * The number that clients compare to notice a new release: BUILD_NUMBER, or the fingerprint that the build wrote beside
 * the bundle.
 */
export function buildNumber(): string {
  build ??= env().BUILD_NUMBER ?? fingerprint()
  return build
}

function fingerprint(): string {
  const stamp = 'build/server/index.js'
  if (!existsSync(stamp)) return 'development'
  return createHash('sha256').update(readFileSync(stamp)).digest('hex').slice(0, 12)
}
