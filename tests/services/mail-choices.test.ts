/** Which mails people do not want: in their account, and with the link in a mail. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { NotFound } from '~/services/errors.ts'
import { endMails, getMailToEnd, getOwnMailChoices, setOwnMailChoices } from '~/services/users/mail-choices.server.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { ctx, db } from '../support/test.ts'

async function aMail(userId: number, kind: string): Promise<string> {
  const { rows } = await sql<{ token: string }>`
    insert into mails (site_id, user_id, kind, subject, state)
    values (${ctx.site.id}, ${userId}, ${kind}, 'News', 'accepted') returning token`.execute(db)
  return rows[0]?.token ?? ''
}

test('the link of a mail ends its kind of mails only, once however often it is followed', async () => {
  const viewer = await aUser(db)
  const own = await aContext(db, { viewer })
  const token = await aMail(viewer.id, 'reminder')
  expect(await getMailToEnd(ctx, { token })).toMatchObject({ choice: 'reminders', isEnded: false })
  expect(await getOwnMailChoices(own)).toEqual({ messages: false, reminders: false, reports: false, tracking: false })
  await Promise.all(Array.from({ length: 10 }, () => endMails(ctx, { token })))
  expect(await getOwnMailChoices(own)).toEqual({ messages: false, reminders: true, reports: false, tracking: false })
  expect(await getMailToEnd(ctx, { token })).toMatchObject({ choice: 'reminders', isEnded: true })
  await endMails(ctx, { token: await aMail(viewer.id, 'message') })
  expect(await getOwnMailChoices(own)).toEqual({ messages: true, reminders: true, reports: false, tracking: false })
  const { rows } = await sql<{ actor: number }>`
    select actor_id as actor from audit_entries where entity_uid = ${viewer.uid}`.execute(db)
  expect(rows).toEqual([{ actor: viewer.id }, { actor: viewer.id }])
  await setOwnMailChoices(own, { messages: false, reminders: false, reports: true, tracking: true })
  expect(await getOwnMailChoices(own)).toEqual({ messages: false, reminders: false, reports: true, tracking: true })
})

test('the link of a test ends nothing', async () => {
  const viewer = await aUser(db)
  const token = await aMail(viewer.id, 'test')
  expect(await getMailToEnd(ctx, { token })).toEqual({ choice: 'messages', isTest: true, isEnded: false })
  expect(await endMails(ctx, { token })).toEqual({ choice: 'messages', isTest: true })
  expect((await getOwnMailChoices(await aContext(db, { viewer }))).messages).toBe(false)
})

test('a token of another site, of an account mail, of an erased person or of nothing ends nothing', async () => {
  const viewer = await aUser(db)
  const gone = await aUser(db)
  const [message, account, erased] = await Promise.all([
    aMail(viewer.id, 'message'),
    aMail(viewer.id, 'account'),
    aMail(gone.id, 'message'),
  ])
  await erase(db, gone)
  const abroad = await aContext(db, { site: 'ns' })
  await expect(endMails(abroad, { token: message })).rejects.toThrow(NotFound)
  for (const token of [account, erased, randomUUID(), '', 'nonsense', '\u0000']) {
    await expect(endMails(ctx, { token })).rejects.toThrow(NotFound)
    await expect(getMailToEnd(ctx, { token })).rejects.toThrow(NotFound)
  }
  expect((await getOwnMailChoices(await aContext(db, { viewer }))).messages).toBe(false)
})
