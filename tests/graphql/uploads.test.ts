import { print } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wrongText } from '~/forms/uploads.ts'
import { createDerivative, makeCover } from '~/services/storage/images.server.ts'
import { getUploadedFile, receivePost } from '~/services/uploads/uploads.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { databaseUrl, db } from '../support/test.ts'
import { aPicture, from, ownStorage, upload } from '../support/uploads.ts'
import { operations } from './contract.ts'

let graphql: Awaited<ReturnType<typeof startGraphql>>
ownStorage()

beforeAll(async () => {
  graphql = await startGraphql(databaseUrl)
})
afterAll(() => graphql.close())

const textOf = (name: string) => {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  return print(operation.document)
}

async function clientFor(groups: Parameters<typeof aUser>[1] = {}) {
  const viewer = await aUser(db, groups)
  return { viewer, client: await graphql.clientFor(db, viewer, groups.site), ctx: await aContext(db, { viewer }) }
}

test('C-163 C-215 C-217 A-123 PrepareUpload, the post and CompleteUpload work as documented', async () => {
  const { client } = await clientFor({ groups: ['authors'] })
  const { body } = await client.run(textOf('PrepareUpload'), { fileName: 'cover.png', fileType: 'cover_img' })
  const prepared = body.data.prepareUpload
  expect(prepared).toEqual({
    id: expect.any(String),
    url: `http://localhost:3000/uploads/${prepared.id}/`,
    fields: { policy: expect.any(String), signature: expect.any(String) },
    headers: {},
  })
  const early = await client.run(textOf('CompleteUpload'), { fileId: prepared.id })
  expect(early.body.errors?.[0]).toMatchObject({
    message: 'The file has not arrived yet. Please upload it again.',
    extensions: { code: 'BAD_USER_INPUT' },
  })
  const bytes = await aPicture()
  await receivePost(await aContext(db), { uploadUid: prepared.id, fields: prepared.fields, source: from(bytes) })
  const completed = (await client.run(textOf('CompleteUpload'), { fileId: prepared.id })).body.data.completeUpload
  const url = `http://localhost:3000/files/${completed.file.name}`
  expect(completed).toEqual({
    originalFileName: 'cover.png',
    file: { url, size: bytes.length, name: expect.stringMatching(/\.png$/) },
    url,
    cdnUrl: url,
  })
})

test('C-215 A-122 PrepareUpload refuses a learner, an unknown kind and a wrong extension', async () => {
  const learner = await clientFor()
  const author = await clientFor({ groups: ['authors'] })
  const ask = async (client: GraphqlClient, fileName: string, fileType: string) => {
    const { status, body } = await client.run(textOf('PrepareUpload'), { fileName, fileType })
    return [status, body.errors?.[0]?.message]
  }
  expect(await ask(learner.client, 'a.png', 'cover_img')).toEqual([
    200,
    'You do not have permission to perform this action.',
  ])
  expect(await ask(graphql.client(), 'a.png', 'cover_img')).toEqual([200, 'Login required.'])
  expect(await ask(author.client, 'a.gif', 'cover_img')).toEqual([200, 'Invalid file type'])
  expect((await ask(author.client, 'a.png', 'banner'))[1]).toContain('UploadKind')
})

const boundary = 'a-boundary-of-this-test'
type Part = [name: string, value: string, fileName?: string]

async function sendForm(client: GraphqlClient, parts: Part[], headers: Record<string, string> = {}) {
  await client.run('{ featureFlags }')
  const body = parts.map(([name, value, fileName]) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: text/csv`
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
  })
  return client.send({
    body: `${body.join('')}--${boundary}--\r\n`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
  })
}

const csv = 'email\nada@x.example\n'
const good = (query = textOf('UploadCsv')): Part[] => [
  ['operations', JSON.stringify({ query, variables: { file: null } })],
  ['map', '{"0":["variables.file"]}'],
  ['0', csv, 'people.csv'],
]

test('C-227 UploadCsv accepts a list in one multipart request', async () => {
  const { client, ctx } = await clientFor({ groups: ['admins'] })
  const { status, body } = await sendForm(client, good())
  expect(body.errors).toBeUndefined()
  const { savedPath, url } = body.data.uploadCsv
  expect([status, url]).toEqual([200, `http://localhost:3000/files/${savedPath}`])
  expect(await getUploadedFile(ctx, { name: savedPath, kind: 'csv' })).toMatchObject({
    originalFileName: 'people.csv',
    size: csv.length,
  })
})

