import { attachment } from './serve-file.server.ts'

/** One JSON object as a file, written while its members are read. */
export function jsonFile(fileName: string, members: AsyncIterator<{ name: string; value: unknown }>): Response {
  const encoder = new TextEncoder()
  let isFirst = true
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await members.next()
      if (next.done) {
        controller.enqueue(encoder.encode(isFirst ? '{}\n' : '\n}\n'))
        controller.close()
        return
      }
      const { name, value } = next.value
      const text = JSON.stringify(value, null, 2).replace(/\n/g, '\n  ')
      controller.enqueue(encoder.encode(`${isFirst ? '{' : ','}\n  ${JSON.stringify(name)}: ${text}`))
      isFirst = false
    },
    async cancel() {
      await members.return?.()
    },
  })
  return new Response(body, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': attachment(fileName),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}
