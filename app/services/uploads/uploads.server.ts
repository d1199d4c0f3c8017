/**
 * Uploads in three steps: prepare, post, complete. The signature from `prepareUpload` permits a post, whose bytes stay
 * in `incoming/` until the upload is completed. Then the bytes are copied, and the copy is checked and kept, so that a
 * later post cannot change what was checked. Forms without JavaScript, commands and seeds do all three steps at once
 * with `receiveUpload`.
 */
import type { Readable } from 'node:stream'
import {
  extensionsInWords,
  fileProblem,
  fileTooLarge,
  isUploadKind,
  type UploadKind,
  uploadRules,
  uploadTexts,
} from '~/forms/uploads.ts'
import { uploadAddress } from '~/lib/file-address.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireActor } from '../context.ts'
import { Conflict, Forbidden, Invalid, NotFound, requireThat, ServiceError } from '../errors.ts'
import { signingKey, verifyingKeys } from '../sites/keys.server.ts'
import {
  cleanFileName,
  createStoredFile,
  discardFile,
  type ReceivedFile,
  receiveFile,
} from '../storage/files.server.ts'
import { FileMissing, FileTooLarge, storage } from '../storage/storage.server.ts'
import { contentTypeOf } from './content-check.server.ts'
import { canFetch, canUpload } from './policy.ts'
import {
  findOwnUpload,
  findServedFile,
  findUpload,
  findUploadedFiles,
  insertUpload,
  lockUpload,
  type ServedFile,
  type StoredUpload,
  setCompleted,
  type UploadRow,
} from './queries.server.ts'
import { ruleOf } from './rules.server.ts'
import { readPolicy, type SignedFields, signPolicy } from './signature.ts'

export type { ServedFile, StoredUpload } from './queries.server.ts'

/** What a client needs for its post: the `fields`, followed by the file as `file`. */
export type PreparedUpload = { id: string; url: string; fields: SignedFields; headers: Record<string, string> }

const hourMs = 60 * 60 * 1000

export async function prepareUpload(ctx: Ctx, input: { fileName: string; fileType: string }): Promise<PreparedUpload> {
  const kind = allowedKind(ctx, input.fileType)
  const fileName = checkedName(kind, input.fileName)
  const expiresAt = new Date(ctx.now.getTime() + hourMs)
  const { uid } = await insertUpload(ctx, { kind, fileName, expiresAt })
  const key = await signingKey(ctx.db, 'token_key')
  const fields = signPolicy(key, { uid, kind, maxBytes: ruleOf(kind).maxBytes, expires: expiresAt.getTime() })
  return { id: uid, url: `${ctx.site.baseUrl}${uploadAddress(uid)}`, fields, headers: {} }
}

/**
 * Finds an open upload, so that other posts are refused before any of their bytes are read. Throws NotFound if it is
 * unknown, Conflict if it has expired or is completed.
 */
export async function getOpenUpload(
  ctx: Ctx,
  input: { uploadUid: string },
): Promise<{ kind: UploadKind; maxBytes: number }> {
  const upload = isUid(input.uploadUid) ? await findUpload(ctx, input.uploadUid) : undefined
  if (!upload) throw new NotFound()
  requireOpen(ctx, upload)
  return { kind: upload.kind, maxBytes: ruleOf(upload.kind).maxBytes }
}

/**
 * Stores posted bytes; a second post replaces the first. `source` must end normally only if the whole post arrived:
 * after an error nothing is stored.
 */
export async function receivePost(
  ctx: Ctx,
  input: { uploadUid: string; fields: SignedFields; source: Readable },
): Promise<void> {
  const { uploadUid, fields, source } = input
  try {
    const keys = await verifyingKeys(ctx.db, 'token_key')
    const [policy] = keys.flatMap((key) => readPolicy(key, fields) ?? [])
    if (policy?.uid !== uploadUid.toLowerCase()) {
      throw new Forbidden(
        'The signature of this upload is not valid. Please start the upload again.',
        'upload.signature',
      )
    }
    if (policy.expires <= ctx.now.getTime()) throw expired()
    await storage().write(incomingKey(uploadUid), source, { maxBytes: policy.maxBytes })
  } catch (error) {
    source.destroy()
    if (error instanceof FileTooLarge) throw tooLarge()
    throw error
  }
  // The upload was completed while these bytes arrived, so nobody will use them.
  if ((await findUpload(ctx, uploadUid))?.file) await storage().delete(incomingKey(uploadUid))
}

