import { AsyncLocalStorage } from 'node:async_hooks'
import { type Database, insideTransaction } from './client.server.ts'

const retryable = new Set(['40P01', '40001']) // deadlock detected, serialization failure
const attempts = 3
const waiting = new AsyncLocalStorage<(() => void)[]>()

/**
 * Runs `work` in one transaction, with a context whose `db` is that transaction. Inside another transaction it joins
 * that one. After a deadlock or serialization failure it tries again, three times in total. This is safe, because
 * effects outside the database are jobs queued in the transaction.
 */
export async function inTransaction<C extends { db: Database }, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx)
  for (let attempt = 1; ; attempt++) {
    try {
      const committed: (() => void)[] = []
      const result = await waiting.run(committed, () =>
        ctx.db.transaction().execute((trx) => insideTransaction.run(true, () => work({ ...ctx, db: trx }))),
      )
      for (const effect of committed) effect()
      return result
    } catch (error) {
      if (attempt >= attempts || !isRetryable(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt))
    }
  }
}

/** Tells whether the same work may succeed when it is done again. */
export function isRetryable(error: unknown): boolean {
  return retryable.has((error as { code?: string }).code ?? '')
}

/**
 * Runs an effect after the transaction has been committed, such as setting a cookie. Does not run it after a rollback.
 * Outside a transaction it runs at once.
 */
export function onCommit(effect: () => void): void {
  const committed = waiting.getStore()
  if (committed) committed.push(effect)
  else effect()
}
