import { type Database, insideTransaction } from './client.server.ts'

const retryable = new Set(['40P01', '40001']) // deadlock detected, serialization failure
const attempts = 3

/**
 * Runs `work` in one transaction and hands it a context whose `db` is that transaction; inside another transaction it joins
 * it. Deadlocks and serialization failures are tried three times in all, which is safe because effects outside the database
 * are jobs queued in the transaction.
 */
export async function inTransaction<C extends { db: Database }, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx)
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.db.transaction().execute((trx) => insideTransaction.run(true, () => work({ ...ctx, db: trx })))
    } catch (error) {
      if (attempt >= attempts || !retryable.has((error as { code?: string }).code ?? '')) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt))
    }
  }
}
