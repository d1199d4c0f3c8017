/** Reads the mail files that this product writes: headers, and the parts of a multipart/alternative. */
export type Eml = { headers: Map<string, string>; text: string; html: string }

export function readEml(source: string): Eml {
  const { headers, body } = split(source.replace(/\r\n/g, '\n'))
  const parts = partsOf(headers.get('content-type') ?? '', body).map(split)
  const find = (type: string) => parts.find((part) => part.headers.get('content-type')?.startsWith(type))
  const [text, html] = [find('text/plain'), find('text/html')]
  return { headers, text: text ? decodeBody(text) : '', html: html ? decodeBody(html) : '' }
}

type Part = { headers: Map<string, string>; body: string }

function split(source: string): Part {
  const end = source.indexOf('\n\n')
  const head = end < 0 ? source : source.slice(0, end)
  const headers = new Map<string, string>()
  for (const line of head.replace(/\n[ \t]+/g, ' ').split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim()))
  }
  return { headers, body: end < 0 ? '' : source.slice(end + 2) }
}

function partsOf(contentType: string, body: string): string[] {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1]
  if (!boundary) return [`Content-Type: ${contentType}\n\n${body}`]
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => part.replace(/^\n/, '').replace(/\n$/, ''))
}

function decodeBody({ headers, body }: Part): string {
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding === 'quoted-printable') return quotedPrintable(body.replace(/=\n/g, ''))
  return body
}

/**
 * Decodes `=?UTF-8?B?…?=` and `=?UTF-8?Q?…?=`. Joins bytes first, because a character may be split between two words.
 */
function decodeWords(value: string): string {
  const word = /=\?utf-8\?([bq])\?([^?]*)\?=/gi
  return value.replace(/=\?utf-8\?[bq]\?[^?]*\?=(?:\s+=\?utf-8\?[bq]\?[^?]*\?=)*/gi, (run) => {
    const bytes = [...run.matchAll(word)].map(([, kind = '', text = '']) =>
      kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : bytesOf(text.replace(/_/g, ' ')),
    )
    return Buffer.concat(bytes).toString('utf8')
  })
}

function quotedPrintable(text: string): string {
  return bytesOf(text).toString('utf8')
}

function bytesOf(text: string): Buffer {
  const bytes = text.split(/(=[0-9a-f]{2})/i).map((piece) => {
    return /^=[0-9a-f]{2}$/i.test(piece) ? Buffer.from(piece.slice(1), 'hex') : Buffer.from(piece)
  })
  return Buffer.concat(bytes)
}
