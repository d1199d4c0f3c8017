/** Reads and posts the forms of the console as a browser without JavaScript does. */
import { expect } from 'vitest'
import { type Browser, tokenIn } from './http.ts'

/** Reads a page without the comments that React puts between texts. */
export async function readPage(browser: Browser, at: string): Promise<string> {
  const { status, text } = await browser.send({ path: at })
  expect(status, at).toBe(200)
  return text.replaceAll('<!-- -->', '')
}

/** The fields of a page's forms, as a browser would post them, and its token. */
export function fieldsOf(page: string): Record<string, string> {
  const entities = { '&quot;': '"', '&#x27;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  const unquoted = (text = '') =>
    text.replace(/&(?:quot|#x27|lt|gt|amp);/g, (entity) => entities[entity as keyof typeof entities])
  const attribute = (tag: string, name: string) => unquoted(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1])
  const inputs = [...page.matchAll(/<input [^>]*>/g)].map(([tag]) => tag)
  const areas = [...page.matchAll(/<textarea ([^>]*)>([^<]*)<\/textarea>/g)]
  const selects = [...page.matchAll(/<select ([^>]*)>(.*?)<\/select>/gs)].filter(
    ([, tag]) => !/ disabled/.test(tag ?? ''),
  )
  return Object.fromEntries([
    ...selects.map(([, tag = '', options = '']) => {
      const all = [...options.matchAll(/<option [^>]*>/g)].map(([option]) => option)
      const chosen = all.find((option) => / selected/.test(option)) ?? all[0] ?? ''
      return [attribute(` ${tag}`, 'name'), attribute(chosen, 'value')] as const
    }),
    ...inputs
      .filter((tag) => !/type="(file|search|checkbox|radio)"/.test(tag) || / checked/.test(tag))
      .map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')] as const)
      .filter(([name]) => name !== ''),
    ...areas.map(([, tag = '', text]) => [attribute(` ${tag}`, 'name'), unquoted(text).replace(/^\n/, '')] as const),
    ['csrf', tokenIn(page)],
  ])
}

/** Presses a button of the page's form after typing into some of its fields. Returns the page that follows. */
export async function press(browser: Browser, at: string, page: string, changes: Record<string, string>) {
  const reply = await browser.post(at, { ...fieldsOf(page), ...changes })
  const to = reply.headers.location
  const text = to ? await readPage(browser, String(to)) : reply.text.replaceAll('<!-- -->', '')
  return { status: reply.status, to: String(to ?? ''), page: text }
}

type PlainFile = { field: string; name: string; type: string; bytes: Buffer | string }

/** Presses a button of a form with files, as a browser without JavaScript does. */
export async function pressWithFiles(
  browser: Browser,
  at: string,
  { page, changes, files }: { page: string; changes: Record<string, string>; files: PlainFile[] },
) {
  const boundary = 'a-boundary'
  const fields = Object.entries({ ...fieldsOf(page), ...changes }).map(([name, value]) =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
  )
  const parts = files.map(({ field, name, type, bytes }) =>
    Buffer.concat([
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${field}-file"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`,
      ),
      Buffer.from(bytes),
      Buffer.from('\r\n'),
    ]),
  )
  const { status, text, headers } = await browser.send({
    method: 'POST',
    path: at,
    body: Buffer.concat([...fields, ...parts, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'sec-fetch-site': 'same-origin' },
  })
  const to = headers.location
  const shown = to ? await readPage(browser, String(to)) : text.replaceAll('<!-- -->', '')
  return { status, to: String(to ?? ''), page: shown }
}
