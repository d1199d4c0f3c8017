import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { auditFiltersOf, auditParts, getAuditLogPage } from '~/pages/audit-log.server.ts'
import { recordAudit } from '~/services/audit/audit.server.ts'
import { listAuditLog } from '~/services/audit/audit-log.server.ts'
import { sealAuditEntries, verifyAudit } from '~/services/audit/seals.server.ts'
import type { Ctx } from '~/services/context.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx
let author: Ctx
const ids = { module: crypto.randomUUID(), course: crypto.randomUUID() }

beforeAll(async () => {
  const [ana, ben] = [
    await aUser(db, { groups: ['admins'], plan: null, firstName: 'Ana', lastName: 'Moreau' }),
    await aUser(db, { groups: ['authors'], plan: null, firstName: 'Ben', lastName: 'Osei' }),
  ]
  admin = await aContext(db, { viewer: ana })
  author = await aContext(db, { viewer: ben })
})

beforeEach(async () => {
  await db.deleteFrom('audit_entries').execute()
  await db.deleteFrom('audit_seals').execute()
})

const at = (ctx: Ctx, time: string) => ({ ...ctx, now: new Date(time) })

async function writeSome(): Promise<void> {
  const module = { entity: 'module', entityUid: ids.module }
  await recordAudit(at(author, '2026-11-01T04:30:00Z'), {
    ...module,
    action: 'module.updated',
    before: { name: 'Dose' },
    after: { name: 'Doses', revision: 3 },
  })
  await recordAudit(at(admin, '2026-11-02T12:00:00Z'), { ...module, action: 'module.published' })
  await recordAudit(at(admin, '2026-11-03T12:00:00Z'), {
    entity: 'course',
    entityUid: ids.course,
    action: 'course.deleted',
    before: { name: 'Trials' },
  })
}

const found = async (filters: Parameters<typeof listAuditLog>[1]) =>
  (await listAuditLog(admin, filters)).items.map(({ action, actorName }) => `${actorName}: ${action}`)

describe('listAuditLog', () => {
  test('lists the changes of the site, newest first, a page at a time', async () => {
    await writeSome()
    const ns = await aContext(db, {
      site: 'ns',
      viewer: await aUser(db, { site: 'ns', groups: ['admins'], plan: null }),
    })
    await recordAudit(ns, { action: 'site.updated', entity: 'site', entityUid: ns.site.uid })
    expect(await found({})).toEqual([
      'Ana Moreau: course.deleted',
      'Ana Moreau: module.published',
      'Ben Osei: module.updated',
    ])
    const first = await listAuditLog(admin, { first: 2 })
    expect([first.items.length, first.hasNextPage]).toEqual([2, true])
    const rest = await listAuditLog(admin, { first: 2, after: first.endCursor ?? '' })
    expect(rest.items.map(({ action }) => action)).toEqual(['module.updated'])
    expect([rest.hasNextPage, (await listAuditLog(ns, {})).items.length]).toEqual([false, 1])
  })

  test('is narrowed by person, kind, thing and days of the site', async () => {
    await writeSome()
    expect(await found({ person: 'osei' })).toEqual(['Ben Osei: module.updated'])
    expect(await found({ person: '%' })).toEqual([])
    expect(await found({ kind: 'course' })).toEqual(['Ana Moreau: course.deleted'])
    expect(await found({ target: ids.module })).toHaveLength(2)
    expect(await found({ from: '2026-11-02', to: '2026-11-02' })).toEqual(['Ana Moreau: module.published'])
    // Half past four in the morning of the first, in UTC, is still October in Chicago.
    const chicago = { ...admin, site: { ...admin.site, timeZone: 'America/Chicago' } }
    expect((await listAuditLog(chicago, { to: '2026-10-31' })).items).toHaveLength(1)
  })

  test('ignores what is no filter', async () => {
    await writeSome()
    const odd = new URLSearchParams('kind=clock&target=1&from=2026-02-31&to=x&after=W10&person=%00')
    expect((await getAuditLogPage(admin, auditFiltersOf(odd))).rows).toHaveLength(3)
  })

  test('is for admins', async () => {
    await expectGuarded(listAuditLog, {}, { by: ['admins'], elsewhere: null })
  })
})