/** Completes an upload: checks the posted bytes and keeps them. Calling it again returns the same file. */
export async function completeUpload(ctx: Ctx, input: { fileId: string }): Promise<StoredUpload> {
  requireActor(ctx, 'write')
  const upload = isUid(input.fileId) ? await findOwnUpload(ctx, input.fileId) : undefined
  if (!upload) throw new NotFound()
  requireThat(canUpload(ctx, upload.kind))
  if (upload.file) return upload.file
  const { kind, fileName } = upload
  try {
    const source = await storage().read(incomingKey(upload.uid))
    const file = await storeChecked(ctx, { kind, fileName, source }, (ctx, received) =>
      recordOnce(ctx, upload, received),
    )
    await storage().delete(incomingKey(upload.uid))
    return file
  } catch (error) {
    if (error instanceof FileMissing) return afterMissing(ctx, upload)
    if (error instanceof Invalid) await storage().delete(incomingKey(upload.uid))
    throw error
  }
}

/** Does all three steps at once, for forms posted without JavaScript and for files of commands and seeds. */
export async function receiveUpload(
  ctx: Ctx,
  input: { kind: UploadKind; fileName: string; source: Readable },
): Promise<StoredUpload> {
  try {
    const kind = allowedKind(ctx, input.kind)
    const fileName = checkedName(kind, input.fileName)
    return await storeChecked(ctx, { kind, fileName, source: input.source }, async (ctx, received) => {
      const upload = await insertUpload(ctx, { kind, fileName, expiresAt: ctx.now })
      return recordOnce(ctx, upload, received)
    })
  } catch (error) {
    if (error instanceof ServiceError || !input.source.errored) throw error
    throw new Invalid('The file did not arrive completely. Please send it again.', {}, 'upload.broken')
  } finally {
    input.source.destroy()
  }
}

/**
 * Finds a completed upload of this kind by the viewer or operator, to attach it to content. Call it in the transaction
 * that attaches the file, so that the sweep cannot delete it. `isFromHistory`: the content had the file before, so it
 * may be somebody else's upload.
 */
export async function getUploadedFile(
  ctx: Ctx,
  { kind, isFromHistory, ...file }: { name: string; kind: UploadKind; field?: string; isFromHistory?: boolean },
): Promise<StoredUpload> {
  const [found] = await getUploadedFiles(ctx, { kind, files: [file], isFromHistory })
  if (!found) throw new Error('getUploadedFiles returns a file or throws')
  return found
}

/** Finds several such uploads with one query, in the order of `files`. */
export async function getUploadedFiles(
  ctx: Ctx,
  input: { kind: UploadKind; files: { name: string; field?: string }[]; isFromHistory?: boolean },
): Promise<StoredUpload[]> {
  requireActor(ctx)
  const names = input.files.map(({ name }) => name).filter(isStoredName)
  const found = new Map(
    (await findUploadedFiles(ctx, names, input)).map(({ kind, ...file }) => [file.name, { kind, file }]),
  )
  return input.files.map(({ name, field }) => {
    const one = found.get(name)
    if (one?.kind === input.kind) return one.file
    const [code, sentence] = fileFault(name, input.kind, one !== undefined)
    throw new Invalid(sentence, field ? { [field]: sentence } : {}, code)
  })
}

function fileFault(name: string, kind: UploadKind, isOther: boolean): [code: string, sentence: string] {
  if (name === '') return ['file.none', 'Please choose a file.']
  if (!isOther) return ['file.unknown', 'This file is no longer there. Please upload it again.']
  const extensions = extensionsInWords(uploadRules[kind].extensions)
  return ['file.wrong_kind', `This file cannot be used here. Please upload a ${extensions} file.`]
}

/** Finds an original file. Throws NotFound for people who may not fetch it. */
export async function getFileToServe(ctx: Ctx, input: { name: string }): Promise<ServedFile> {
  const file = isStoredName(input.name) ? await findServedFile(ctx, { name: input.name }) : undefined
  if (!file || !canFetch(ctx, file)) throw new NotFound()
  return file
}

