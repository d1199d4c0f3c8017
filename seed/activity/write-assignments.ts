/** Assigns modules and courses to the demo's people, as the demo admin. */
import { daysFrom } from '../../app/lib/due.ts'
import { dayOf } from '../../app/lib/zoned-time.ts'
import { changeAssignments, listAssignmentsOfUsers } from '../../app/services/assignments/assignments.server.ts'
import { changeAssignment } from '../../app/services/assignments/change-due.server.ts'
import { isOnSite, uidOf } from '../demo-parts.ts'
import { type DemoSite, dayBefore, viewerAt } from './demo-site.ts'
import { isThere } from './people.ts'
import { type AdaAssigned, adaAssigned } from './plan.ts'

/** Courses that institutions assigned to their people. */
const coursesOfInstitutions: { daysAgo: number; institution: string; course: string }[] = [
  { daysAgo: 300, institution: 'Lakeshore Medical School', course: 'foundations-of-target-discovery' },
  { daysAgo: 255, institution: 'Arunya Institute of Science', course: 'reading-assay-data' },
  { daysAgo: 205, institution: 'Helvik University', course: 'designing-trials-that-answer' },
  { daysAgo: 112, institution: 'Open Dose Foundation', course: 'safety-across-the-life-of-a-medicine' },
  { daysAgo: 46, institution: 'Lakeshore Medical School', course: 'the-first-people' },
]

export async function assignToAda(demo: DemoSite): Promise<void> {
  const ada = demo.accounts.get('learner')
  if (!ada) return
  const own = adaAssigned.filter((assigned) => isOnSite(assigned, demo.ctx.site.key))
  for (const assigned of own) await assign(demo, { ...assigned, userUids: [ada] })
}

export async function assignToOthers(demo: DemoSite): Promise<void> {
  for (const { daysAgo, institution, course } of coursesOfInstitutions) {
    const members = demo.people.filter((one) => one.institution === institution && isThere(one, daysAgo))
    const userUids = members.flatMap(({ name }) => demo.accounts.get(name) ?? [])
    await assign(demo, { daysAgo, kind: 'course', slugs: [course], userUids })
  }
}

/** Assigns everything or nothing, so that one item of one person shows whether it was done. */
async function assign(demo: DemoSite, input: Omit<AdaAssigned, 'site'> & { userUids: string[] }): Promise<void> {
  const { daysAgo, kind, slugs, due, userUids } = input
  const [first] = userUids
  if (!first) return
  const itemUids = slugs.map((slug) => uidOf(demo.ctx, kind, slug))
  const [known] = await listAssignmentsOfUsers(demo.ctx, { userUids: [first] })
  if (known?.[`${kind}s`].some(({ uid }) => uid === itemUids[0])) return
  const admin = demo.accounts.get('admin')
  const ctx = admin && (await viewerAt(demo.ctx, admin, dayBefore(demo, daysAgo, 8)))
  if (!ctx) return
  await changeAssignments(ctx, { action: 'ASSIGN', kind, itemUids, userUids })
  if (!due) return
  const dueOn = daysFrom(dayOf(demo.today, demo.ctx.site.timeZone), due.inDays)
  for (const itemUid of itemUids) {
    await changeAssignment(ctx, { userUid: first, kind, itemUid, dueOn, note: due.note })
  }
}
