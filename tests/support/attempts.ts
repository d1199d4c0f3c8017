/** People with attempts at modules, for tests of what staff do with attempts. */
import type { Ctx, Viewer } from '~/services/context.ts'
import type { Database } from '~db/client.server.ts'
import { aModule, type ModuleSpec, storyOf, type TestModule, visit } from './cmi5.ts'
import { aContext, aUser } from './context.ts'
import { ctx, db } from './test.ts'

export type Person = Ctx & { viewer: Viewer }

export async function aPerson(db: Database, options: Parameters<typeof aUser>[1] = {}): Promise<Person> {
  const viewer = await aUser(db, options)
  return { ...(await aContext(db, { viewer, ...(options.site && { site: options.site }) })), viewer }
}

/** An author of the site and an admin of the other one, in the database of the test file. */
export async function aSiteWithStaff(): Promise<{ db: Database; system: Ctx; author: Person; foreignAdmin: Person }> {
  return {
    db,
    system: ctx,
    author: await aPerson(db, { groups: ['authors'], plan: null }),
    foreignAdmin: await aPerson(db, { groups: ['admins'], site: 'ns' }),
  }
}

/** A learner who has begun a module: by default one with two units, the first one completed. */
export async function aStory(system: Ctx, spec: ModuleSpec = { units: [{ id: 'a' }, { id: 'b' }] }) {
  const module = await aModule(system, spec)
  const learner = await aPerson(system.db)
  const launch = { moduleVersionUid: module.versionUid }
  const { session } = await visit(learner, { ...launch, unitIndex: 0 }, 'completed')
  return { module, learner, launch, registrationUid: session.registrationUid, session }
}

/** The short verbs of all statements of an attempt. */
export async function verbsOf(db: Database, registrationUid: string): Promise<string[]> {
  return (await storyOf(db, registrationUid)).map(({ verb }) => verb)
}

export function unitUid(module: Pick<TestModule, 'units'>, index: number): string {
  return module.units[index]?.uid ?? ''
}

/** Runs the same work this many times at once. */
export function times<T>(count: number, work: (index: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
  return Promise.allSettled(Array.from({ length: count }, (_, index) => work(index)))
}
