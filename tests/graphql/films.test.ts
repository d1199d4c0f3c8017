/** Lectures and videos for programs: the operations of the contract, and the same ones for videos. */
import { readFileSync } from 'node:fs'
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
import { upload } from '../support/uploads.ts'
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

test('A-119 the media of films are set by programs: a file, captions in several languages and a transcript', async () => {
  const { videoUrl: _, ...given } = await common()
  const film = readFileSync('public/films/welcome-titrate.mp4')
  const videoFile = (await upload(ada, 'video', 'film.mp4', film)).name
  const aCaptions = async (text: string) =>
    (await upload(ada, 'captions', 'a.vtt', `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`)).name
  const captions = [
    { language: 'de', file: await aCaptions('Guten Tag') },
    { language: 'en', file: await aCaptions('Hello') },
  ]
  const created = await client.run(
    `mutation ($name: String!, $description: String, $coverImg: String, $coverImgDesc: String, $accessPlanUids: [ID!],
      $videoFile: String, $captions: [CaptionsInput!]) {
      createVideo(name: $name, category: "expert", description: $description, coverImg: $coverImg,
        coverImgDesc: $coverImgDesc, accessPlanUids: $accessPlanUids, videoFile: $videoFile, captions: $captions) {
        video { id uid videoUrl duration captions { language label } transcript } } }`,
    { ...given, videoFile, captions },
  )
  const { id, uid, ...video } = created.body.data.createVideo.video
  expect(video).toEqual({
    videoUrl: `${ada.site.baseUrl}/film-files/videos/${uid}.mp4`,
    duration: 17,
    captions: [
      { language: 'de', label: 'German' },
      { language: 'en', label: 'English' },
    ],
    transcript: 'Guten Tag',
  })
  const update = `mutation ($id: ID!, $videoUrl: String, $videoFile: String, $captions: [CaptionsInput!], $transcript: String) {
    updateVideo(id: $id, videoUrl: $videoUrl, videoFile: $videoFile, captions: $captions, transcript: $transcript) {
      video { videoUrl captions { language } transcript } } }`
  const changed = await client.run(update, { id, captions: captions.slice(1), transcript: '00:01 Typed' })
  expect(changed.body.data.updateVideo.video).toEqual({
    videoUrl: video.videoUrl,
    captions: [{ language: 'en' }],
    transcript: 'Typed',
  })
  // The address that programs read may be sent back; another one takes the place of the file.
  const same = await client.run(update, { id, videoUrl: video.videoUrl })
  expect(same.body.data.updateVideo.video.videoUrl).toBe(video.videoUrl)
  const moved = await client.run(update, { id, videoUrl: '/films/other.mp4' })
  expect(moved.body.data.updateVideo.video).toMatchObject({ videoUrl: '/films/other.mp4', transcript: 'Typed' })
  const refused = await client.run(update, { id, videoUrl: '/films/a.mp4', videoFile })
  expect(refused.body.errors?.[0]?.extensions.fieldErrors).toEqual({
    videoFile: 'A film has either an address or a file',
  })
  for (const stranger of [asLearner, asForeigner, graphql.client()]) {
    expect((await stranger.run(update, { id, transcript: '00:01 Mine' })).body.errors).toHaveLength(1)
  }
  const lecture = await client.run(contract('CreateLecture'), {
    ...given,
    videoUrl: '/films/a.mp4',
    questionsMarkdown: 'Why?',
  })
  const changedLecture = await client.run(
    `mutation ($id: ID!, $videoFile: String) {
      updateLecture(id: $id, videoFile: $videoFile, transcript: "00:01 Hello", transcriptAsCaptions: true) {
        lecture { uid videoUrl captions { language } } } }`,
    { id: lecture.body.data.createLecture.lecture.id, videoFile },
  )
  const { uid: lectureUid, ...after } = changedLecture.body.data.updateLecture.lecture
  expect(after).toEqual({
    videoUrl: `${ada.site.baseUrl}/film-files/lectures/${lectureUid}.mp4`,
    captions: [{ language: 'en' }],
  })
})
