/**
 * Forms with files, posted without JavaScript: the same checks as for uploads, in one step. Beside the text field `coverImg`, which holds
 * a stored name, stand `coverImg-file` (the input) and `coverImg-remove` (a box to tick); `coverImg-fileName` and `coverImg-fileSize`
 * only tell the page what to show, so that a kept file comes back by name.
 */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { type UploadKind, uploadRules } from '~/forms/uploads.ts'
import type { Ctx } from '~/services/context.ts'
import { type FieldErrors, ServiceError } from '~/services/errors.ts'
import { receiveUpload } from '~/services/uploads/uploads.server.ts'
import { isCsrfTokenValid } from './csrf.server.ts'
import type { Exchange } from './exchange.server.ts'
import {
  type FilePart,
  type FormFields,
  fieldOf,
  MultipartRefused,
  maxFields,
  readMultipart,
} from './multipart.server.ts'

export type FileFields = Record<string, UploadKind>

export type FormWithFiles = { form: FormData; fieldErrors: FieldErrors; refused?: MultipartRefused }

const maxTextBytes = 1_000_000

/** `refused` where the body was not read to its end; a file that is refused is a field's error, and everything else stays. */
export async function readFormWithFiles(
  args: { request: Request; context: { exchange: Exchange } },
  ctx: Ctx,
  kinds: FileFields,
): Promise<FormWithFiles> {
  const form = new FormData()
  const fieldErrors: FieldErrors = {}
  let refused: MultipartRefused | undefined
  const stored = new Map<string, { name: string; originalFileName: string; size: number }>()
  const onFile = async ({ field, fileName, source }: FilePart, before: FormFields) => {
    const name = field.replace(/-file$/, '')
    const kind = Object.hasOwn(kinds, name) && field.endsWith('-file') ? kinds[name] : undefined
    // A stranger's form stores nothing; it is refused when it is read.
    if (!kind || !(await isCsrfTokenValid(ctx, args.context.exchange, fieldOf(before, 'csrf')))) return
    try {
      stored.set(name, await receiveUpload(ctx, { kind, fileName, source }))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      fieldErrors[name] = error.message
    }
  }
  const rules = Object.values(kinds).map((kind) => uploadRules[kind].maxBytes)
  const limits = {
    // Twice, so that a file that is too large is named as such, and not the whole form.
    maxBytes: maxTextBytes + rules.reduce((sum, bytes) => sum + 2 * bytes, 0),
    maxFields,
    maxFieldBytes: maxTextBytes,
    maxFiles: rules.length,
  }
  try {
    const body = Readable.fromWeb((args.request.body ?? new Blob([]).stream()) as ReadableStream)
    const type = args.request.headers.get('content-type') ?? ''
    for (const [name, value] of await readMultipart(body, type, { ...limits, onFile })) form.append(name, value)
  } catch (error) {
    if (!(error instanceof MultipartRefused)) throw error
    for (const [name, value] of error.fields) form.append(name, value)
    refused = error
  }
  for (const name of Object.keys(kinds)) settle(form, name, stored.get(name))
  return { form, fieldErrors, refused }
}

/** A new file wins over the one that was kept, and over the wish to remove that. */
function settle(
  form: FormData,
  name: string,
  file: { name: string; originalFileName: string; size: number } | undefined,
): void {
  if (file) {
    form.set(name, file.name)
    form.set(`${name}-fileName`, file.originalFileName)
    form.set(`${name}-fileSize`, String(file.size))
  } else if (form.has(`${name}-remove`)) {
    for (const part of [name, `${name}-fileName`, `${name}-fileSize`]) form.set(part, '')
  }
  form.delete(`${name}-remove`)
}
