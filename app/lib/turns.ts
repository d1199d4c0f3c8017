/** Limits how much work runs at once. The rest waits for its turn, in order. */

type Limits = {
  /** How much may run at once, also as a function of settings that are read later. */
  running: number | (() => number)
  /** How much may wait. What comes after that is refused. */
  waiting: number
  /** How much of that may be of one person, so that nobody takes the whole line. Without it there is no such limit. */
  ofOne?: number
  /** Makes the error of a refusal. */
  refusal: () => Error
}

export type Turns = {
  /** Resolves when the turn has come, to the function that ends it. `signal` ends the waiting, `who` is counted for `ofOne`. */
  take: (options?: Options) => Promise<() => void>
  /** Runs work when its turn comes. */
  run: <T>(work: () => Promise<T>, options?: Options) => Promise<T>
}
type Options = { signal?: AbortSignal; who?: string }

export function turns(limits: Limits): Turns {
  const most = () => (typeof limits.running === 'function' ? limits.running() : limits.running)
  let running = 0
  const held = new Map<string, number>()
  const hold = (who: string | undefined, by: 1 | -1) => {
    if (who === undefined) return
    const left = (held.get(who) ?? 0) + by
    if (left > 0) held.set(who, left)
    else held.delete(who)
  }
  const waiting: (() => void)[] = []
  const wait = ({ signal }: Options) =>
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
    const { signal, who } = options
    signal?.throwIfAborted()
    if (running >= most() && waiting.length >= limits.waiting) throw limits.refusal()
    if (who !== undefined && (held.get(who) ?? 0) >= (limits.ofOne ?? Number.POSITIVE_INFINITY)) throw limits.refusal()
    hold(who, 1)
    if (running < most()) running++
    else {
      await wait(options).catch((error: unknown) => {
        hold(who, -1)
        throw error
      })
    }
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      hold(who, -1)
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
  return {
    take,
    run: async (work, options) => {
      const end = await take(options)
      try {
        return await work()
      } finally {
        end()
      }
    },
  }
}
