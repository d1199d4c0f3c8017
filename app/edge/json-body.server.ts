import type { IncomingMessage, ServerResponse } from 'node:http'

const maxBytes = 16_000

/**
 * Reads a body of limited size. Stops reading one that is too large, and leaves the rest of it to `discardRest`
 * (server/refusals.ts), so that the connection stays usable.
 */
export async function readBody(req: IncomingMessage, mostBytes: number): Promise<Buffer | 'too large'> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostBytes) return 'too large'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads a JSON object; null if the body is not one. */
export async function readObject(req: IncomingMessage): Promise<Record<string, unknown> | 'too large' | null> {
  const body = await readBody(req, maxBytes)
  return body === 'too large' ? body : objectIn(body)
}

/** The JSON object that a body holds; null if it is not one. */
export function objectIn(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

export function end(res: ServerResponse, status: number): void {
  res.statusCode = status
  res.end()
}
