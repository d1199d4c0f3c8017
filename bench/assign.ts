/**
 * `npm run bench -- assign`: assigns 20 modules to 10,000 people and undoes it, by the worker of the product. Then it
 * measures the filter "Late" with 100,000 people.
 */
import { sql } from 'kysely'
import { prepareAssignment } from '../app/services/assignments/assign-content.server.ts'
import { startAssignment, undoAssignment } from '../app/services/assignments/run-assignment.server.ts'
import { getBulkOperation } from '../app/services/bulk/bulk.server.ts'
import { type Ctx, siteContext } from '../app/services/context.ts'
import { findViewer } from '../app/services/sessions/sessions.server.ts'
import { getSite } from '../app/services/sites/sites.server.ts'
import { listUserPage } from '../app/services/users/table.server.ts'
import { createDatabase } from '../db/client.server.ts'
import { benchLog } from './measure.ts'
import type { Product } from './product.ts'
import { authorNumber, seedBench } from './seed.ts'

const people = 10_000
const items = 20
const size = { users: 100_000, modules: 200, statements: 1000 }

export async function benchAssign(product: Product): Promise<void> {
  console.log(`Writing ${size.users} users …`)
  await seedBench(product.databaseUrl, size)
  const { db, pool } = createDatabase({ connectionString: product.databaseUrl, poolSize: 4 })
  try {
    const site = await getSite(db, 'institutional')
    const { rows } = await sql<{ uid: string }>`
      insert into user_groups (user_id, name)
      select id, 'admins' from users where email = ${`bench${authorNumber}@titrate.example`}
      returning (select uid from users where id = user_id)`.execute(db)
    const viewer = await findViewer(siteContext({ db, site, log: benchLog }), { userUid: rows[0]?.uid ?? '' })
    const ctx = siteContext({ db, site, viewer, log: benchLog })
    const modules = await db.selectFrom('modules').select('uid').where('name', 'like', 'Bench%').limit(items).execute()
    const { operationUid } = await prepareAssignment(ctx, {
      people: sql`select id from users where email like 'bench%' order by id limit ${people}`,
    })
    const ticked = modules.map(({ uid }) => ({ kind: 'module' as const, uid }))
    const assigning = await timed(ctx, () => startAssignment(ctx, { operationUid, items: ticked, dueOn: '2099-01-01' }))
    console.log(`${people * items} assignments in ${assigning} s`)
    const undoing = await timed(ctx, () => undoAssignment(ctx, { operationUid }))
    console.log(`undone in ${undoing} s`)
    await sql`
      insert into module_assignments (site_id, user_id, module_id, due_on)
      select u.site_id, u.id, m.id, current_date - 2 + (u.id % 30)::int
      from users u cross join (select id from modules where name like 'Bench%' limit 3) m
      where u.email like 'bench%' on conflict do nothing`.execute(db)
    await sql`analyze module_assignments`.execute(db)
    for (const due of ['late', '7']) {
      const startedAt = Date.now()
      const { total } = await listUserPage(ctx, { tab: 'learners', filters: { due: [due] } })
      console.log(`filter ${due}: ${total} people in ${Date.now() - startedAt} ms`)
    }
  } finally {
    await pool.end()
  }
}

/** Seconds until the worker has done all of an operation. */
async function timed(ctx: Ctx, start: () => Promise<{ uid: string }>): Promise<number> {
  const startedAt = Date.now()
  const { uid } = await start()
  for (;;) {
    const { status } = await getBulkOperation(ctx, { operationUid: uid })
    if (status !== 'running') return (Date.now() - startedAt) / 1000
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
