import { chmod, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { sendAccountMail } from '~/services/accounts/account-mails.server.ts'
import { requestPasswordReset } from '~/services/accounts/password-changes.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { getOutboxMail, listOutboxMails } from '~/services/mail/outbox.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'

let admin: Viewer
let asAdmin: Ctx

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  env().DATA_DIR = await mkdtemp(path.join(os.tmpdir(), 'outbox-'))
  admin = await aUser(db, { groups: ['admins'] })
  asAdmin = await aContext(db, { viewer: admin })
})

async function mailReset(user: Viewer, site: 'institutional' | 'ns' = 'institutional'): Promise<void> {
  await requestPasswordReset(await aContext(db, { site }), { email: user.email })
  const { uid } = await db.selectFrom('account_mails').select('uid').executeTakeFirstOrThrow()
  await sendAccountMail(await aContext(db, { site }), { mailUid: uid })
}

test('admins read the mails of their site, newest first, without links for other people', async () => {
  expect(await listOutboxMails(asAdmin, { page: 1, size: 2 })).toEqual({ items: [], total: 0, page: 1 })
  const learner = await aUser(db, { firstName: 'Zoë' })
  await mailReset(learner)
  await mailReset(admin)
  await mailReset(await aUser(db, { site: 'ns' }), 'ns')
  const { items, total } = await listOutboxMails(asAdmin, { page: 1, size: 2 })
  expect(total).toBe(2)
  expect(items.map(({ subject }) => subject)).toEqual(['Reset your Titrate password', 'Reset your Titrate password'])
  const [own, other] = items
  expect(other?.to).toBe(`Zoë Okafor <${learner.email}>`)
  expect(other?.text).toContain('Hello Zoë')
  expect(other?.text).not.toContain('/reset-password/')
  expect(other?.text).toContain('This link is shown only to the recipient of the mail.')
  expect(own?.text).toContain('/reset-password/')
  expect(await getOutboxMail(asAdmin, { name: own?.name ?? '' })).toEqual(own)
  expect((await listOutboxMails(asAdmin, { page: 2, size: 1 })).items).toEqual([other])
  expect((await listOutboxMails(asAdmin, { page: 99, size: 1 })).page).toBe(2)
})

test('the folder and its mails are for the user of our processes only, also if the folder was open before', async () => {
  const folder = path.join(env().DATA_DIR, 'outbox')
  await chmod(folder, 0o755)
  await mailReset(await aUser(db))
  const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)
  expect(await modeOf(folder)).toBe('700')
  const names = await readdir(folder)
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) expect(await modeOf(path.join(folder, name)), name).toBe('600')
})

test('mails of the other site and invalid names are not found', async () => {
  const names = await readdir(path.join(env().DATA_DIR, 'outbox'))
  const foreign = names.find((name) => name.includes('-ns-')) ?? ''
  for (const name of [foreign, '../pg/password', '', 'x.eml', `${foreign}/../${foreign}`]) {
    await expect(getOutboxMail(asAdmin, { name })).rejects.toThrow('Not found.')
  }
  // Even renamed by hand, it belongs to the other site.
  const forged = foreign.replace('-ns-', '-institutional-')
  await writeFile(path.join(env().DATA_DIR, 'outbox', forged), 'X-Titrate-Site: ns\n\nHello')
  await expect(getOutboxMail(asAdmin, { name: forged })).rejects.toThrow('Not found.')
})

test('only admins of the site read the outbox', async () => {
  const elsewhere = await aUser(db, { site: 'ns', groups: ['admins'] })
  for (const viewer of [await aUser(db), await aUser(db, { groups: ['authors'] }), elsewhere]) {
    await expect(listOutboxMails(await aContext(db, { viewer }), { page: 1, size: 10 })).rejects.toThrow(/permission/)
  }
  await expect(getOutboxMail(await aContext(db), { name: 'x' })).rejects.toThrow('Login required.')
})