test('UploadCsv is for admins and requires the token', async () => {
  const author = await clientFor({ groups: ['authors'] })
  expect((await sendForm(author.client, good())).body.errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  const admin = await clientFor({ groups: ['admins'] })
  const before = await db.selectFrom('stored_files').select('id').execute()
  const { status, body } = await sendForm(admin.client, good(), { 'x-csrftoken': 'wrong.token' })
  expect([status, body.errors?.[0]?.message]).toEqual([403, 'CSRF failure'])
  expect(await db.selectFrom('stored_files').select('id').execute()).toHaveLength(before.length)
})

test.each<[what: string, message: string, parts: Part[]]>([
  ['a binary file', wrongText, [...good().slice(0, 2), ['0', 'a\u0000b', 'people.csv']]],
  ['another extension (C-196)', 'Please select a CSV file', [...good().slice(0, 2), ['0', csv, 'people.exe']]],
  [
    'a file over 1 MB (C-198, L-217)',
    'Maximum file size is 1MB',
    [...good().slice(0, 2), ['0', 'x'.repeat(1024 * 1024 + 1), 'people.csv']],
  ],
])('UploadCsv refuses %s', async (_what, message, parts) => {
  const { client } = await clientFor({ groups: ['admins'] })
  const { body } = await sendForm(client, parts)
  expect(body.errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_USER_INPUT' } })
})

const [theOperations, theMap, theFile] = good() as [Part, Part, Part]
const operationsOf = (value: unknown): Part => ['operations', JSON.stringify(value)]
const mapOf = (value: unknown): Part => ['map', JSON.stringify(value)]

test.each<[what: string, parts: Part[]]>([
  ['no file', [theOperations, theMap]],
  ['no operations', [theMap, theFile]],
  ['the file first', [theFile, theOperations, theMap]],
  ['two files', [theOperations, theMap, theFile, theFile]],
  ['further fields', [theOperations, theMap, ['x', '1'], theFile]],
  ['a batch', [operationsOf([{ query: textOf('UploadCsv'), variables: { file: null } }]), theMap, theFile]],
  ['operations that are not JSON', [['operations', '{'], theMap, theFile]],
  ['a map that is a list', [theOperations, mapOf(['variables.file']), theFile]],
  ['a map to nowhere', [theOperations, mapOf({ 0: [] }), theFile]],
  ['a map to two places', [theOperations, mapOf({ 0: ['variables.file', 'variables.file'] }), theFile]],
  ['a map of two files', [theOperations, mapOf({ 0: ['variables.file'], 1: ['variables.file'] }), theFile]],
  ['a map into a prototype', [theOperations, mapOf({ 0: ['variables.__proto__.polluted'] }), theFile]],
  ['a map to a prototype', [theOperations, mapOf({ 0: ['variables.__proto__'] }), theFile]],
  ['a map into the query', [theOperations, mapOf({ 0: ['query'] }), theFile]],
  ['a deep map', [theOperations, mapOf({ 0: [`variables.${'a.'.repeat(1000)}a`] }), theFile]],
  [
    'a variable that is there already',
    [operationsOf({ query: textOf('UploadCsv'), variables: { file: 'x' } }), theMap, theFile],
  ],
  ['another operation', good('mutation ($file: String) { login(username: "a", password: $file) { user { uid } } }')],
  ['an operation beside it', good('mutation ($file: Upload!) { uploadCsv(file: $file) { url } logout { status } }')],
])('a multipart request with %s is refused with 400 and a message', async (_what, parts) => {
  const { client } = await clientFor({ groups: ['admins'] })
  const { status, body } = await sendForm(client, parts)
  const problem = body.errors?.[0]?.message ?? ''
  // The part after the file is read only while the operation already runs.
  expect(
    status === 400 || problem === 'The file did not arrive completely. Please send it again.',
    `${status} ${problem}`,
  ).toBe(true)
  expect(problem).toMatch(/\w+/)
  expect({}).not.toHaveProperty('polluted')
})

test('a file in a JSON request is refused', async () => {
  const { client } = await clientFor({ groups: ['admins'] })
  for (const file of ['x', { fileName: 'a.csv' }, null]) {
    const { body } = await client.run(textOf('UploadCsv'), { file })
    expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  }
})

test('coverImg: everybody gets the derivative, and only staff get the original if there is none', async () => {
  const author = await clientFor({ groups: ['authors'] })
  const learner = await clientFor()
  const module = await aModule(await aContext(db), { name: 'With a cover' })
  const file = await upload(author.ctx, 'cover_img', 'cover.png', await aPicture())
  await db
    .updateTable('modules')
    .set((eb) => ({ cover_file_id: eb.selectFrom('stored_files').select('id').where('uid', '=', file.uid) }))
    .where('uid', '=', module.uid)
    .execute()
  const coverFor = async ({ client }: { client: GraphqlClient }) => {
    const { body } = await client.run('{ modules { edges { node { coverImg { name originalFileName size url } } } } }')
    return body.data.modules.edges[0].node.coverImg
  }
  expect((await coverFor(learner)).url).toBeNull()
  expect((await coverFor(author)).url).toBe(`http://localhost:3000/files/${file.name}`)
  const { uid } = await createDerivative(author.ctx, await makeCover(author.ctx, { fileUid: file.uid }))
  const expected = {
    name: file.name,
    originalFileName: 'cover.png',
    size: file.size,
    url: `http://localhost:3000/images/${uid}.webp`,
  }
  for (const someone of [learner, author]) expect(await coverFor(someone)).toEqual(expected)
})
