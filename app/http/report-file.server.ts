/**
 * A CSV file that is written to a temporary file as fast as its rows are read, and sent from there while it grows. A slow
 * client then holds no connection of the database, and the memory does not grow with the file.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { env } from '~/config/env.server.ts'
import { type CsvRow, csvText } from '~/lib/csv.ts'
import { attachment } from './serve-file.server.ts'

const bytesAtOnce = 64 * 1024

export type CsvToSend = { fileName: string; parts: AsyncGenerator<CsvRow[]>; isRaw: boolean }

/**
 * Sends the file. The headers go out with its first part, so an error before it can still become an answer. Ends `parts`
 * when the client has gone.
 */
export async function sendGrowingCsv(res: ServerResponse, { fileName, parts, isRaw }: CsvToSend): Promise<void> {
  const file = await openTemporary()
  try {
    const first = await parts.next()
    res.statusCode = 200
    res.setHeader('Content-Type', 'text/csv; charset=utf-8')
    res.setHeader('Content-Disposition', attachment(fileName))
    const spool = new Spool(file)
    const written = write(spool, first.done ? [] : first.value, parts, isRaw)
    try {
      await sendWhileWritten(res, spool)
    } finally {
      spool.stop()
      await written
    }
    if (spool.error) throw spool.error
    res.end()
  } finally {
    // Also ends a reading of which nothing has been written, and frees its connection.
    await parts.return(undefined)
    await file.close()
  }
}

/** What has been written to the file so far, and whether there will be more. */
class Spool {
  readonly file: FileHandle
  size = 0
  isDone = false
  isStopped = false
  error: unknown = null
  private wake: () => void = () => {}

  constructor(file: FileHandle) {
    this.file = file
  }

  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    let sent = 0
    while (sent < bytes.length) {
      const { bytesWritten } = await this.file.write(bytes, sent, bytes.length - sent, this.size + sent)
      sent += bytesWritten
    }
    this.size += bytes.length
    this.wake()
  }

  end(error: unknown = null): void {
    this.isDone = true
    this.error = error
    this.wake()
  }

  /** Nobody reads any more. */
  stop(): void {
    this.isStopped = true
  }

  change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }
}

async function write(spool: Spool, first: CsvRow[], parts: AsyncGenerator<CsvRow[]>, isRaw: boolean): Promise<void> {
  try {
    await spool.append(csvText(first, { isRaw }))
    for await (const rows of parts) {
      if (spool.isStopped) return
      await spool.append(csvText(rows, { isFirst: false, isRaw }))
    }
    spool.end()
  } catch (error) {
    spool.end(error)
  }
}

async function sendWhileWritten(res: ServerResponse, spool: Spool): Promise<void> {
  const buffer = Buffer.alloc(bytesAtOnce)
  let sent = 0
  while (!res.destroyed) {
    if (sent === spool.size) {
      if (spool.isDone) return
      await spool.change()
      continue
    }
    const { bytesRead } = await spool.file.read(buffer, 0, Math.min(bytesAtOnce, spool.size - sent), sent)
    sent += bytesRead
    if (!res.write(Buffer.from(buffer.subarray(0, bytesRead)))) await drained(res)
  }
}

/** Resolves when the client has taken what was sent, or has gone. */
async function drained(res: ServerResponse): Promise<void> {
  if (res.destroyed) return
  const gone = new AbortController()
  const { signal } = gone
  await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]).finally(() => gone.abort())
}

/** A file without a name: nobody else can open it, and it is gone with the process. */
async function openTemporary(): Promise<FileHandle> {
  const folder = path.resolve(env().DATA_DIR, 'tmp')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = path.join(folder, randomUUID())
  const file = await open(name, 'wx+', 0o600)
  await unlink(name)
  return file
}
