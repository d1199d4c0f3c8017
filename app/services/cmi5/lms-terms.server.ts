import type { Database } from '~db/client.server.ts'
import type { Ctx } from '../context.ts'
import { courseIri } from '../packages/iris.ts'
import { getInstallationValue } from '../sites/sites.server.ts'
import { type Agent, identifierOf, iriKey, resolveTerms } from '../xapi/xapi.server.ts'
import type { Package } from './structure.server.ts'
import { verbs } from './vocabulary.ts'

/** Returns the learner's actor: an account on our home page, without personal data (cmi5 8.1.3, 9.2). */
export async function actorOf(
  db: Database,
  userUid: string,
): Promise<Agent & { account: NonNullable<Agent['account']> }> {
  return { objectType: 'Agent', account: { homePage: await getInstallationValue(db, 'iri_base'), name: userUid } }
}

/** Returns the authority of the statements of units and of the LMS itself. */
export async function lmsAuthority(db: Database): Promise<Agent> {
  return {
    objectType: 'Agent',
    name: 'Titrate',
    account: { homePage: await getInstallationValue(db, 'iri_base'), name: 'lms' },
  }
}

export async function courseIriOf(db: Database, moduleUid: string): Promise<string> {
  return courseIri(await getInstallationValue(db, 'iri_base'), moduleUid)
}

/** Creates the rows of all agents, verbs and activities that the LMS may name in a transaction about this package. */
export async function prepareTerms(ctx: Ctx, pkg: Package, names: { moduleUid: string; actor: Agent }): Promise<void> {
  const authority = await lmsAuthority(ctx.db)
  await resolveTerms(ctx, {
    agents: [identifierOf(names.actor), identifierOf(authority)],
    verbs: Object.values(verbs),
    activities: [
      await courseIriOf(ctx.db, names.moduleUid),
      pkg.publisherId,
      ...pkg.units.flatMap((unit) => [unit.iri, unit.publisherId]),
      ...pkg.blocks.flatMap((block) => [block.iri, block.publisherId]),
    ].map(iriKey),
  })
}
