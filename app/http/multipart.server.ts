/**
 * The only reader of forms with files. It streams with back pressure, in the order of the parts, and holds only the
 * small fields in memory.
 */
import { Readable } from 'node:stream'
import busboy from 'busboy'

export type FilePart = {
  field: string
  fileName: string
  /** Ends with the file. */
  source: Readable
  /**
   * Ends only after the rest of the form was valid too, and fails otherwise: for files that must not be kept from half
   * a form.
   */
  wholeSource: () => Readable
}

type MultipartOptions = {
  /** The limit for the whole body. */
  maxBytes: number
  maxFields: number
  maxFieldBytes: number
  maxFiles: number
  /**
   * Called for one file after the other, with the fields that came before it. An error that it throws stops the
   * reading.
   */
  onFile: (file: FilePart, fields: FormFields) => Promise<void>
}

export type FormFields = readonly (readonly [name: string, value: string])[]

/** The body was refused and has not been read to its end. */
export class MultipartRefused extends Error {
  readonly status: 400 | 408 | 413
  /** The fields that were read before. */
  fields: FormFields = []
  constructor(status: 400 | 408 | 413, sentence: string) {
    super(sentence)
    this.name = 'MultipartRefused'
    this.status = status
  }
}

/** The limit for any form. */
export const maxFields = 1000
export const tooManyParts = 'This form has too many parts.'

/** A client that sends nothing for this long is cut off. */
const idleMs = 30_000

export function isMultipart(contentType: string | null | undefined): boolean {
  return /^multipart\/form-data\s*;/i.test(contentType ?? '')
}

export function fieldOf(fields: FormFields, name: string): string {
  return fields.find(([field]) => field === name)?.[1] ?? ''
}

export function readMultipart(body: Readable, contentType: string, options: MultipartOptions): Promise<FormFields> {
  return new Promise((resolve, reject) => {
    const parser = parserOf(contentType, options)
    if (!parser) return reject(new MultipartRefused(400, 'This is not a form with files.'))
    const fields: [string, string][] = []
    const work: Promise<void>[] = []
    let size = 0
    let isOver = false

    const finish = (failure?: unknown) => {
      if (isOver) return
      isOver = true
      clearTimeout(idle)
      body.off('data', count).off('close', onClose).off('error', finish)
      if (failure === undefined) return resolve(fields)
      if (failure instanceof MultipartRefused) failure.fields = fields
      body.unpipe(parser)
      // Fails the stream of the current file, so that its reader stops.
      parser.destroy(failure as Error)
      Promise.allSettled(work).then(() => reject(failure))
    }
    const refuse = (status: 400 | 408 | 413, sentence: string) => finish(new MultipartRefused(status, sentence))
    const onIdle = () => refuse(408, 'No data has arrived for 30 seconds. Please send it again.')
    let idle = setTimeout(onIdle, idleMs)
    const count = (chunk: Buffer) => {
      clearTimeout(idle)
      idle = setTimeout(onIdle, idleMs)
      size += chunk.length
      if (size > options.maxBytes) refuse(413, 'This form is too large.')
    }
    const onClose = () => {
      if (!body.readableEnded) finish(new MultipartRefused(400, 'The connection was lost. Please send it again.'))
    }

    const whole = new Promise<void>((resolve, reject) => {
      parser.once('close', () => (isOver ? reject(new Error('The form was incomplete')) : resolve()))
    })
    whole.catch(() => {})
    parser.on('file', (field: string | undefined, stream, { filename }) => {
      stream.on('error', () => {})
      // A file input without a file.
      if (!field || !filename) return stream.resume()
      const part = { field, fileName: filename, source: partsOf(stream), wholeSource: () => partsOf(stream, whole) }
      const before = work.at(-1) ?? Promise.resolve()
      const fieldsBefore = [...fields]
      work.push(before.then(() => options.onFile(part, fieldsBefore)).finally(() => stream.resume()))
      work.at(-1)?.catch(finish)
    })
    parser.on('field', (name: string | undefined, value, { valueTruncated }) => {
      if (valueTruncated) return refuse(413, 'A field of this form is too long.')
      if (name) fields.push([name, value])
    })
    const tooMany = () => refuse(400, tooManyParts)
    parser.once('filesLimit', tooMany).once('fieldsLimit', tooMany).once('partsLimit', tooMany)
    // `on` and not `once`: the parser may report several errors for one chunk, and an unhandled error ends the process.
    parser.on('error', () => refuse(400, 'This form is not well-formed.'))
    parser.once('close', () => {
      if (!isOver) Promise.all(work).then(() => finish(), finish)
    })
    body.on('data', count).on('close', onClose).on('error', finish)
    body.pipe(parser)
  })
}

function parserOf(contentType: string, options: MultipartOptions): busboy.Busboy | null {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      limits: {
        fields: options.maxFields,
        // One more than allowed, so that a value of exactly the limit does not count as truncated.
        fieldSize: options.maxFieldBytes + 1,
        files: options.maxFiles,
        parts: options.maxFields + options.maxFiles + 1,
        headerPairs: 20,
      },
    })
  } catch {
    return null
  }
}

/** A separate stream over a file's bytes: destroying it leaves the rest of the form readable. */
function partsOf(stream: Readable, whole?: Promise<void>): Readable {
  async function* parts() {
    for await (const part of stream.iterator({ destroyOnReturn: false })) yield part
    await whole
  }
  return Readable.from(parts(), { objectMode: false })
}
