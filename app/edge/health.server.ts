import { access, constants, mkdir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { contentOriginMissing, contentOriginOf } from '~/config/content.server.ts'
import { env } from '~/config/env.server.ts'
import { databaseState } from '~/services/runtime.server.ts'

/** Alive: the process answers. */
export async function handleHealth(_req: IncomingMessage, res: ServerResponse): Promise<void> {
  answer(res, 200, { status: 'ok' })
}

/** Ready: database, migrations and storage answer. A missing content origin is a warning: all but modules works. */
export async function handleReadiness(_req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [database, storage] = await Promise.all([databaseState(), storageCheck()])
  const isReady = database === 'ok' && storage === 'ok'
  const content = contentOriginOf({ baseUrl: env().SITE_ORIGIN }) ? 'ok' : contentOriginMissing
  answer(res, isReady ? 200 : 503, {
    status: isReady ? 'ready' : 'not ready',
    database,
    storage,
    contentOrigin: content,
  })
}

async function storageCheck(): Promise<string> {
  try {
    await mkdir(env().DATA_DIR, { recursive: true })
    await access(env().DATA_DIR, constants.W_OK)
    return 'ok'
  } catch {
    return 'not writable'
  }
}

function answer(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
  res.end(JSON.stringify(body))
}