describe('the page', () => {
  test('says in words what changed, and where it can be taken back', async () => {
    const { uid } = await ensureUniversity(admin, { name: 'Basel' })
    await writeSome()
    await recordAudit(admin, {
      action: 'university.renamed',
      entity: 'university',
      entityUid: uid,
      before: { name: 'Basle' },
      after: { name: 'Basel' },
    })
    const { rows } = await getAuditLogPage(admin, auditFiltersOf(new URLSearchParams()))
    expect(rows[0]).toMatchObject({
      kind: 'Institution',
      target: 'Basel',
      to: `/dashboard/institutions/${uid}/`,
      change: 'Renamed',
      details: [{ field: 'name', before: 'Basle', after: 'Basel' }],
    })
    expect(rows.slice(1).map(({ undo }) => undo?.to ?? null)).toEqual([
      '/dashboard/trash/',
      null,
      `/dashboard/modules/${ids.module}/history/2/`,
    ])
  })

  test('does not offer to bring back what is there again', async () => {
    const about = { entity: 'university', entityUid: randomUUID() }
    const undos = async () => {
      const { rows } = await getAuditLogPage(admin, auditFiltersOf(new URLSearchParams({ target: about.entityUid })))
      return rows.map(({ undo }) => undo?.label ?? null)
    }
    await recordAudit(admin, { action: 'university.deleted', ...about })
    expect(await undos()).toEqual(['Bring back'])
    await recordAudit(admin, { action: 'university.restored', ...about })
    expect(await undos()).toEqual([null, null])
    await recordAudit(admin, { action: 'university.deleted', ...about })
    expect(await undos()).toEqual(['Bring back', null, null])
  })

  test('the file has all changes, and cells that look like formulas are texts', async () => {
    await writeSome()
    const parts = []
    for await (const part of auditParts(admin, auditFiltersOf(new URLSearchParams()))) parts.push(...part)
    expect(parts).toHaveLength(4)
    expect(parts[3]?.slice(0, 3)).toEqual(['2026-11-01T04:30:00.000Z', 'Ben Osei', 'Module'])
  })
})

describe('seals', () => {
  const system = () => ({ db, now: new Date(), log: admin.log })

  test('cover every entry once, also if the job runs ten times at once', async () => {
    await writeSome()
    const runs = await Promise.all(Array.from({ length: 10 }, () => sealAuditEntries(system())))
    expect(runs.reduce((sum, { sealed }) => sum + sealed, 0)).toBe(3)
    await recordAudit(admin, { action: 'site.updated', entity: 'site', entityUid: admin.site.uid })
    expect(await verifyAudit(system())).toMatchObject({ seals: 1, entries: 3, unsealed: 1, problems: [] })
    await sealAuditEntries(system())
    expect(await verifyAudit(system())).toMatchObject({ seals: 2, entries: 4, unsealed: 0, problems: [] })
  })

  test('find an entry that is missing, one that was changed, and a seal that is missing', async () => {
    for (let round = 0; round < 3; round++) {
      await writeSome()
      await sealAuditEntries(system())
    }
    const problemsAfter = async (change: string) => {
      const problems: string[] = []
      await db
        .transaction()
        .execute(async (trx) => {
          await sql.raw(change).execute(trx)
          problems.push(...(await verifyAudit({ ...system(), db: trx as typeof db })).problems)
          throw new Error('undo')
        })
        .catch(() => {})
      return problems.map((problem) => problem.replace(/ of \S+Z/, ''))
    }
    expect(await problemsAfter('delete from audit_entries where id = (select min(id) from audit_entries)')).toEqual([
      'Seal 1 covers 3 entries, but there are 2.',
    ])
    expect(
      await problemsAfter(
        `update audit_entries set after = '{"name": "Other"}' where id = (select max(id) from audit_entries where seal = 2)`,
      ),
    ).toEqual(['Seal 2 does not match its 3 entries: one was changed.'])
    expect(
      await problemsAfter('delete from audit_entries where seal = 2; delete from audit_seals where number = 2'),
    ).toEqual(['Seal 2 is missing.', 'Seal 3 does not match its 3 entries: one was changed.'])
  })

  test('still match after a person is erased', async () => {
    await writeSome()
    await sealAuditEntries(system())
    await db
      .updateTable('users')
      .set({ first_name: null, last_name: null, email: null, email_key: null, erased_at: new Date() })
      .where('id', '=', author.viewer?.id ?? 0)
      .execute()
    expect((await verifyAudit(system())).problems).toEqual([])
  })
})
