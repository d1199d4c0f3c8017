/** Limits how much work runs at once. The rest waits for its turn, in order. */

type Limits = {
  /** How much may run at once. */
  running: number
  /** How much may wait. What comes after that is refused. */
  waiting: number
  /** Makes the error of a refusal. */
  refusal: () => Error
}

export type Turns = {
  /** Resolves when the turn has come, to the function that ends it. `signal` ends the waiting. */
  take: (options?: { signal?: AbortSignal }) => Promise<() => void>
  /** Runs work when its turn comes. */
  run: <T>(work: () => Promise<T>) => Promise<T>
}

export function turns(limits: Limits): Turns {
  let running = 0
  const waiting: (() => void)[] = []
  const wait = ({ signal }: { signal?: AbortSignal }) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(begin), 1)
        reject(signal?.reason)
      }
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      waiting.push(begin)
      signal?.addEventListener('abort', leave, { once: true })
    })
  const take: Turns['take'] = async (options = {}) => {
    options.signal?.throwIfAborted()
    if (running >= limits.running && waiting.length >= limits.waiting) throw limits.refusal()
    if (running >= limits.running) await wait(options)
    else running++
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
  return {
    take,
    run: async (work) => {
      const end = await take()
      try {
        return await work()
      } finally {
        end()
      }
    },
  }
}
