/** Milliseconds before the second and the third attempt (L-225). */
const waits = [2_000, 4_000]

type Options = {
  /** Three, unless the caller retries by itself. */
  attempts?: number
  signal?: AbortSignal | null
  onFailed: (answer: Response, attempt: number) => void
}

/**
 * Calls up to three times while the answer is a 5xx, and returns the last answer. A call without an answer is not
 * repeated, since nobody knows what the server did.
 */
export async function threeAttempts(
  call: () => Promise<Response>,
  { attempts = 3, signal, onFailed }: Options,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await call()
    if (answer.status < 500) return answer
    onFailed(answer, attempt)
    const wait = attempt < attempts ? waits[attempt - 1] : undefined
    if (wait === undefined) return answer
    await answer.body?.cancel()
    await pause(wait, signal)
  }
}

/** Rejects as fetch does if the signal aborts in the meantime. */
function pause(milliseconds: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
