/** The ledger of mails and the suppressed addresses, as admins see and change them. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Ctx } from '~/services/context.ts'
import { Invalid, NotFound } from '~/services/errors.ts'
import { getMail, listMails } from '~/services/mail/list-mails.server.ts'
import {
  addSuppression,
  getSuppression,
  listSuppressions,
  releaseSuppression,
  restoreSuppression,
} from '~/services/mail/suppressions.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db, expectGuarded, site } from '../support/test.ts'

let admin: Ctx

beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
})

beforeEach(async () => {
  await sql`delete from mails`.execute(db)
  await sql`delete from mail_suppressions`.execute(db)
})

async function aMail(own: { kind?: string; state?: string; address?: string; subject?: string; siteId?: number } = {}) {
  const {
    kind = 'message',
    state = 'accepted',
    address = 'ada@titrate.example',
    subject = 'News',
    siteId = site.id,
  } = own
  const { rows } = await sql<{ uid: string }>`
    insert into mails (site_id, kind, subject, state, address, address_key, name, created_at)
    values (${siteId}, ${kind}, ${subject}, ${state}, ${address}, ${address.toLowerCase()}, 'Ada', now()) returning uid`.execute(
    db,
  )
  return rows[0]?.uid ?? ''
}

test('the ledger is listed newest first in pages, also where all mails have the same time', async () => {
  await sql`
    insert into mails (site_id, kind, subject, state, address, address_key, created_at)
    select ${site.id}, 'message', 'Mail ' || n, 'accepted', 'p' || n || '@titrate.example', 'p' || n || '@titrate.example',
      '2026-03-01 10:00:00.123456+00' from generate_series(1, 60) n`.execute(db)
  const found: string[] = []
  let after = ''
  for (let page = 1; page <= 3; page++) {
    const { items, endCursor, hasNextPage } = await listMails(admin, { after })
    found.push(...items.map(({ subject }) => subject))
    expect(hasNextPage).toBe(page < 3)
    after = endCursor ?? ''
  }
  expect(found).toEqual(Array.from({ length: 60 }, (_, at) => `Mail ${60 - at}`))
  const strange = ['nonsense', Buffer.from('["x","2026-01-01\' or 1=1",1]').toString('base64url')]
  for (const after of strange) expect((await listMails(admin, { after })).items).toHaveLength(25)
})

test('filters find mails by kind, state and the beginning of the address', async () => {
  await aMail({ subject: 'A', kind: 'account', state: 'bounced', address: 'Grace@titrate.example' })
  await aMail({ subject: 'B', kind: 'reminder', state: 'queued', address: 'a_b%c@titrate.example' })
  await aMail({ subject: 'C' })
  const found = async (filters: Parameters<typeof listMails>[1]) =>
    (await listMails(admin, filters)).items.map(({ subject }) => subject)
  expect(await found({})).toEqual(['C', 'B', 'A'])
  expect(await found({ kind: 'account' })).toEqual(['A'])
  expect(await found({ kind: 'message' })).toEqual(['C'])
  expect(await found({ state: 'bounced' })).toEqual(['A'])
  expect(await found({ state: 'queued' })).toEqual(['B'])
  expect(await found({ address: ' GRACE@' })).toEqual(['A'])
  for (const [address, subjects] of [
    ['a_', ['B']],
    ['a%', []],
    ['a_b%', ['B']],
    ['\\', []],
  ] as const) {
    expect(await found({ address }), address).toEqual(subjects)
  }
  expect(await found({ kind: "x' or 1=1" as never, state: {} as never, address: '\u0000' })).toEqual(['C', 'B', 'A'])
})

test('a mail shows its message and its suppression; only admins of its site see it', async () => {
  const uid = await aMail({ state: 'bounced' })
  expect(await getMail(admin, { uid })).toMatchObject({ state: 'bounced', suppression: null, announcement: null })
  await addSuppression(admin, { email: 'Ada@Titrate.Example' })
  expect((await getMail(admin, { uid })).suppression).not.toBeNull()
  await expect(getMail(admin, { uid: 'nonsense' })).rejects.toThrow(NotFound)
  await expectGuarded(getMail, { uid }, { by: ['admins'] })
  await expectGuarded(listMails, {}, { by: ['admins'], elsewhere: null })
  const abroad = await aContext(db, {
    site: 'ns',
    viewer: await aUser(db, { site: 'ns', groups: ['admins'], plan: null }),
  })
  expect((await listMails(abroad, {})).items).toEqual([])
})

async function auditOf(uid: string) {
  const { rows } = await sql<{ action: string }>`
    select action from audit_entries where entity_uid = ${uid} order by id`.execute(db)
  return rows.map(({ action }) => action)
}

test('an address is suppressed by hand, ten times at once as once, with an entry that does not name it', async () => {
  const results = await Promise.all(
    Array.from({ length: 10 }, () => addSuppression(admin, { email: ' Eve@X.example ' })),
  )
  expect(results.filter(({ isNew }) => isNew)).toHaveLength(1)
  const { items, total } = await listSuppressions(admin, { search: 'EVE' })
  expect(total).toBe(1)
  expect(items).toMatchObject([{ address: 'eve@x.example', reason: 'by_hand', response: null }])
  expect(await auditOf(items[0]?.uid ?? '')).toEqual(['mail_suppression.added'])
  const { rows } = await sql<{ text: string }>`select audit_entries::text as text from audit_entries`.execute(db)
  expect(rows.map(({ text }) => text).join()).not.toContain('eve@x')
  for (const email of ['', 'nobody', 'a b@x.example', 'a@b@c', `${'x'.repeat(300)}@x.example`, 'a@x.example\u0000']) {
    await expect(addSuppression(admin, { email }), email).rejects.toThrow(Invalid)
  }
  await expectGuarded(addSuppression, { email: 'other@x.example' }, { by: ['admins'], elsewhere: null })
  expect((await listSuppressions(admin, {})).total).toBe(1)
})

test('a release is taken back with its reason and words, however often, and never makes two', async () => {
  await sql`
    insert into mail_suppressions (site_id, address_key, reason, response, since)
    values (${site.id}, 'old@x.example', 'bounced', '550 no', '2026-01-02')`.execute(db)
  const uid = (await listSuppressions(admin, {})).items[0]?.uid ?? ''
  const times = Array.from({ length: 10 })
  await Promise.all(times.map(() => releaseSuppression(admin, { uid })))
  expect((await listSuppressions(admin, {})).total).toBe(0)
  expect(await auditOf(uid)).toEqual(['mail_suppression.released'])
  await expect(getSuppression(admin, { uid })).rejects.toThrow(NotFound)
  await Promise.all(times.map(() => restoreSuppression(admin, { uid })))
  const { items, total } = await listSuppressions(admin, {})
  expect(total).toBe(1)
  expect(items).toMatchObject([{ address: 'old@x.example', reason: 'bounced', response: '550 no' }])
  expect(await auditOf(items[0]?.uid ?? '')).toEqual(['mail_suppression.restored'])
  for (const change of [releaseSuppression, restoreSuppression, getSuppression]) {
    await expectGuarded(change, { uid: items[0]?.uid ?? '' }, { by: ['admins'] })
    for (const wrong of [randomUUID(), '', "x' or 1=1"]) {
      await expect(change(admin, { uid: wrong })).rejects.toThrow(NotFound)
    }
  }
  expect((await listSuppressions(admin, {})).total).toBe(1)
  expect((await listSuppressions({ ...admin, scopes: ['read'] }, {})).total).toBe(1)
  await expect(addSuppression({ ...admin, scopes: ['read'] }, { email: 'a@x.example' })).rejects.toThrow('scopes')
})
