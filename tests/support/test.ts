/**
 * Most service tests begin with `import { ctx, db, site } from '../support/test.ts'`. Vitest loads its modules again
 * for each test file, so each file has its own database, which the file's helpers use too.
 */
import { afterAll, expect } from 'vitest'
import type { Ctx, GroupName } from '~/services/context.ts'
import { Forbidden, NotFound, type ServiceError } from '~/services/errors.ts'
import { aContext, aUser, openTestDatabase } from './context.ts'
import { freshDatabase } from './database.ts'

/** A migrated database with reference data, dropped when the tests of the file are done. */
export const databaseUrl = await freshDatabase()
const opened = await openTestDatabase(databaseUrl)
afterAll(opened.close)

export const { db } = opened
/** The context without a viewer on the first site. */
export const ctx = await aContext(db)
export const { site } = ctx

const groups: GroupName[] = ['learners', 'instructors', 'authors', 'admins']

/**
 * Expects a service function to refuse everybody except people in the groups `by` on the site of the thing that `input`
 * names. It tries signed-out visitors, people in other groups, and people with the right group on the other site, both
 * on this site and on theirs, where the thing does not exist. `elsewhere` is the error on the other site, NotFound by
 * default; null skips this check, for functions that look for no existing thing, such as those that create one.
 */
export async function expectGuarded<Input>(
  fn: (ctx: Ctx, input: Input) => Promise<unknown>,
  input: Input,
  { by, elsewhere = NotFound }: { by: GroupName[]; elsewhere?: (new (...args: never[]) => ServiceError) | null },
): Promise<void> {
  await expect(fn(await aContext(db), input), 'signed out').rejects.toThrow('Login required.')
  for (const group of groups.filter((one) => !by.includes(one))) {
    const someone = await aContext(db, { viewer: await aUser(db, { groups: [group] }) })
    await expect(fn(someone, input), `one of the ${group}`).rejects.toThrow(Forbidden)
  }
  for (const group of by) {
    const viewer = await aUser(db, { site: 'ns', groups: [group], plan: null })
    const strayed = await aContext(db, { viewer })
    const refused = expect(fn(strayed, input), `one of the ${group} of the other site, here`).rejects
    await refused.toSatisfy((error) => error instanceof Forbidden || error instanceof NotFound)
    if (elsewhere === null) continue
    const there = await aContext(db, { viewer, site: 'ns' })
    await expect(fn(there, input), `one of the ${group} of the other site, there`).rejects.toThrow(elsewhere)
  }
}
