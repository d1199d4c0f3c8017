/**
 * A demo site without real packages, which take time: writes the rows that the parser would have written, and seeds
 * everything else.
 */
import path from 'node:path'
import type { SiteKey } from '~/config/brands.ts'
import { markDemo } from '~/services/sites/sites.server.ts'
import type { Database } from '~db/client.server.ts'
import { readSources } from '../../seed/activity/activity.ts'
import { seedAnnouncements } from '../../seed/announcements.ts'
import { seedCourses } from '../../seed/courses.ts'
import { planUids, seedPeople } from '../../seed/demo.ts'
import { uidOf } from '../../seed/demo-parts.ts'
import { seedLecturesAndVideos } from '../../seed/lectures-and-videos.ts'
import { aModule } from './cmi5.ts'
import { aContext } from './context.ts'

/** Adds the five demo accounts and their first messages. `today` is the day on which the demo begins. */
export async function aDemo(db: Database, today: Date, sites: SiteKey[]): Promise<void> {
  await markDemo(db, { key: 'demo_day', at: today })
  for (const site of sites) {
    const ctx = await aContext(db, { site, isOperator: true })
    const accessPlanUids = await planUids(ctx)
    for (const source of (await readSources(site)).values()) {
      const units = source.units.map(({ id, moveOn, masteryScore }) => ({
        id,
        moveOn,
        ...(masteryScore !== null && { masteryScore }),
      }))
      const { id } = await aModule(ctx, { name: source.name, units, comingSoon: units.length === 0, plan: null })
      const uid = uidOf(ctx, 'module', path.basename(source.folder))
      await db.updateTable('modules').set({ uid }).where('id', '=', id).execute()
      await db
        .insertInto('module_access_plans')
        .columns(['site_id', 'module_id', 'access_plan_id'])
        .expression((eb) =>
          eb
            .selectFrom('access_plans')
            .select(['site_id', eb.val(id).as('module_id'), 'id as access_plan_id'])
            .where('uid', 'in', accessPlanUids),
        )
        .execute()
    }
    await seedCourses(ctx, accessPlanUids)
    await seedLecturesAndVideos(ctx, accessPlanUids)
    await seedPeople(ctx, today, 'a hash that no password has')
    await seedAnnouncements(ctx)
  }
}
