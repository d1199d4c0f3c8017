/** Lectures and videos for programs: the operations of the contract, and the same ones for videos. */
import { print } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toGlobalId } from '~/graphql/ids.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { aCover } from '../support/attachments.ts'
import { aContext, aUser } from '../support/context.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { chapterUid, planUid } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { databaseUrl, db } from '../support/test.ts'
import { operations } from './contract.ts'

aStorage()

let graphql: Awaited<ReturnType<typeof startGraphql>>
let ada: Ctx
let client: GraphqlClient
let asLearner: GraphqlClient
let asForeigner: GraphqlClient

beforeAll(async () => {
  graphql = await startGraphql(databaseUrl)
  const author = await aUser(db, { groups: ['authors'] })
  ada = await aContext(db, { viewer: author })
  client = await graphql.clientFor(db, author)
  asLearner = await graphql.clientFor(db, await aUser(db))
  const foreign: Viewer = await aUser(db, { site: 'ns', groups: ['admins'], plan: null })
  asForeigner = await graphql.clientFor(db, foreign, 'ns')
})
afterAll(() => graphql.close())

const contract = (name: string) => {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  return print(operation.document)
}

const common = async () => ({
  name: ' From hit to lead ',
  description: ' What it is about ',
  presenter: ' Ines Halvorsen ',
  videoUrl: ' /films/hit.mp4 ',
  coverImg: (await aCover(ada)).name,
  coverImgDesc: ' A plate ',
  phases: ['Discover', 'Deliver'],
  tags: [' Assays ', 'assays'],
  accessPlanUids: [await planUid(ada)],
})

test('A-119 A-135 A-230 A-232 A-233 a lecture is created, changed, published and deleted', async () => {
  const given = { ...(await common()), questionsMarkdown: ' 1. **Why?** ' }
  const created = await client.run(contract('CreateLecture'), given)
  const { lecture } = created.body.data.createLecture
  expect(lecture).toMatchObject({
    name: 'From hit to lead',
    description: 'What it is about',
    presenter: 'Ines Halvorsen',
    status: 'draft',
    questionsMarkdown: '1. **Why?**',
    videoUrl: '/films/hit.mp4',
    coverImg: { name: given.coverImg, originalFileName: 'cover.png' },
    coverImgDesc: 'A plate',
    phases: ['Discover', 'Deliver'],
    tags: [{ text: 'Assays' }],
    accessPlans: [{ uid: given.accessPlanUids[0], name: 'Full Access' }],
    inLecturesPage: false,
    comingSoon: false,
    vimeoVideo: null,
    thumbnailUrl: null,
    defaultChapter: null,
  })
  const { id, uid } = lecture
  const published = await client.run(contract('UpdateLecture'), { id, uid, status: 'published' })
  expect(published.body.data.updateLecture.lecture).toMatchObject({ name: 'From hit to lead', status: 'published' })
  const chapter = await chapterUid(ada)
  const changed = await client.run(contract('UpdateLecture'), {
    id,
    uid,
    name: ' X ',
    status: null,
    chapterUid: chapter,
  })
  expect(changed.body.data.updateLecture.lecture).toMatchObject({
    name: 'X',
    status: 'published',
    defaultChapter: { uid: chapter },
  })
  const listed = await asLearner.run(contract('Lectures'))
  expect(listed.body.data.lectures.edges).toMatchObject([{ node: { uid } }])
  for (const stranger of [asLearner, asForeigner, graphql.client()]) {
    for (const [name, variables] of [
      ['UpdateLecture', { id, name: 'Mine' }],
      ['DeleteLecture', { data: { id } }],
      ['CreateLecture', given],
    ] as const) {
      expect((await stranger.run(contract(name), variables)).body.errors?.length, name).toBe(1)
    }
  }
  const deleted = await client.run(contract('DeleteLecture'), { data: { id } })
  expect(deleted.body.data.deleteLecture).toEqual({ id, uid })
  expect((await client.run(contract('Lectures'))).body.data.lectures.totalCount).toBe(0)
  const restore = 'mutation ($data: DeleteLectureInput!) { restoreLecture(data: $data) { lecture { name } } }'
  const restored = await client.run(restore, { data: { id } })
  expect(restored.body.data.restoreLecture).toEqual({ lecture: { name: 'X' } })
})

