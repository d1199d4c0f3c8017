import { readdirSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { damagedPicture, invalidFileType, wrongPicture, wrongText } from '~/forms/uploads.ts'
import type { GroupName, SiteKey, Viewer } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { createDerivative, makeCover } from '~/services/storage/images.server.ts'
import { storage } from '~/services/storage/storage.server.ts'
import {
  completeUpload,
  getFileToServe,
  getImageToServe,
  getOpenUpload,
  getUploadedFile,
  incomingKey,
  prepareUpload,
  receivePost,
  receiveUpload,
} from '~/services/uploads/uploads.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'
import { aPicture, aPictureOf, from, ownStorage, post, upload } from '../support/uploads.ts'

const folder = ownStorage()

async function as(groups: GroupName[], site: SiteKey = 'institutional') {
  return aContext(db, { site, viewer: await aUser(db, { groups, site }) })
}
const asViewer = (viewer: Viewer) => aContext(db, { viewer })

const nobody = await aContext(db)
const admin = await as(['admins'])
const author = await as(['authors'])
const learner = await as(['learners'])
const foreignAdmin = await as(['admins'], 'ns')
const samples: Record<string, [name: string, bytes: Buffer | string]> = {
  cmi5_zip: ['package.zip', 'whatever: its job has the verdict'],
  cover_img: ['cover.png', await aPicture()],
  csv: ['people.csv', 'email\nada@x.example\n'],
  attachment: ['notes.txt', 'Notes'],
  announcement_img: ['figure.jpg', await aPicture('jpeg')],
}
const emptyZip = Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex')

const bytesInStorage = () => readdirSync(folder).filter((name) => /^[0-9a-f-]{36}$/.test(name)).length
const incoming = () => readdirSync(path.join(folder, 'incoming')).length

describe('prepare, post, complete', () => {
  test.each(Object.keys(samples))(
    'C-215 A-122 an admin uploads a %s and gets its name, size and type',
    async (kind) => {
      const [name, bytes] = samples[kind] as [string, Buffer]
      const file = await upload(admin, kind, name, bytes)
      expect(file).toMatchObject({ originalFileName: name, size: Buffer.from(bytes).length })
      expect(file.name).toMatch(/^[0-9a-f-]{36}\.[a-z]+$/)
      expect(await getUploadedFile(admin, { name: file.name, kind: kind as 'csv' })).toEqual(file)
      const served = await getFileToServe(admin, { name: file.name })
      const kept = await storage().read(served.storageKey)
      expect(Buffer.concat(await kept.toArray())).toEqual(Buffer.from(bytes))
    },
  )

  test('prepare answers with an absolute address on the same site, signed fields and no headers', async () => {
    const prepared = await prepareUpload(foreignAdmin, { fileName: 'a.csv', fileType: 'csv' })
    expect(prepared).toEqual({
      id: expect.any(String),
      url: `http://ns.localhost:3000/uploads/${prepared.id}/`,
      fields: { policy: expect.any(String), signature: expect.any(String) },
      headers: {},
    })
  })

  test('authors upload files for content, and none for messages and invitations', async () => {
    for (const kind of ['cmi5_zip', 'cover_img']) {
      const [name, bytes] = samples[kind] as [string, Buffer]
      expect((await upload(author, kind, name, bytes)).originalFileName).toBe(name)
    }
    for (const kind of ['csv', 'attachment', 'announcement_img']) {
      const [fileName] = samples[kind] as [string, Buffer]
      await expect(prepareUpload(author, { fileName, fileType: kind })).rejects.toBeInstanceOf(Forbidden)
    }
  })

  test.each(Object.keys(samples))(
    'a learner, a visitor and an admin of the other site cannot upload a %s',
    async (kind) => {
      const [fileName] = samples[kind] as [string, Buffer]
      const crossed = { ...foreignAdmin, site: admin.site }
      for (const ctx of [learner, nobody, crossed]) {
        await expect(prepareUpload(ctx, { fileName, fileType: kind })).rejects.toBeInstanceOf(Forbidden)
        const source = from('x')
        await expect(receiveUpload(ctx, { kind: kind as 'csv', fileName, source })).rejects.toBeInstanceOf(Forbidden)
        expect(source.destroyed).toBe(true)
      }
    },
  )

  test.each(['', 'banner', 'CSV', '__proto__', 'constructor'])(
    'C-215 A-122 %j is not a kind of upload',
    async (fileType) => {
      await expect(prepareUpload(admin, { fileName: 'a.png', fileType })).rejects.toThrow('There is no such kind')
    },
  )

  test.each([
    // covers are pictures, and packages zip files.
    ['cover_img', 'a.gif'],
    ['cover_img', 'a.svg'],
    ['cover_img', 'a.png.exe'],
    ['cover_img', 'png'],
    ['cmi5_zip', 'a.rar'],
    ['attachment', 'a.exe'],
    ['attachment', 'a.docx'],
    ['attachment', 'a.html'],
    ['announcement_img', 'a.webp'],
  ])('C-177 C-178 A-084 %s does not accept %s', async (fileType, fileName) => {
    await expect(prepareUpload(admin, { fileName, fileType })).rejects.toThrow('Invalid file type')
  })

  test('C-196 a list that is no CSV file has a sentence of its own', async () => {
    const excel = { fileName: 'a.xlsx', fileType: 'csv' }
    await expect(prepareUpload(admin, excel)).rejects.toThrow('Please select a CSV file')
  })

  test('before the post nothing can be completed; after a second post the second one counts', async () => {
    const prepared = await prepareUpload(admin, { fileName: 'a.txt', fileType: 'attachment' })
    await expect(completeUpload(admin, { fileId: prepared.id })).rejects.toThrow('The file has not arrived yet')
    await post(admin, prepared, 'first')
    await post(admin, prepared, 'second!')
    const file = await completeUpload(admin, { fileId: prepared.id })
    expect(file.size).toBe(7)
    expect(await storage().stat(incomingKey(prepared.id))).toBeNull()
  })

  test('ten completions at once keep one file, and so does one more', async () => {
    const before = bytesInStorage()
    const prepared = await prepareUpload(author, { fileName: 'a.png', fileType: 'cover_img' })
    await post(author, prepared, await aPicture())
    const files = await Promise.all(Array.from({ length: 10 }, () => completeUpload(author, { fileId: prepared.id })))
    expect(new Set(files.map(({ uid }) => uid)).size).toBe(1)
    expect(await completeUpload(author, { fileId: prepared.id })).toEqual(files[0])
    expect(bytesInStorage()).toBe(before + 1)
    expect(
      await db
        .selectFrom('stored_files')
        .select('id')
        .where('uid', '=', files[0]?.uid ?? '')
        .execute(),
    ).toHaveLength(1)
  })

  test('only its creator completes an upload, on the same site', async () => {
    const prepared = await prepareUpload(admin, { fileName: 'a.csv', fileType: 'csv' })
    await post(admin, prepared, 'a')
    const otherAdmin = await as(['admins'])
    for (const ctx of [otherAdmin, author, foreignAdmin, { ...admin, site: foreignAdmin.site }]) {
      await expect(completeUpload(ctx, { fileId: prepared.id })).rejects.toBeInstanceOf(NotFound)
    }
    await expect(completeUpload(nobody, { fileId: prepared.id })).rejects.toBeInstanceOf(Forbidden)
    expect((await completeUpload(admin, { fileId: prepared.id })).size).toBe(1)
  })

  test('a person who is no longer an author completes nothing', async () => {
    const viewer = await aUser(db, { groups: ['authors'] })
    const ctx = await asViewer(viewer)
    const prepared = await prepareUpload(ctx, { fileName: 'a.png', fileType: 'cover_img' })
    await post(ctx, prepared, await aPicture())
    const demoted = await asViewer({ ...viewer, groups: ['learners'] })
    await expect(completeUpload(demoted, { fileId: prepared.id })).rejects.toBeInstanceOf(Forbidden)
  })

  test.each(['', 'x', 'bnVsbA==', '00000000-0000-4000-8000-000000000000', '\u0000'])(
    '%j is not the name of an upload',
    async (fileId) => {
      await expect(completeUpload(admin, { fileId })).rejects.toBeInstanceOf(NotFound)
      await expect(getOpenUpload(admin, { uploadUid: fileId })).rejects.toBeInstanceOf(NotFound)
    },
  )
})

describe('a post', () => {
  const prepare = () => prepareUpload(admin, { fileName: 'a.txt', fileType: 'attachment' })

  test('needs the signature of this upload', async () => {
    const [one, other] = [await prepare(), await prepare()]
    const forged = Buffer.from(JSON.stringify({ uid: one.id, kind: 'cmi5_zip', maxBytes: 1e9, expires: 9e15 }))
    const wrong = [
      { policy: '', signature: '' },
      { ...one.fields, signature: other.fields.signature },
      other.fields,
      { policy: forged.toString('base64url'), signature: one.fields.signature },
      { ...one.fields, signature: `${one.fields.signature}x` },
      { ...one.fields, signature: '\u0000€' },
    ]
    for (const fields of wrong) {
      const source = from('x')
      await expect(receivePost(nobody, { uploadUid: one.id, fields, source })).rejects.toBeInstanceOf(Forbidden)
      expect(source.destroyed).toBe(true)
    }
    await post(nobody, one, 'x')
  })

  test('is too late after an hour, on another site, and after completion', async () => {
    const prepared = await prepare()
    const later = { ...nobody, now: new Date(Date.now() + 61 * 60_000) }
    await expect(getOpenUpload(later, { uploadUid: prepared.id })).rejects.toBeInstanceOf(Conflict)
    await expect(post(later, prepared, 'x')).rejects.toThrow('took too long')
    const ns = { ...nobody, site: foreignAdmin.site }
    await expect(getOpenUpload(ns, { uploadUid: prepared.id })).rejects.toBeInstanceOf(NotFound)
    await post(nobody, prepared, 'x')
    const file = await completeUpload(admin, { fileId: prepared.id })
    await expect(getOpenUpload(nobody, { uploadUid: prepared.id })).rejects.toBeInstanceOf(Conflict)
    await post(nobody, prepared, 'one that began before')
    expect(await storage().stat(incomingKey(prepared.id))).toBeNull()
    expect(await completeUpload(admin, { fileId: prepared.id })).toEqual(file)
  })

  test('A-188 A-198 of exactly the limit is accepted, one byte more is not, and stores nothing', async () => {
    const limit = 1024 * 1024
    expect((await upload(admin, 'cover_img', 'a.png', await aPictureOf(limit))).size).toBe(limit)
    // L-217: a list of people has the same limit.
    expect((await upload(admin, 'csv', 'a.csv', 'x'.repeat(limit))).size).toBe(limit)
    const prepared = await prepareUpload(admin, { fileName: 'a.png', fileType: 'cover_img' })
    await expect(post(admin, prepared, await aPictureOf(limit + 1))).rejects.toThrow('File too large')
    expect(await storage().stat(incomingKey(prepared.id))).toBeNull()
    const source = from(await aPictureOf(limit + 1))
    await expect(receiveUpload(admin, { kind: 'cover_img', fileName: 'a.png', source })).rejects.toThrow(
      'File too large',
    )
  })

  test('that breaks off stores nothing', async () => {
    const prepared = await prepare()
    const source = Readable.from(
      (function* () {
        yield Buffer.from('half')
        throw new Error('the line went dead')
      })(),
    )
    const { id: uploadUid, fields } = prepared
    await expect(receivePost(nobody, { uploadUid, fields, source })).rejects.toThrow('the line went dead')
    expect(await storage().stat(incomingKey(uploadUid))).toBeNull()
  })
})

describe('the real type of a file', async () => {
  const png = await aPicture()
  const bomb = await sharp({
    create: { width: 12_000, height: 12_000, channels: 3, background: '#000' },
    limitInputPixels: false,
  })
    .png({ compressionLevel: 9 })
    .toBuffer()
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

  test.each<[message: string, kind: string, name: string, what: string, bytes: Buffer | string]>([
    [wrongPicture, 'cover_img', 'a.png', 'a program', Buffer.from('MZ\x90\x00\x03')],
    [wrongPicture, 'cover_img', 'a.png', 'a GIF', await aPicture('gif')],
    [wrongPicture, 'cover_img', 'a.png', 'a JPEG', await aPicture('jpeg')],
    [wrongPicture, 'cover_img', 'a.jpg', 'a PNG', png],
    [wrongPicture, 'cover_img', 'a.png', 'HTML', '<!doctype html><script>alert(1)</script>'],
    [wrongPicture, 'cover_img', 'a.png', 'SVG', svg],
    [wrongPicture, 'cover_img', 'a.png', 'nothing', ''],
    [wrongPicture, 'cover_img', 'a.png', 'SVG with the signature of a PNG', `\x89PNG\r\n\x1a\n${svg}`],
    [wrongText, 'csv', 'a.csv', 'a PNG', png],
    [wrongText, 'csv', 'a.csv', 'text with U+0000', 'a\u0000b'],
    [wrongText, 'attachment', 'a.txt', 'a program', Buffer.from('\x7fELF\x02\x01\x01\x00', 'latin1')],
    [invalidFileType, 'attachment', 'a.pdf', 'HTML', '<html>%PDF-1.7</html>'],
    [invalidFileType, 'attachment', 'a.zip', 'a local header and nothing else', Buffer.from('PK\x03\x04abc')],
    [invalidFileType, 'attachment', 'a.zip', 'a RAR', Buffer.from('Rar!\x1a\x07\x01\x00')],
  ])('"%s" for %s, %s: %s, and nothing is stored', async (message, kind, fileName, _what, bytes) => {
    const before = bytesInStorage()
    const prepared = await prepareUpload(admin, { fileName, fileType: kind })
    await post(admin, prepared, bytes)
    await expect(completeUpload(admin, { fileId: prepared.id })).rejects.toThrow(message)
    expect(bytesInStorage()).toBe(before)
    expect(await storage().stat(incomingKey(prepared.id))).toBeNull()
    const source = from(bytes)
    await expect(receiveUpload(admin, { kind: kind as 'csv', fileName, source })).rejects.toThrow(message)
  })

  test.each<[kind: string, name: string, what: string, bytes: Buffer | string]>([
    ['cover_img', 'a.png', 'the head of a PNG', png.subarray(0, 40)],
    ['cover_img', 'a.png', 'a PNG cut off', png.subarray(0, png.length - 20)],
    ['cover_img', 'a.png', 'a picture that unpacks to half a gigabyte', bomb],
  ])('%s, %s: %s is reported as a damaged picture and not stored', async (kind, fileName, _what, bytes) => {
    const before = bytesInStorage()
    const prepared = await prepareUpload(admin, { fileName, fileType: kind })
    await post(admin, prepared, bytes)
    await expect(completeUpload(admin, { fileId: prepared.id })).rejects.toThrow(damagedPicture)
    expect(bytesInStorage()).toBe(before)
    const source = from(bytes)
    await expect(receiveUpload(admin, { kind: kind as 'csv', fileName, source })).rejects.toThrow(damagedPicture)
  })

  test.each<[name: string, bytes: Buffer | string, contentType: string]>([
    ['A.PNG', png, 'image/png'],
    ['a.JPEG', await aPicture('jpeg'), 'image/jpeg'],
    ['a.gif', await aPicture('gif'), 'image/gif'],
    ['a.webp', await aPicture('webp'), 'image/webp'],
    ['a.txt', 'Grüße\r\n\tβ', 'text/plain; charset=utf-8'],
    ['a.pdf', '%PDF-1.7\n%âãÏÓ\n', 'application/pdf'],
    ['a.zip', emptyZip, 'application/zip'],
  ])('C-177 %s is accepted as %s', async (name, bytes, contentType) => {
    expect(await upload(admin, 'attachment', name, bytes)).toMatchObject({ contentType, originalFileName: name })
  })
})

describe('a form without JavaScript', () => {
  test('does all three steps at once, and makes a separate file each time', async () => {
    const send = async () =>
      receiveUpload(author, { kind: 'cover_img', fileName: 'C:\\fakepath\\a b.png', source: from(await aPicture()) })
    const files = await Promise.all([send(), send()])
    expect(files.map(({ originalFileName }) => originalFileName)).toEqual(['a b.png', 'a b.png'])
    expect(new Set(files.map(({ uid }) => uid)).size).toBe(2)
    expect((await getUploadedFile(author, { name: files[0]?.name ?? '', kind: 'cover_img' })).uid).toBe(files[0]?.uid)
  })
})

describe('attaching', () => {
  test('A-240 accepts a completed upload of that kind by this viewer on this site, and otherwise names the field', async () => {
    const file = await upload(author, 'cover_img', 'a.png', await aPicture())
    const ask = (ctx: typeof author, name: string, kind: 'cover_img' | 'cmi5_zip' = 'cover_img') =>
      getUploadedFile(ctx, { name, kind, field: 'coverImg' })
    expect((await ask(author, file.name)).uid).toBe(file.uid)
    const error = await ask(admin, file.name).catch((error) => error)
    expect(error).toBeInstanceOf(Invalid)
    expect(error.fieldErrors).toEqual({ coverImg: error.message })
    await expect(ask(author, file.name, 'cmi5_zip')).rejects.toThrow(
      'This file cannot be used here. Please upload a .zip or .xml file.',
    )
    await expect(ask(admin, file.name, 'cmi5_zip')).rejects.toThrow('This file is no longer there.')
    await expect(ask({ ...author, site: foreignAdmin.site }, file.name)).rejects.toBeInstanceOf(Invalid)
    await expect(ask(nobody, file.name)).rejects.toBeInstanceOf(Forbidden)
    for (const name of ['', file.uid, `../${file.name}`, `${file.name}\u0000`, 'x'.repeat(5000)]) {
      await expect(ask(author, name)).rejects.toBeInstanceOf(Invalid)
    }
  })
})

describe('the public picture', () => {
  test('is upright, at most 1400 px wide, without metadata and without hidden data of the original', async () => {
    const original = await sharp({ create: { width: 3000, height: 1000, channels: 3, background: '#a8243a' } })
      .jpeg()
      .withExif({ IFD0: { Copyright: 'Somebody', Orientation: '6' }, IFD3: { GPSLatitudeRef: 'N' } })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const hidden = Buffer.concat([original, Buffer.from('<script>alert(1)</script>')])
    const file = await upload(author, 'cover_img', 'a.jpg', hidden)
    const cover = await makeCover(author, { fileUid: file.uid })
    expect(cover).toMatchObject({ isNew: true, width: 1000, height: 3000 })
    const { uid } = await inTransaction(author, (ctx) => createDerivative(ctx, cover))
    const served = await getImageToServe(nobody, { uid })
    expect(served).toMatchObject({ contentType: 'image/webp', originalFileName: 'a.jpg' })
    const bytes = Buffer.concat(await (await storage().read(served.storageKey)).toArray())
    const metadata = await sharp(bytes).metadata()
    expect(metadata).toMatchObject({ format: 'webp', width: 1000, height: 3000 })
    expect([metadata.exif, metadata.orientation]).toEqual([undefined, undefined])
    expect(bytes.includes('script')).toBe(false)
    expect(bytes.length).toBe(cover.size)
  })

  test('a wide or tall picture is scaled, and a small one stays as it is', async () => {
    for (const [width, height, expected] of [
      [2800, 394, { width: 1400, height: 197 }],
      [700, 394, { width: 700, height: 394 }],
      [1, 40_000, { width: 1, height: 5600 }],
    ] as const) {
      const file = await upload(author, 'cover_img', 'a.png', await aPicture('png', width, height))
      expect(await makeCover(author, { fileUid: file.uid })).toMatchObject(expected)
    }
  })

  test('requested again, also ten times at once, it is the same picture', async () => {
    const file = await upload(author, 'cover_img', 'a.png', await aPicture())
    const make = async () => {
      const cover = await makeCover(author, { fileUid: file.uid })
      return (await inTransaction(author, (ctx) => createDerivative(ctx, cover))).uid
    }
    const uids = await Promise.all(Array.from({ length: 10 }, make))
    expect(new Set([...uids, await make()]).size).toBe(1)
    expect(await makeCover(author, { fileUid: file.uid })).toMatchObject({ uid: uids[0], isNew: false })
  })

  test('is made only from covers of the same site, and an original is not a derivative', async () => {
    const zip = await upload(author, 'cmi5_zip', 'a.zip', 'x')
    const file = await upload(author, 'cover_img', 'a.png', await aPicture())
    await expect(makeCover(author, { fileUid: zip.uid })).rejects.toBeInstanceOf(NotFound)
    await expect(makeCover(foreignAdmin, { fileUid: file.uid })).rejects.toBeInstanceOf(NotFound)
    await expect(makeCover(author, { fileUid: 'x' })).rejects.toBeInstanceOf(NotFound)
    await expect(getImageToServe(nobody, { uid: file.uid })).rejects.toBeInstanceOf(NotFound)
  })
})

describe('access to originals', () => {
  test('covers and packages are for staff of the site, other files for admins, and all for the uploader', async () => {
    const cover = await upload(author, 'cover_img', 'a.png', await aPicture())
    const list = await upload(admin, 'csv', 'a.csv', 'a')
    const otherAdmin = await as(['admins'])
    const otherAuthor = await as(['authors'])
    for (const ctx of [author, admin, otherAuthor]) expect((await getFileToServe(ctx, cover)).uid).toBe(cover.uid)
    for (const ctx of [admin, otherAdmin]) expect((await getFileToServe(ctx, list)).uid).toBe(list.uid)
    for (const ctx of [nobody, learner, foreignAdmin, { ...admin, site: foreignAdmin.site }]) {
      await expect(getFileToServe(ctx, cover)).rejects.toBeInstanceOf(NotFound)
    }
    await expect(getFileToServe(author, list)).rejects.toBeInstanceOf(NotFound)
    for (const name of ['', '..', cover.uid, `${cover.name}/`, 'x'.repeat(1000)]) {
      await expect(getFileToServe(admin, { name })).rejects.toBeInstanceOf(NotFound)
    }
  })
})

test('only uncompleted uploads remain in the incoming folder', async () => {
  const open = await db.selectFrom('uploads').select('uid').where('completed_at', 'is', null).execute()
  expect(incoming()).toBeLessThanOrEqual(open.length)
})
