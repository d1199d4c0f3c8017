/** A learner's own messages over `/graphql/`. The public contract has no operation for them, so these are ours. */
import { print } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Viewer } from '~/services/context.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aContext, aUser } from '../support/context.ts'
import { type Answer, type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { databaseUrl, db } from '../support/test.ts'
import { ownStorage, upload } from '../support/uploads.ts'
import { operations } from './contract.ts'

let graphql: Awaited<ReturnType<typeof startGraphql>>
let learner: Viewer
let uid: string
ownStorage()

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

// What admins write, with the operations of the contract.

async function run(client: GraphqlClient, name: string, variables: object = {}) {
  const operation = operations().find((candidate) => candidate.name === name)
  return client.run(print(operation?.document as never), variables)
}
const message = { name: 'News', subject: 'Hello', text: '**Hi** {{first name}}' }

test('C-124 C-125 C-126 C-127 an admin writes, changes, sends and removes a message', async () => {
  const client = await graphql.clientFor(db, await aUser(db, { groups: ['admins'], plan: null, firstName: 'Ines' }))
  const reader = await aUser(db)
  const recipientsInfo = { recipients: [reader.uid], selectedUserUids: [learner.uid], filters: { region: ['x'] } }
  const made = await run(client, 'CreateAnnouncement', { ...message, recipientsInfo })
  expect(made.body.errors).toBeUndefined()
  const { announcement } = made.body.data.createAnnouncement
  expect(announcement).toMatchObject({
    ...message,
    status: 'draft',
    deliveryType: 'dashboard',
    fromField: 'Titrate',
    sentTs: null,
    recipientsInfo,
    author: { firstName: 'Ines' },
  })
  const changed = await run(client, 'UpdateAnnouncement', { id: announcement.id, subject: 'Bye', sendAfterSave: true })
  // C-213: what is not given stays as it is.
  expect(changed.body.data.updateAnnouncement.announcement).toMatchObject({
    subject: 'Bye',
    name: 'News',
    status: 'sent',
  })
  const again = await run(client, 'UpdateAnnouncement', { id: announcement.id, subject: 'Late' })
  expect(again.body.errors?.[0]).toMatchObject({ extensions: { code: 'CONFLICT' } })
  const { body } = await run(client, 'AnnouncementStatistics', { id: announcement.id })
  // C-129, C-206: the figures of both channels, by the id of the node.
  expect(body.data.node.statistics).toEqual({
    email: { total: 0, openCount: 0, unreadCount: 0, clickThruCount: 0 },
    dashboard: { total: 1, openCount: 0, unreadCount: 1, clickThruCount: 0, pinCount: 0 },
  })
  const listed = await run(client, 'Announcements')
  expect(listed.body.data.announcements.edges.map((edge: { node: { uid: string } }) => edge.node.uid)).toContain(
    announcement.uid,
  )
  const gone = await run(client, 'DeleteAnnouncement', { data: { id: announcement.id } })
  expect(gone.body.data.deleteAnnouncement).toEqual({ id: announcement.id, uid: announcement.uid })
  const missing = await run(client, 'AnnouncementStatistics', { id: announcement.id })
  expect(missing.body.data.node).toBeNull()
})

test('C-205 C-212 a message is created with all that it can have, and the list has it on one of its pages', async () => {
  const viewer = await aUser(db, { groups: ['admins'], plan: null, firstName: 'Ines' })
  const client = await graphql.clientFor(db, viewer)
  const file = await upload(await aContext(db, { viewer }), 'attachment', 'notes.txt', 'Notes')
  const reader = await aUser(db)
  const recipientsInfo = { recipients: [reader.uid], selectedUserUids: [], filters: {} }
  const given = { ...message, name: 'Complete', fromField: 'Ines Moreau', deliveryType: 'email', recipientsInfo }
  const made = await run(client, 'CreateAnnouncement', { ...given, attachment: file.name, sendAfterSave: false })
  expect(made.body.errors).toBeUndefined()
  const { announcement } = made.body.data.createAnnouncement
  expect(announcement).toMatchObject({
    ...given,
    status: 'draft',
    attachment: { name: file.name, originalFileName: 'notes.txt' },
  })
  const seen: string[] = []
  let after: string | null = null
  do {
    const answer: Answer = await run(client, 'Announcements', { first: 1, after })
    const { edges, pageInfo, totalCount } = answer.body.data.announcements
    seen.push(...edges.map((edge: { node: { uid: string } }) => edge.node.uid))
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null
    if (!after) expect(seen).toHaveLength(totalCount)
  } while (after)
  expect(seen).toContain(announcement.uid)
})

test('C-124 others can neither read nor write messages', async () => {
  const admin = await graphql.clientFor(db, await aUser(db, { groups: ['admins'], plan: null }))
  const made = await run(admin, 'CreateAnnouncement', message)
  const { id } = made.body.data.createAnnouncement.announcement
  const abroad = await graphql.clientFor(db, await aUser(db, { site: 'ns', groups: ['admins'], plan: null }), 'ns')
  expect((await run(abroad, 'UpdateAnnouncement', { id, name: 'X' })).body.errors?.[0]?.extensions.code).toBe(
    'NOT_FOUND',
  )
  expect((await run(abroad, 'DeleteAnnouncement', { data: { id } })).body.errors?.[0]?.extensions.code).toBe(
    'NOT_FOUND',
  )
  for (const groups of [['learners'], ['authors']] as const) {
    const client = await graphql.clientFor(db, await aUser(db, { groups: [...groups] }))
    for (const [name, variables] of [
      ['Announcements', {}],
      ['CreateAnnouncement', message],
      ['UpdateAnnouncement', { id, name: 'X' }],
      ['DeleteAnnouncement', { data: { id } }],
    ] as const) {
      expect((await run(client, name, variables)).body.errors?.[0]?.extensions.code, name).toBe('FORBIDDEN')
    }
    expect((await run(client, 'AnnouncementStatistics', { id })).body.data.node).toBeNull()
  }
  expect((await run(admin, 'CreateAnnouncement', { ...message, sendAfterSave: true })).body.errors?.[0]?.message).toBe(
    'Please choose at least one recipient',
  )
  const wrong = await run(admin, 'CreateAnnouncement', { ...message, deliveryType: 'pigeon' })
  expect(wrong.body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
})
