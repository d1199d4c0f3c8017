/** Work that may only run so often at the same time: what comes later waits for its turn, in order. */

type Limits = {
  /** How much may run at once. */
  running: number
  /** How much may wait. What comes after that is refused. */
  waiting: number
  /** Makes the error of a refusal. */
  refusal: () => Error
}

/** Returns a function that runs work when its turn comes. */
export function turns(limits: Limits): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (waiting.length >= limits.waiting) throw limits.refusal()
    if (running >= limits.running) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
