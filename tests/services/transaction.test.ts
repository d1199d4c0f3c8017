/** Callbacks that report a change wait for its commit. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction, onCommit } from '~db/transaction.server.ts'
import { aContext } from '../support/context.ts'
import { db } from '../support/test.ts'

test('the callback runs once after the commit, at any depth, and not after a rollback', async () => {
  const calls: string[] = []
  const ctx = await aContext(db)
  await inTransaction(ctx, async (ctx) => {
    onCommit(() => calls.push('outer'))
    await inTransaction(ctx, async () => onCommit(() => calls.push('inner')))
    expect(calls).toEqual([])
  })
  expect(calls).toEqual(['outer', 'inner'])
  const failing = inTransaction(ctx, async () => {
    onCommit(() => calls.push('never'))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  onCommit(() => calls.push('at once'))
  expect(calls).toEqual(['outer', 'inner', 'at once'])
})

test('after a retried transaction, only the callbacks of the last try run', async () => {
  const calls: number[] = []
  let tries = 0
  await inTransaction(await aContext(db), async ({ db }) => {
    tries += 1
    const attempt = tries
    onCommit(() => calls.push(attempt))
    if (attempt === 1) await sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`.execute(db)
  })
  expect([tries, calls]).toEqual([2, [2]])
})
