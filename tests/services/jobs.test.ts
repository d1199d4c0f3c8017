/** Each job runs in the context of the site that queued it; clean-up jobs have no site. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type JobName, runJob } from '~/jobs/run-job.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx, SystemCtx } from '~/services/context.ts'
import { createInvitation } from '~/services/invitations/invitations.server.ts'
import { resendInvitations } from '~/services/invitations/invite-users.server.ts'
import { getModule } from '~/services/modules/modules.server.ts'
import { findJobSite } from '~/services/queue/job-site.server.ts'
import { queue, type SiteJobs } from '~/services/queue/queue.server.ts'
import { freeJobsOfSilentWorkers, recordHeartbeat } from '~/services/queue/workers.server.ts'
import { getSite } from '~/services/sites/sites.server.ts'
import type { Database } from '~db/client.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { importPackage } from '../support/imports.ts'
import { takeJobs } from '../support/jobs.ts'
import { aStorage } from '../support/packages.ts'

let db: Database
let close: () => Promise<void>
aStorage()

beforeAll(async () => {
  ;({ db, close } = await openTestDatabase(await freshDatabase()))
})
afterAll(() => close())

const sites = ['institutional', 'ns'] as const

/** The context of a worker, without a site. */
async function aWorker(now?: Date): Promise<SystemCtx> {
  const { log } = await aContext(db)
  return { db, log, now: now ?? new Date() }
}

async function anAuthor(site: 'institutional' | 'ns'): Promise<Ctx> {
  return aContext(db, { site, viewer: await aUser(db, { site, groups: ['authors', 'admins'] }) })
}

async function importPublished(author: Ctx) {
  const { module, imported } = await importPackage(author, { publish: true })
  return { moduleUid: module.uid, packageUid: imported.packageUid }
}

test.each(sites)('a module of %s that is published with its package has its audit entry on that site', async (site) => {
  const author = await anAuthor(site)
  const { moduleUid } = await importPublished(author)
  const worker = await aWorker()
  for (const payload of await takeJobs(db, 'parse-package')) await runJob(worker, 'parse-package', payload)
  expect((await getModule(author, { moduleUid })).publishedVersionUid).not.toBeNull()
  const entries = await listAuditEntries(author, { entity: 'module', entityUid: moduleUid })
  expect(entries.map(({ action }) => action)).toEqual(['module.package_imported', 'module.published'])
})

test('a job carries the site that queued it, and a job of the other site changes nothing', async () => {
  const author = await anAuthor('ns')
  const { moduleUid, packageUid } = await importPublished(author)
  expect(await takeJobs(db, 'parse-package')).toEqual([{ packageUid, site: 'ns' }])
  const worker = await aWorker()
  await runJob(worker, 'parse-package', { packageUid, site: 'institutional' })
  expect((await getModule(author, { moduleUid })).publishedVersionUid).toBeNull()
  await runJob(worker, 'parse-package', { packageUid, site: 'ns' })
  expect((await getModule(author, { moduleUid })).publishedVersionUid).not.toBeNull()
})

test('idle sessions end on the site that the job names', async () => {
  const launches = new Map<string, string>()
  for (const site of sites) {
    const system = await aContext(db, { site })
    const module = await aModule(system)
    const learner = await aContext(db, { site, viewer: await aUser(db, { site }) })
    const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
    launches.set(site, auLaunchSessionUid)
  }
  const abandoned = async (site: string) => {
    const { rows } = await sql<{ isOver: boolean }>`
      select abandoned_at is not null as "isOver" from launch_sessions where uid = ${launches.get(site)}`.execute(db)
    return rows[0]?.isOver
  }
  const tomorrow = await aWorker(new Date(Date.now() + 86_400_000))
  expect(await runJob(tomorrow, 'end-idle-launches', { site: 'ns' })).toBe(1)
  expect([await abandoned('institutional'), await abandoned('ns')]).toEqual([false, true])
  expect(await runJob(tomorrow, 'end-idle-launches', { site: 'institutional' })).toBe(1)
  expect(await abandoned('institutional')).toBe(true)
})

