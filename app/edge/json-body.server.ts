import type { IncomingMessage, ServerResponse } from 'node:http'

const maxBytes = 16_000

/**
 * Reads a JSON object; null if the body is not one. Stops reading a body that is too large, and leaves the rest of it to
 * `discardRest` (server/refusals.ts), so that the connection stays usable.
 */
export async function readObject(req: IncomingMessage): Promise<Record<string, unknown> | 'too large' | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) return 'too large'
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
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
