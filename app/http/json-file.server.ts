import { attachment } from './serve-file.server.ts'

type Member = { name: string; value: unknown } | { name: string; items: AsyncGenerator<string> }

/** One JSON object as a file. It is written while its members, and the items of long members, are read. */
export function jsonFile(fileName: string, members: AsyncGenerator<Member>): Response {
  const encoder = new TextEncoder()
  const texts = textsOf(members)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await texts.next()
      if (next.done) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
    async cancel() {
      await texts.return(undefined)
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

async function* textsOf(members: AsyncGenerator<Member>): AsyncGenerator<string, void> {
  let separator = '{'
  for await (const member of members) {
    yield `${separator}\n  ${JSON.stringify(member.name)}: `
    separator = ','
    if ('items' in member) yield* listOf(member.items)
    else yield JSON.stringify(member.value, null, 2).replace(/\n/g, '\n  ')
  }
  yield separator === '{' ? '{}\n' : '\n}\n'
}

async function* listOf(items: AsyncGenerator<string>): AsyncGenerator<string, void> {
  let separator = '['
  for await (const item of items) {
    yield `${separator}\n    ${item}`
    separator = ','
  }
  yield separator === '[' ? '[]' : '\n  ]'
}