test('A-178 what is wrong is refused with the message of the form', async () => {
  const given = { ...(await common()), questionsMarkdown: 'Why?' }
  const refusalOf = async (name: string, variables: object) =>
    (await client.run(contract(name), variables)).body.errors?.[0]
  const long = await refusalOf('CreateLecture', { ...given, name: 'x'.repeat(101) })
  expect(long).toMatchObject({ message: 'At most 100 characters', extensions: { code: 'BAD_USER_INPUT' } })
  expect((await refusalOf('CreateLecture', { name: 'Only a name' }))?.extensions.fieldErrors).toMatchObject({
    description: 'Description is required',
    questionsMarkdown: 'Guiding questions are required',
    videoUrl: 'Video URL is required',
    coverImg: 'Cover image is required',
    coverImgDesc: 'Cover image description is required',
    accessPlanUids: 'At least one access plan is required',
  })
  const created = await client.run(contract('CreateLecture'), { ...given, name: 'x'.repeat(100) })
  const { id } = created.body.data.createLecture.lecture
  for (const variables of [
    { id, status: 'gone' },
    { id, phases: ['Deny'] },
  ]) {
    expect((await refusalOf('UpdateLecture', variables))?.extensions.code).toBe('BAD_USER_INPUT')
  }
  const uid = '00000000-0000-4000-8000-000000000000'
  for (const variables of [
    { id: 'x' },
    { id, uid },
    { id: toGlobalId('Video', uid) },
    { id: toGlobalId('Lecture', uid) },
  ]) {
    expect((await refusalOf('UpdateLecture', { ...variables, name: 'X' }))?.extensions.code).toBe('NOT_FOUND')
  }
})

test('videos have the same operations', async () => {
  const fields = `fragment All on Video {
    id uid name description presenter category status phases videoUrl duration coverImgDesc
    tags { text } accessPlans { name } coverImg { name }
  }`
  const create = `${fields} mutation ($name: String!, $description: String, $presenter: String, $videoUrl: String,
    $coverImg: String, $coverImgDesc: String, $phases: [String!], $tags: [String!], $accessPlanUids: [ID!]) {
    createVideo(category: "expert", name: $name, description: $description, presenter: $presenter, videoUrl: $videoUrl,
      coverImg: $coverImg, coverImgDesc: $coverImgDesc, phases: $phases, tags: $tags, accessPlanUids: $accessPlanUids) {
      video { ...All }
    }
  }`
  const given = await common()
  const created = await client.run(create, given)
  const { video } = created.body.data.createVideo
  expect(video).toMatchObject({
    name: 'From hit to lead',
    presenter: 'Ines Halvorsen',
    category: 'expert',
    status: 'draft',
    tags: [{ text: 'Assays' }],
    accessPlans: [{ name: 'Full Access' }],
    coverImg: { name: given.coverImg },
  })
  const { id, uid } = video
  const update =
    'mutation ($id: ID!, $category: String, $status: String) { updateVideo(id: $id, category: $category, status: $status) { video { category status } } }'
  const updated = await client.run(update, { id, category: 'animation', status: 'published' })
  expect(updated.body.data.updateVideo.video).toEqual({ category: 'animation', status: 'published' })
  const list = '{ videos { edges { node { uid } } } }'
  expect((await asLearner.run(list)).body.data.videos.edges).toEqual([{ node: { uid } }])
  const remove = 'mutation ($data: DeleteVideoInput!) { deleteVideo(data: $data) { id uid } }'
  const restore = 'mutation ($data: DeleteVideoInput!) { restoreVideo(data: $data) { video { uid } } }'
  for (const stranger of [asLearner, asForeigner, graphql.client()]) {
    for (const operation of [remove, restore]) {
      expect((await stranger.run(operation, { data: { id } })).body.errors).toHaveLength(1)
    }
    expect((await stranger.run(update, { id, category: 'expert' })).body.errors).toHaveLength(1)
    expect((await stranger.run(create, given)).body.errors).toHaveLength(1)
  }
  expect((await client.run(remove, { data: { id } })).body.data.deleteVideo).toEqual({ id, uid })
  expect((await client.run(list)).body.data.videos.edges).toEqual([])
  expect((await client.run(restore, { data: { id } })).body.data.restoreVideo.video).toEqual({ uid })
})
