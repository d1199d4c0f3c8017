/** Sending a file from a form: what is said when the server refuses it or cannot be reached. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sendFile, uploadError } from '~/components/console/send-file.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** What is said about a picture, if the server answers each request for an upload so. */
async function refusalFor(answer: () => Promise<Response>): Promise<string> {
  vi.stubGlobal('fetch', answer)
  const sending = sendFile({
    file: new File(['x'], 'plate.png'),
    kind: 'cover_img',
    csrf: 'x',
    signal: new AbortController().signal,
    onProgress: () => {},
  })
  const refusal = sending.then(
    () => 'sent',
    (error: Error) => error.message,
  )
  await vi.runAllTimersAsync()
  return refusal
}

/** A browser whose post of the bytes ends so. */
function postsBytes(end: (request: { status: number; onload: () => void; onerror: () => void }) => void): void {
  class Posted {
    status = 0
    upload = {}
    onload = () => {}
    onerror = () => {}
    open() {}
    setRequestHeader() {}
    send() {
      end(this)
    }
  }
  vi.stubGlobal('XMLHttpRequest', Posted)
}

test('A-260 what the server says first is shown; without its words, the upload failed', async () => {
  expect(uploadError).toBe('Error uploading file. Please try again later.')
  expect(await refusalFor(async () => Response.json({ error: 'E1' }, { status: 422 }))).toBe('E1')
  expect(await refusalFor(async () => new Response('', { status: 500 }))).toBe(uploadError)
  expect(await refusalFor(() => Promise.reject(new TypeError('Failed to fetch')))).toBe(uploadError)
})

test('A-259 A-260 so it is if the bytes do not arrive, and a file above the limit is named as such', async () => {
  const prepared = async () => Response.json({ id: 'u1', url: '/uploads/u1/', fields: {}, headers: {} })
  postsBytes(({ onerror }) => onerror())
  expect(await refusalFor(prepared)).toBe(uploadError)
  postsBytes((request) => {
    request.status = 503
    request.onload()
  })
  expect(await refusalFor(prepared)).toBe(uploadError)
  postsBytes((request) => {
    request.status = 413
    request.onload()
  })
  expect(await refusalFor(prepared)).toBe('File too large')
})