describe('a job that an older version queued names no site', () => {
  async function payloadsOf(author: Ctx): Promise<Partial<Record<keyof SiteJobs, object>>> {
    const { moduleUid, packageUid } = await importPublished(author)
    const { currentVersionUid } = await getModule(author, { moduleUid })
    const email = `${randomUUID()}@titrate.example`
    const { userUid } = await createInvitation(author, { email, firstName: 'Mina', lastName: 'Roth', groups: [] })
    await resendInvitations(author, { userUids: [userUid] })
    const [invitation] = await takeJobs(db, 'send-invitation')
    const { uid: mailUid } = await db
      .insertInto('account_mails')
      .values({ site_id: author.site.id, kind: 'reset', email_key: email, created_at: new Date() })
      .returning('uid')
      .executeTakeFirstOrThrow()
    return {
      'parse-package': { packageUid },
      'move-learners': { moduleVersionUid: currentVersionUid, movedByUid: author.viewer?.uid, afterUid: null },
      'send-invitation': { invitationUid: invitation?.invitationUid },
      'send-account-mail': { mailUid },
      'void-foreign-statements': { siteUid: author.site.uid, statementIds: [] },
      'forward-statements': { site: author.site.key },
    }
  }

  test.each(sites)('runs on the site of its row: %s', async (site) => {
    const payloads = await payloadsOf(await anAuthor(site))
    const expected = await getSite(db, site)
    for (const [name, payload] of Object.entries(payloads)) {
      expect(await findJobSite(db, name as keyof SiteJobs, payload), name).toEqual(expected)
    }
  })

  test('does nothing if that row is gone, or if it names none', async () => {
    const worker = await aWorker()
    for (const [name, payload] of [
      ['parse-package', { packageUid: randomUUID() }],
      ['parse-package', { packageUid: 'nothing' }],
      ['send-account-mail', { mailUid: randomUUID() }],
      ['void-foreign-statements', { siteUid: randomUUID(), statementIds: [] }],
      ['end-idle-launches', {}],
    ] satisfies [JobName, object][]) {
      expect(await runJob(worker, name, payload), name).toBe('skipped: its row is gone')
    }
  })
})

test('only a context with a site can queue a job for a site, and a clean-up job has none', async () => {
  const worker = await aWorker()
  // @ts-expect-error A worker's context belongs to no site.
  expect(worker.site).toBeUndefined()
  // @ts-expect-error The same, where the job is queued.
  await expect(queue(worker, 'parse-package', { packageUid: randomUUID() })).rejects.toThrow()
})

test('a job of a worker that is alive stays with it however long it takes, and one of a silent worker is free again', async () => {
  const author = await anAuthor('ns')
  const worker = await aWorker()
  await takeJobs(db, 'parse-package')
  await importPublished(author)
  await importPublished(author)
  const { rows } = await sql<{ id: string }>`
    update graphile_worker._private_jobs set locked_at = now() - interval '10 minutes', locked_by = 'worker ' || number
    from (select job.id, row_number() over (order by job.id) as number
      from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id
      where task.identifier = 'parse-package') waiting
    where waiting.id = _private_jobs.id returning _private_jobs.id`.execute(db)
  expect(rows).toHaveLength(2)
  await recordHeartbeat(worker, ['worker 1', 'worker 2'])
  await sql`update job_workers set seen_at = now() - interval '31 seconds' where worker_id = 'worker 2'`.execute(db)
  await freeJobsOfSilentWorkers(worker)
  const after = await sql<{ locked_by: string | null }>`
    select locked_by from graphile_worker._private_jobs where id = any(${rows.map(({ id }) => id)}) order by id`.execute(
    db,
  )
  expect(after.rows.map((row) => row.locked_by)).toEqual(['worker 1', null])
  await takeJobs(db, 'parse-package')
})
