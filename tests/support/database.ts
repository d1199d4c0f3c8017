import { afterAll, inject } from 'vitest'
import { cloneDatabase, dropDatabase } from './test-postgres.ts'

const made: string[] = []

/**
 * A migrated, empty database for the caller: once per test file, or once per test that needs it. Returns its address.
 */
export async function freshDatabase(): Promise<string> {
  const url = await cloneDatabase(inject('templateUrl'))
  made.push(url)
  return url
}

afterAll(async () => {
  for (const url of made.splice(0)) await dropDatabase(url)
})
