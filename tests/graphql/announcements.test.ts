/** A learner's own messages over `/graphql/`. The public contract has no operation for them, so these are ours. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Viewer } from '~/services/context.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aUser } from '../support/context.ts'
import { startGraphql } from '../support/graphql.ts'
import { databaseUrl, db } from '../support/test.ts'

let graphql: Awaited<ReturnType<typeof startGraphql>>
let learner: Viewer
let uid: string

beforeAll(async () => {
  graphql = await startGraphql(databaseUrl)
  learner = await aUser(db)
  uid = await anAnnouncement(db, [learner], { subject: 'News', text: 'See https://a.example.' })
})
afterAll(() => graphql.close())

const fields = 'uid subject text fromField sentTs openedTs pinnedTs links attachment { name url size originalFileName }'
const list = `query Own($page: Int) { me { numUnreadAnnouncements announcements(page: $page) { totalCount items { ${fields} } } } }`
const read = `mutation Read($uid: ID!) { markAnnouncementRead(uid: $uid) { announcement { ${fields} } } }`
const pin = `mutation Pin($uid: ID!, $pinned: Boolean!) { pinAnnouncement(uid: $uid, pinned: $pinned) { announcement { ${fields} } } }`
const click = `mutation Click($uid: ID!, $link: String!) { recordAnnouncementClick(uid: $uid, link: $link) { announcement { ${fields} } } }`

test('a learner lists, opens, follows and pins her own messages', async () => {
  const client = await graphql.clientFor(db, learner)
  const before = (await client.run(list)).body.data.me
  expect(before).toMatchObject({ numUnreadAnnouncements: 1, announcements: { totalCount: 1 } })
  expect(before.announcements.items).toMatchObject([
    { uid, subject: 'News', openedTs: null, pinnedTs: null, links: ['https://a.example'], attachment: null },
  ])
  const opened = (await client.run(read, { uid })).body.data.markAnnouncementRead.announcement
  expect(opened.openedTs).toMatch(/Z$/)
  const clicked = (await client.run(click, { uid, link: 'https://a.example' })).body.data.recordAnnouncementClick
  expect(clicked.announcement.openedTs).toBe(opened.openedTs)
  expect((await client.run(pin, { uid, pinned: true })).body.data.pinAnnouncement.announcement.pinnedTs).toMatch(/Z$/)
  expect((await client.run(pin, { uid, pinned: false })).body.data.pinAnnouncement.announcement.pinnedTs).toBeNull()
  const after = (await client.run(list, { page: 2_000_000_000 })).body.data.me
  expect(after).toMatchObject({ numUnreadAnnouncements: 0, announcements: { totalCount: 1 } })
})

test('other learners do not find the message, and signed-out visitors cannot ask', async () => {
  const other = await graphql.clientFor(db, await aUser(db))
  const abroad = await graphql.clientFor(db, await aUser(db, { site: 'ns' }), 'ns')
  expect((await other.run(list)).body.data.me.announcements).toEqual({ totalCount: 0, items: [] })
  for (const [operation, variables] of [
    [read, { uid }],
    [pin, { uid, pinned: true }],
    [click, { uid, link: 'https://a.example' }],
  ] as const) {
    for (const client of [other, abroad]) {
      expect((await client.run(operation, variables)).body.errors?.[0]?.extensions.code).toBe('NOT_FOUND')
    }
    const { body } = await graphql.client().run(operation, variables)
    expect(body.errors?.[0]?.extensions.code).toBe('LOGIN_REQUIRED')
  }
})

test('a link that the message does not contain is refused', async () => {
  const client = await graphql.clientFor(db, learner)
  for (const link of ['https://evil.example', '', '\u0000']) {
    expect((await client.run(click, { uid, link })).body.errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  }
})

test('an admin cannot read other people’s messages', async () => {
  const client = await graphql.clientFor(db, await aUser(db, { groups: ['admins'], plan: null }))
  const id = Buffer.from(`User:${learner.uid}`).toString('base64')
  const { body } = await client.run(
    'query One($id: ID!) { node(id: $id) { ... on User { uid announcements { totalCount } } } }',
    { id },
  )
  expect(body.data.node).toEqual({ uid: learner.uid, announcements: null })
})
