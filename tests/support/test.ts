/**
 * What nearly every test of a service begins with: `import { ctx, db, site } from '../support/test.ts'`. Vitest loads its modules
 * anew for each file of tests, so each file has a database of its own, and the helpers of the file have it too.
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
/** The context of nobody on the first site. */
export const ctx = await aContext(db)
export const { site } = ctx

const groups: GroupName[] = ['learners', 'instructors', 'authors', 'admins']

/**
 * Expects a service function to refuse everybody but people of the groups `by` on the site of what `input` names: who is
 * signed out, who is in another group, who has the right group on the other site and asks here, and who asks there, where
 * the thing does not exist. `elsewhere` is what the other site answers if it is something else: null for what has no thing
 * to look for, such as a function that creates one.
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
