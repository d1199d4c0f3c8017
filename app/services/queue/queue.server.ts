import { sql } from 'kysely'
import type { Ctx, SiteKey } from '../context.ts'

/** The jobs there are, and what each carries: ids only, since a job runs later than the state it was queued in. */
export type Jobs = {
  'forward-statements': { site: SiteKey }
  'parse-package': { packageUid: string }
  'index-content': { kind: 'course' | 'module' | 'video' | 'lecture' | 'glossary'; uids: string[] }
  'index-missing-content': Record<string, never>
  /** `afterUid`: the attempt up to which it is done. */
  'move-learners': { moduleVersionUid: string; movedByUid: string; afterUid: string | null }
  /** Statements that refer to what was not there yet. */
  'follow-references': { seqs: number[] }
  'void-foreign-statements': { siteUid: string; statementIds: string[] }
  'send-account-mail': { mailUid: string }
  'send-invitation': { invitationUid: string }
  'delete-expired-tokens': Record<string, never>
  'end-idle-launches': Record<string, never>
  'make-event-partitions': Record<string, never>
  'delete-expired-sessions': Record<string, never>
  'delete-old-attempts': Record<string, never>
  'purge-deleted-modules': Record<string, never>
  'sweep-files': Record<string, never>
  'fail-stuck-packages': Record<string, never>
}

/**
 * Queues a job in the current transaction: it rolls back with it. `key` folds jobs of one key that still wait into one;
 * of jobs with one `queueName` only one runs at a time.
 */
export async function queue<Name extends keyof Jobs>(
  ctx: Pick<Ctx, 'db'>,
  name: Name,
  payload: Jobs[Name],
  options: { key?: string; runAt?: Date; queueName?: string } = {},
): Promise<void> {
  await sql`select graphile_worker.add_job(
    ${name}, payload => ${JSON.stringify(payload)}::json, job_key => ${options.key ?? null},
    queue_name => ${options.queueName ?? null}, run_at => ${options.runAt ?? null}::timestamptz, max_attempts => 10)`.execute(
    ctx.db,
  )
}
