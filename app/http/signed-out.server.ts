/**
 * Keeps a console form that a page without JavaScript posts after its session has ended. A redirect to /login/ would
 * lose the typed values.
 */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { json } from '@remix-run/node'
import { type KeptForm, splitLabels } from '~/forms/kept-form.ts'
import { uploadRules } from '~/forms/uploads.ts'
import { type FormFields, isMultipart, MultipartRefused, maxFields, readMultipart } from './multipart.server.ts'
import { isSentBack } from './respond.server.ts'

const maxTextBytes = 1_000_000
/**
 * The most that one of our forms may hold. It is read to its end, since a browser that is still sending reads no
 * answer.
 */
const maxBytes = maxTextBytes + 2 * (uploadRules.cmi5_zip.maxBytes + uploadRules.cover_img.maxBytes)

/** Answers 401 with the fields as typed. Nothing is stored for a visitor, so files have to be chosen again. */
export async function keptFormPage(request: Request, login: string): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const { fields, labels } = splitLabels((await textsOf(request)).map(({ 0: name, 1: value }) => [name, value]))
  const form: KeptForm = {
    action: pathname + search,
    login,
    fields: fields.filter(([name]) => isSentBack(name)),
    labels,
  }
  // The console's error boundary makes a form of it again (components/console/kept-form.tsx).
  return json(form, { status: 401, statusText: 'Signed Out' })
}

async function textsOf(request: Request): Promise<FormFields> {
  const type = request.headers.get('content-type') ?? ''
  try {
    if (!isMultipart(type)) {
      const fields = [...(await request.formData())].filter((field): field is [string, string] => !isFile(field))
      return fields.length > maxFields ? [] : fields
    }
    const body = Readable.fromWeb((request.body ?? new Blob([]).stream()) as ReadableStream)
    const limits = { maxBytes, maxFields, maxFieldBytes: maxTextBytes, maxFiles: 2 }
    return await readMultipart(body, type, { ...limits, onFile: async () => {} })
  } catch (error) {
    return error instanceof MultipartRefused ? error.fields : []
  }
}

function isFile([, value]: [string, unknown]): boolean {
  return typeof value !== 'string'
}
