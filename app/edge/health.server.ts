import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { contentProblem } from '~/config/content.server.ts'
import { env } from '~/config/env.server.ts'
import { recordStoreOf, siteKeys } from '~/config/forwarding.ts'
import { databaseState, openSiteContext } from '~/services/runtime.server.ts'
import { findForwardingProblem } from '~/services/xapi/xapi.server.ts'

/** Liveness: the process answers. The viewer asks this of content hosts, from another origin. */
export async function handleHealth(_req: IncomingMessage, res: ServerResponse): Promise<void> {
  res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  answer(res, 200, { status: 'ok' })
}

/**
 * Readiness: database, migrations and storage answer. Other problems are only warnings: without a content origin
 * everything except modules works, a shared one isolates less, and statements for an external record store that is down
 * wait in the database.
 */
export async function handleReadiness(_req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (stopping) return answer(res, 503, { status: 'not ready', reason: stopping })
  const [database, storage] = await Promise.all([databaseState(), storageCheck()])
  const isReady = database === 'ok' && storage === 'ok'
  const forwarding = database === 'ok' ? await forwardingCheck() : null
  answer(res, isReady ? 200 : 503, {
    status: isReady ? 'ready' : 'not ready',
    database,
    storage,
    contentOrigin: contentProblem() ?? 'ok',
    ...(forwarding && { forwarding }),
  })
}

let stopping: string | null = null

/** From now on this process is not ready, so that a load balancer sends its visitors elsewhere. */
export function announceStop(reason: string): void {
  stopping ??= reason
}

export function isStopping(): boolean {
  return stopping !== null
}

/** Null if no site has an external record store. */
async function forwardingCheck(): Promise<string | null> {
  const sites = siteKeys.filter((site) => recordStoreOf(env(), site))
  if (sites.length === 0) return null
  try {
    const problems = await Promise.all(sites.map(async (site) => findForwardingProblem(await openSiteContext(site))))
    return problems.filter((problem) => problem !== null).join(' ') || 'ok'
  } catch {
    return 'unknown'
  }
}

/** Each process writes its own file, since several may share the folder. */
const probe = `.ready-${randomUUID()}`
const probeBytes = Buffer.alloc(64 * 1024)

/** Writes a file, because the folder of a full disk or of a read-only one still looks writable. */
async function storageCheck(): Promise<string> {
  const file = path.join(env().DATA_DIR, probe)
  try {
    await mkdir(env().DATA_DIR, { recursive: true })
    await writeFile(file, probeBytes)
    return 'ok'
  } catch (error) {
    return /^(ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '') ? 'full' : 'not writable'
  } finally {
    await rm(file, { force: true }).catch(() => {})
  }
}

function answer(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
  res.end(JSON.stringify(body))
}
