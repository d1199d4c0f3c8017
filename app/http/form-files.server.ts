/**
 * Reads forms with files that were posted without JavaScript. The checks are the same as for uploads, in one step.
 * Beside the text field `coverImg`, which holds a stored name, the form has `coverImg-file` (the input) and
 * `coverImg-remove` (a checkbox). `coverImg-fileName` and `coverImg-fileSize` only tell the page what to show, so that
 * a kept file comes back by name.
 */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { UploadKind } from '~/forms/uploads.ts'
import type { Ctx } from '~/services/context.ts'
import { type FieldErrors, ServiceError } from '~/services/errors.ts'
import { ruleOf } from '~/services/uploads/rules.server.ts'
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

type FormWithFiles = { form: FormData; fieldErrors: FieldErrors; refused?: MultipartRefused }

const maxTextBytes = 1_000_000

/**
 * `refused` is set if the body was not read to its end. A refused file becomes an error of its field, and the other
 * fields stay.
 */
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
    // A form with an invalid CSRF token stores nothing. It is refused after it has been read.
    if (!kind || !(await isCsrfTokenValid(ctx, args.context.exchange, fieldOf(before, 'csrf')))) return
    try {
      stored.set(name, await receiveUpload(ctx, { kind, fileName, source }))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      fieldErrors[name] = error.message
    }
  }
  const rules = Object.values(kinds).map((kind) => ruleOf(kind).maxBytes)
  const limits = {
    // Twice the limit of each file, so that the message for a file that is too large names the file and not the whole
    // form.
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
  for (const name of Object.keys(kinds)) setFileFields(form, name, stored.get(name))
  return { form, fieldErrors, refused }
}

/** Writes the stored file's name into the form. A new file takes precedence over a kept one and over its removal. */
function setFileFields(
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
