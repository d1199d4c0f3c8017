import type { Viewer } from '~/services/context.ts'
import { aModule, aModuleVersion, visit } from '../../support/cmi5.ts'
import { aContext, aUser, planOf } from '../../support/context.ts'
import type { Product } from './product.ts'

export type StaffStory = { name: string; uid: string; learner: Pick<Viewer, 'uid'>; unitUids: string[] }

/** A module in its second version, and a learner who has finished the first of three units in the first version. */
export async function aStaffStory({ db }: Product, site: 'institutional' | 'ns'): Promise<StaffStory> {
  const system = await aContext(db, { site })
  const plan = await db.selectFrom('access_plans').select('name').where('site_id', '=', system.site.id).execute()
  const planName = plan[0]?.name ?? ''
  await planOf(db, system.site.id, planName)
  const name = `Pharmacovigilance and Risk Management ${crypto.randomUUID().slice(0, 8)}`
  const units = [{ id: 'a' }, { id: 'b', masteryScore: 0.6 }, { id: 'c', launchParameters: 'level=2' }]
  const module = await aModule(system, { name, plan: planName, units })
  const learner = await aUser(db, {
    ...{ site, plan: planName, email: `${crypto.randomUUID()}@x.example` },
    ...{ firstName: 'María Guadalupe', lastName: 'Castellanos-Villaseñor' },
  })
  await visit({ ...system, viewer: learner }, { moduleVersionUid: module.versionUid, unitIndex: 0 }, 'completed')
  await aModuleVersion(system, module, { units: [...units, { id: 'd' }] })
  return { name, uid: module.uid, learner, unitUids: module.units.map(({ uid }) => uid) }
}
