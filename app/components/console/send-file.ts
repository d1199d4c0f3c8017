/** The three steps of an upload in the browser, with real progress. This file does not use React. */
import { fileTooLarge } from '~/forms/uploads.ts'
import { fetchToken } from './fresh-token.tsx'

export type SentFile = { name: string; originalFileName: string; size: number; url?: string }

/** Carries the sentence for the notice. `isFinal`: the file itself was refused, so sending it again does not help. */
export class UploadFailed extends Error {
  readonly isFinal: boolean
  /** The session has ended. The upload can be repeated after signing in. */
  readonly isSignedOut: boolean

  constructor(message: string, { isFinal = false, isSignedOut = false } = {}) {
    super(message)
    this.isFinal = isFinal
    this.isSignedOut = isSignedOut
  }
}

const aboutTheFile = [400, 413, 415, 422]

export const uploadError = 'Error uploading file. Please try again later.'
export const uploadAborted = 'File uploading aborted. Please try again later.'

type Sending = { file: File; kind: string; csrf: string; signal: AbortSignal; onProgress: (percent: number) => void }
type Prepared = { id: string; url: string; fields: Record<string, string>; headers: Record<string, string> }

const waits = [2000, 4000]

export async function sendFile({ file, kind, csrf, signal, onProgress }: Sending): Promise<SentFile> {
  const pass = { csrf }
  const ask = <T>(path: string, body: object) => askServer<T>(path, body, pass, signal)
  const prepared = await ask<Prepared>('/uploads/prepare/', { fileName: file.name, fileType: kind })
  await postBytes(prepared, file, signal, onProgress)
  return ask<SentFile>(`/uploads/${prepared.id}/complete/`, {})
}

/**
 * Posts JSON to the server. It tries three times if the server or the connection fails. A refusal is final, in the
 * server's words. If another session has replaced the page's session, it fetches a fresh token, once.
 */
async function askServer<T>(path: string, body: object, pass: { csrf: string }, signal: AbortSignal): Promise<T> {
  let isFresh = false
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRFToken': pass.csrf },
      body: JSON.stringify(body),
      signal,
    }).catch(() => null)
    if (signal.aborted) throw new UploadFailed(uploadAborted)
    if (answer?.ok) return (await answer.json()) as T
    if (answer?.status === 403 && !isFresh) {
      isFresh = true
      const fresh = await fetchToken(signal)
      if (fresh) pass.csrf = fresh
      continue
    }
    const wait = waits[attempt]
    if (answer && answer.status < 500) {
      const about = { isFinal: aboutTheFile.includes(answer.status), isSignedOut: answer.status === 401 }
      throw new UploadFailed(await messageOf(answer), about)
    }
    if (wait === undefined) throw new UploadFailed(uploadError)
    await pause(wait, signal)
  }
}

async function messageOf(answer: Response): Promise<string> {
  const refusal = (await answer.json().catch(() => ({}))) as { error?: string }
  return refusal.error || uploadError
}

/** Posts the file with XMLHttpRequest, because `fetch` does not report the progress of an upload. */
function postBytes(
  prepared: Prepared,
  file: File,
  signal: AbortSignal,
  onProgress: (percent: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new UploadFailed(uploadAborted))
    const form = new FormData()
    for (const [name, value] of Object.entries(prepared.fields)) form.append(name, value)
    form.append('file', file)
    const request = new XMLHttpRequest()
    request.open('POST', prepared.url)
    for (const [name, value] of Object.entries(prepared.headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(Math.floor((loaded / total) * 100))
    request.onload = () => {
      if (request.status < 300) resolve()
      else if (request.status === 413) reject(new UploadFailed(fileTooLarge, { isFinal: true }))
      else reject(new UploadFailed(uploadError))
    }
    request.onerror = () => reject(new UploadFailed(uploadError))
    request.onabort = () => reject(new UploadFailed(uploadAborted))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
