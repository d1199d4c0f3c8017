/** Forms with files, posted without JavaScript, as actions read them. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { wrongPicture } from '~/forms/uploads.ts'
import { csrfToken } from '~/http/csrf.server.ts'
import { beginExchange } from '~/http/exchange.server.ts'
import { type Refusal, withForm } from '~/http/respond.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid } from '~/services/errors.ts'
import { getUploadedFile } from '~/services/uploads/uploads.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'
import { aPicture, ownStorage } from '../support/uploads.ts'

ownStorage()

const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
const learner = await aContext(db, { viewer: await aUser(db) })
const files = { coverImg: 'cover_img', cmi5Zip: 'cmi5_zip' } as const

type Field = [name: string, value: string | Buffer, fileName?: string]

/** Posts a form with a valid token, unless another one is given. Returns what the action read or refused. */
async function post(ctx: Ctx, fields: Field[], options: { token?: string; refuse?: boolean; files?: object } = {}) {
  const req = new IncomingMessage(new Socket())
  const exchange = beginExchange(req, new ServerResponse(req), { isSecure: false, address: null, host: 'localhost' })
  const token = await csrfToken(ctx, exchange)
  const form = new FormData()
  if (options.token !== '') form.append('csrf', options.token ?? token)
  for (const [name, value, fileName] of fields) {
    if (fileName === undefined) form.append(name, String(value))
    else form.append(name, new Blob([new Uint8Array(Buffer.from(value))]), fileName)
  }
  const request = new Request('http://localhost/dashboard/modules/new/', { method: 'POST', body: form })
  let seen: Record<string, string> | null = null
  const answer = await withForm(
    { request, context: { exchange } },
    ctx,
    async (form) => {
      seen = Object.fromEntries(
        [...form].filter(([name]) => name !== 'csrf').map(([name, value]) => [name, String(value)]),
      )
      if (options.refuse) throw new Invalid('The name is missing.', { name: 'The name is missing.' })
      return null
    },
    { files: (options.files ?? files) as typeof files },
  )
  const refused = answer as { data: Refusal; init: { status: number } } | null
  return { seen: seen as Record<string, string> | null, refusal: refused?.data ?? null, status: refused?.init.status }
}

const storedFiles = async () => (await db.selectFrom('stored_files').select('id').execute()).length

test('files are stored, their fields contain the stored names, and other fields stay as typed', async () => {
  const { seen } = await post(author, [
    ['name', 'Ångström β'],
    ['tags', 'a'],
    ['coverImg', ''],
    ['coverImg-file', await aPicture(), 'cover.png'],
    ['cmi5Zip-file', 'bytes', 'package.zip'],
    ['intent', 'save'],
  ])
  expect(seen).toMatchObject({
    name: 'Ångström β',
    tags: 'a',
    intent: 'save',
    'coverImg-fileName': 'cover.png',
    'cmi5Zip-fileSize': '5',
  })
  expect((await getUploadedFile(author, { name: seen?.coverImg ?? '', kind: 'cover_img' })).originalFileName).toBe(
    'cover.png',
  )
  expect((await getUploadedFile(author, { name: seen?.cmi5Zip ?? '', kind: 'cmi5_zip' })).size).toBe(5)
})

test('a form refused for another reason returns its file by name, and posting it again keeps the file', async () => {
  const first = await post(
    author,
    [
      ['coverImg', ''],
      ['coverImg-file', await aPicture(), 'cover.png'],
    ],
    { refuse: true },
  )
  expect(first.status).toBe(400)
  const values = first.refusal?.values ?? {}
  expect(values).toMatchObject({ coverImg: expect.stringMatching(/\.png$/), 'coverImg-fileName': 'cover.png' })
  const again = Object.entries(values).map(([name, value]): Field => [name, value])
  const second = await post(author, [...again, ['coverImg-file', '', '']])
  expect(second.seen?.coverImg).toBe(values.coverImg)
  const third = await post(author, [...again, ['coverImg-remove', 'on']])
  expect(third.seen).toMatchObject({ coverImg: '', 'coverImg-fileName': '' })
  expect(third.seen).not.toHaveProperty('coverImg-remove')
  const fourth = await post(author, [
    ...again,
    ['coverImg-remove', 'on'],
    ['coverImg-file', await aPicture(), 'new.png'],
  ])
  expect(fourth.seen?.['coverImg-fileName']).toBe('new.png')
})

test('a refused file is an error of its field; the other file and all values stay', async () => {
  const { seen, status, refusal } = await post(author, [
    ['name', 'typed'],
    ['coverImg-file', 'no picture', 'cover.png'],
    ['cmi5Zip-file', 'bytes', 'package.zip'],
    ['after', 'typed too'],
  ])
  expect([seen, status]).toEqual([null, 400])
  expect(refusal).toMatchObject({ message: wrongPicture, fieldErrors: { coverImg: wrongPicture } })
  expect(refusal?.values).toMatchObject({ name: 'typed', after: 'typed too', 'cmi5Zip-fileName': 'package.zip' })
  const large = await post(author, [
    ['name', 'typed'],
    ['coverImg-file', Buffer.alloc(1024 * 1024 + 1), 'a.png'],
    ['after', 'x'],
  ])
  expect(large.refusal).toMatchObject({
    fieldErrors: { coverImg: 'File too large' },
    values: { name: 'typed', after: 'x' },
  })
})

test('without a valid token nothing is stored, and a person who may not upload gets a message', async () => {
  const before = await storedFiles()
  const picture: Field = ['coverImg-file', await aPicture(), 'cover.png']
  for (const token of ['wrong.token', '']) {
    const { status, refusal } = await post(author, [['name', 'typed'], picture], { token })
    expect([status, refusal?.values.name]).toEqual([400, 'typed'])
    expect(refusal?.message).toContain('open for too long')
  }
  const { refusal } = await post(learner, [picture])
  expect(refusal?.fieldErrors.coverImg).toBe('You do not have permission to perform this action.')
  expect(await storedFiles()).toBe(before)
})

test('files without a field in the form are refused and not stored', async () => {
  const before = await storedFiles()
  const picture = await aPicture()
  for (const field of ['other.file', 'coverImg', '__proto__.file', 'constructor.file']) {
    const { seen } = await post(author, [[field, picture, 'cover.png']])
    expect(seen?.coverImg).toBeUndefined()
  }
  const { status, refusal } = await post(
    author,
    [
      ['name', 'typed'],
      ['coverImg-file', picture, 'a.png'],
    ],
    { files: {} },
  )
  expect([status, refusal?.values.name]).toEqual([400, 'typed'])
  const long = await post(author, [['name', 'x'.repeat(1_000_001)]])
  expect([long.seen, long.status]).toEqual([null, 413])
  expect(await storedFiles()).toBe(before)
})