/** Finds a derivative for anyone who has its address. Throws NotFound for any other file. */
export async function getImageToServe(ctx: Ctx, input: { uid: string }): Promise<ServedFile> {
  const file = isUid(input.uid) ? await findServedFile(ctx, { uid: input.uid }) : undefined
  if (!file?.isDerivative) throw new NotFound()
  return file
}

/** Tells whether `createStoredFile` could have made this name. Other names never reach a query. */
function isStoredName(name: string): boolean {
  return /^[0-9a-f-]{36}(\.[a-z0-9]{1,8})?$/.test(name)
}

export function incomingKey(uploadUid: string): string {
  return `incoming/${uploadUid.toLowerCase()}`
}

function allowedKind(ctx: Ctx, kind: string): UploadKind {
  requireActor(ctx, 'write')
  if (!isUploadKind(kind)) throw new Invalid('There is no such kind of upload.', {}, 'upload.unknown_kind')
  requireThat(canUpload(ctx, kind))
  return kind
}

function checkedName(kind: UploadKind, sent: string): string {
  const fileName = cleanFileName(sent)
  const problem = fileProblem(kind, { name: fileName })
  if (problem !== null) throw new Invalid(problem, {}, 'file.invalid_type')
  return fileName
}

function requireOpen(ctx: Ctx, upload: UploadRow): void {
  if (upload.file) throw new Conflict('upload.completed', 'This upload is already completed.')
  if (upload.expiresAt <= ctx.now) throw expired()
}

type NewFile = { kind: UploadKind; fileName: string; source: Readable }

/** Stores bytes if they are what their name says. The caller records or discards them. */
async function receiveCheckedFile({ kind, fileName, source }: NewFile): Promise<ReceivedFile> {
  const { maxBytes } = ruleOf(kind)
  const received = await receiveFile(source, { kind, fileName, contentType: '', maxBytes }).catch((error) => {
    throw error instanceof Invalid ? tooLarge(kind) : error
  })
  try {
    return { ...received, contentType: await contentTypeOf(kind, fileName, await storage().localPath(received.uid)) }
  } catch (error) {
    if (error instanceof ServiceError) await discardFile(received)
    throw error
  }
}

/** Stores and checks the bytes, then calls `record` in a transaction. Bytes that it did not record are deleted. */
async function storeChecked(
  ctx: Ctx,
  { kind, fileName, source }: NewFile,
  record: (ctx: Ctx, received: ReceivedFile) => Promise<StoredUpload>,
): Promise<StoredUpload> {
  const received = await receiveCheckedFile({ kind, fileName, source })
  try {
    const file = await inTransaction(ctx, (ctx) => record(ctx, received))
    if (file.uid !== received.uid) await discardFile(received)
    return file
  } catch (error) {
    // After any other error the transaction may still have been committed. If it was not, the sweep deletes the bytes.
    if (error instanceof ServiceError) await discardFile(received)
    throw error
  }
}

/** Records the stored file of an upload, unless it already has one. */
async function recordOnce(ctx: Ctx, upload: { uid: string }, received: ReceivedFile): Promise<StoredUpload> {
  const locked = await lockUpload(ctx, upload.uid)
  if (!locked) throw new NotFound()
  if (locked.file) return locked.file
  const { uid } = await createStoredFile(ctx, received)
  await setCompleted(ctx, upload.uid, uid)
  const completed = await findUpload(ctx, upload.uid)
  if (!completed?.file) throw new Error('A completed upload has no file')
  return completed.file
}

/** Handles missing bytes: either nothing was posted, or another request has just completed the upload. */
async function afterMissing(ctx: Ctx, upload: UploadRow): Promise<StoredUpload> {
  const file = (await findOwnUpload(ctx, upload.uid))?.file
  if (file) return file
  throw new Invalid('The file has not arrived yet. Please upload it again.', {}, 'upload.nothing_posted')
}

function tooLarge(kind?: UploadKind): Invalid {
  return new Invalid(kind ? uploadTexts(kind).tooLarge : fileTooLarge, {}, 'file.too_large')
}

function expired(): Conflict {
  return new Conflict('upload.expired', 'This upload took too long to begin. Please start it again.')
}
