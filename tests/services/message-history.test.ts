/** The history of messages, and bringing back what one said at an earlier revision. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { getHistoryView } from '~/pages/history.server.ts'
import { deleteAnnouncement } from '~/services/announcements/delete-announcement.server.ts'
import { getAnnouncementToEdit, timesKeyOf } from '~/services/announcements/read-announcement.server.ts'
import {
  planAnnouncementRestore,
  restoreAnnouncementRevision,
} from '~/services/announcements/restore-revision.server.ts'
import { createAnnouncement, updateAnnouncement } from '~/services/announcements/save-announcement.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, NotFound } from '~/services/errors.ts'
import { aContext, aUser } from '../support/context.ts'
import { db, expectGuarded } from '../support/test.ts'
import { ownStorage, upload } from '../support/uploads.ts'

ownStorage()
let admin: Ctx
beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
})

/** A message that another admin has made with a file, and that has been changed twice since. */
async function aChanged(): Promise<{ uid: string; file: string }> {
  const author = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null, firstName: 'Bo' }) })
  const { name: file } = await upload(author, 'attachment', 'first.txt', 'First')
  const words = { name: 'Spring', subject: 'Spring is here', text: 'First text', deliveryType: 'email' }
  const { uid } = await createAnnouncement(author, { ...words, attachment: file })
  await updateAnnouncement(admin, { announcementUid: uid, text: 'Second text', attachment: null })
  const someone = await aUser(db)
  await updateAnnouncement(admin, {
    announcementUid: uid,
    subject: 'Spring again',
    recipients: [{ kind: 'add', uids: [someone.uid] }],
  })
  return { uid, file }
}

const valuesOf = async (uid: string) => (await getAnnouncementToEdit(admin, { announcementUid: uid })).values
const viewOf = (uid: string, ctx = admin) =>
  getHistoryView(ctx, { kind: 'announcement', uid, url: 'http://localhost/' })

test('C-151 each save is in the history, and an earlier text comes back with the file of another admin', async () => {
  const { uid, file } = await aChanged()
  const view = await viewOf(uid)
  expect(view.revisions.map(({ what, restore }) => [what, restore !== null])).toEqual([
    ['Recipients changed', false],
    ['Saved', true],
    ['Saved', true],
    ['Created', true],
  ])
  const { changes } = await planAnnouncementRestore(admin, { uid, revision: 0 })
  expect(changes).toEqual({ subject: 'Spring is here', text: 'First text', attachment: file })
  const restored = await restoreAnnouncementRevision(admin, { uid, revision: 0 })
  expect(restored).toEqual({ name: 'Spring', isChanged: true, leftOut: [] })
  expect(await valuesOf(uid)).toMatchObject({ subject: 'Spring is here', text: 'First text', attachment: file })
  expect((await viewOf(uid)).revisions[0]).toMatchObject({ what: 'Earlier revision restored', isPresent: true })
  await deleteAnnouncement(admin, { announcementUid: uid })
  expect((await viewOf(uid)).revisions.every(({ restore }) => restore === null)).toBe(true)
})

test('C-151 ten at once bring it back once, and one that was opened before another save is refused', async () => {
  const { uid } = await aChanged()
  const all = await Promise.all(
    Array.from({ length: 10 }, () => restoreAnnouncementRevision(admin, { uid, revision: 0 })),
  )
  expect(all.filter(({ isChanged }) => isChanged)).toHaveLength(1)
  await expect(restoreAnnouncementRevision(admin, { uid, revision: 1, opened: 2 })).rejects.toThrow(Conflict)
  await expect(restoreAnnouncementRevision(admin, { uid, revision: 99 })).rejects.toThrow(NotFound)
})

test('C-151 a question that was asked before somebody gave the message a time brings nothing back', async () => {
  const { uid } = await aChanged()
  const read = () => getAnnouncementToEdit(admin, { announcementUid: uid })
  const [{ values }, shownTimes] = [await read(), timesKeyOf(await read())]
  await sql`
    update announcements set sending = 'scheduled', send_at = now() + interval '1 day' where uid = ${uid}`.execute(db)
  const old = restoreAnnouncementRevision(admin, { uid, revision: 0, shownTimes })
  await expect(old).rejects.toThrow(/has been scheduled for .* Check the time, and restore it again\./)
  expect((await read()).values).toEqual(values)
  await db.updateTable('users').set({ opted_out_of_emails: true }).execute()
  const nobody = restoreAnnouncementRevision(admin, { uid, revision: 0 })
  await expect(nobody).rejects.toMatchObject({ message: 'Please choose at least one recipient', fieldErrors: {} })
  await db.updateTable('users').set({ opted_out_of_emails: false }).execute()
  const asked = { uid, revision: 0, shownTimes: timesKeyOf(await read()) }
  expect(await restoreAnnouncementRevision(admin, asked)).toMatchObject({ isChanged: true })
})

test('C-151 it is for admins of the site, and a message that was sent stays as it is', async () => {
  const { uid } = await aChanged()
  await expectGuarded(restoreAnnouncementRevision, { uid, revision: 0 }, { by: ['admins'] })
  await expectGuarded(planAnnouncementRestore, { uid, revision: 0 }, { by: ['admins'] })
  await db.updateTable('announcements').set({ status: 'sent', sending: 'done' }).where('uid', '=', uid).execute()
  await expect(restoreAnnouncementRevision(admin, { uid, revision: 0 })).rejects.toThrow('has been sent')
  expect(await valuesOf(uid)).toMatchObject({ text: 'Second text' })
  expect((await viewOf(uid)).revisions.every(({ restore }) => restore === null)).toBe(true)
})
