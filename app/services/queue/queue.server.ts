/**
 * The queue of jobs, which graphile-worker runs. A job contains only ids, because the state may change before it runs.
 * A job of a site also contains the key of that site and runs in its context; a job of the installation has no site.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx, SiteKey, SystemCtx } from '../context.ts'

/** What builds queued before there were bulk operations. */
export type LearnerMoveOfOldBuild = { moduleVersionUid: string; movedByUid: string; afterUid: string | null }

export type SiteJobs = {
  'assign-content': { operationUid: string }
  'assign-to-joined': Record<string, never>
  'change-modules': { operationUid: string }
  'end-idle-launches': Record<string, never>
  /** The launches of a person up to this time (ISO 8601). */
  'end-launches-of-person': { userUid: string; until: string }
  'end-session-view': { sessionUid: string }
  'forward-statements': Record<string, never>
  'invite-listed-people': { operationUid: string }
  'look-up-vimeo': { kind: 'lecture' | 'video'; uid: string }
  'make-report-file': { fileUid: string }
  'move-learners': { operationUid: string } | LearnerMoveOfOldBuild
  'parse-package': { packageUid: string }
  'prepare-message': { announcementUid: string }
  'remind-invited-people': Record<string, never>
  'remind-of-due-work': Record<string, never>
  /** Counts the figures of reports again after the site's time zone has changed. */
  'renew-figures': Record<string, never>
  'renew-invitation': { userUid: string }
  'renew-access': { operationUid: string }
  'run-scheduled-changes': Record<string, never>
  'run-scheduled-reports': Record<string, never>
  'send-account-mail': { mailUid: string }
  'send-due-reminder': { reminderUid: string }
  'send-invitation': { invitationUid: string }
  'send-messages': Record<string, never>
  'send-report-file-mail': { fileUid: string }
  'send-report-mail': { runUid: string; userUid: string }
  'send-test-message': { userUid: string; requestUid: string }
  'start-scheduled-messages': Record<string, never>
  'unassign-content': { operationUid: string }
  'void-foreign-statements': { statementIds: string[] }
  'withdraw-invitations': { operationUid: string }
}

export type SystemJobs = {
  /** Each item determines its own site. */
  'check-links': { kind: 'course' | 'module' | 'video' | 'lecture' | 'glossary'; uids: string[] }
  'clear-old-mails': Record<string, never>
  'delete-expired-preview-links': Record<string, never>
  'delete-expired-report-files': Record<string, never>
  'delete-expired-sessions': Record<string, never>
  'delete-expired-tokens': Record<string, never>
  'delete-old-attempts': Record<string, never>
  'delete-old-bulk-operations': Record<string, never>
  'delete-old-drafts': Record<string, never>
  'delete-old-link-checks': Record<string, never>
  'erase-deleted-users': Record<string, never>
  'fail-stuck-bulk-operations': Record<string, never>
  'fail-stuck-packages': Record<string, never>
  /** Statements that refer to statements that were not stored yet. */
  'follow-references': { seqs: number[] }
  /** Each item determines its own site. */
  'index-content': { kind: 'course' | 'module' | 'video' | 'lecture' | 'glossary'; uids: string[] }
  'index-missing-content': Record<string, never>
  'make-event-partitions': Record<string, never>
  'purge-deleted-announcements': Record<string, never>
  'purge-deleted-audiences': Record<string, never>
  'purge-deleted-courses': Record<string, never>
  'purge-deleted-lectures': Record<string, never>
  'purge-deleted-modules': Record<string, never>
  'purge-deleted-reports': Record<string, never>
  'purge-deleted-videos': Record<string, never>
  'purge-removed-tags': Record<string, never>
  'purge-removed-universities': Record<string, never>
  'seal-audit-entries': Record<string, never>
  /** Queued by a migration. Continues with a job for the learners and modules after the last. */
  'rebuild-progress': { after?: { userId: number; moduleId: number } }
  'sweep-files': Record<string, never>
}

/**
 * Waiting jobs with the same `key` are merged into one. Of the jobs with the same `queueName`, only one runs at a time.
 */
type QueueOptions = { key?: string; runAt?: Date; queueName?: string; attempts?: number }

/** Queues a job of the site in the current transaction, so that a rollback removes it. */
export async function queue<Name extends keyof SiteJobs>(
  ctx: Pick<Ctx, 'db'> & { site: { key: SiteKey } },
  name: Name,
  payload: SiteJobs[Name],
  options: QueueOptions = {},
): Promise<void> {
  await addJob(ctx, name, { ...payload, site: ctx.site.key satisfies SiteKey }, options)
}

/** Queues many jobs of the site in one statement, in the current transaction. */
export async function queueAll<Name extends keyof SiteJobs>(
  ctx: Pick<Ctx, 'db' | 'site'>,
  name: Name,
  jobs: { payload: SiteJobs[Name]; key?: string }[],
): Promise<void> {
  const rows = jobs.map(({ payload, key }) => ({ payload: { ...payload, site: ctx.site.key }, key: key ?? null }))
  await sql`
    select count(graphile_worker.add_job(
      ${name}, payload => (job -> 'payload')::json, job_key => job ->> 'key', max_attempts => 10))
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) job`.execute(ctx.db)
}

/** Queues a job of the installation in the current transaction, so that a rollback removes it. */
export async function queueSystemJob<Name extends keyof SystemJobs>(
  ctx: Pick<SystemCtx, 'db'>,
  name: Name,
  payload: SystemJobs[Name],
  options: QueueOptions = {},
): Promise<void> {
  await addJob(ctx, name, payload, options)
}

/** For queries: whether a job whose payload holds this uid under `key` is running, waiting, or will be retried. */
export function hasUnfinishedJob(key: string, uid: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`exists (
    select from graphile_worker._private_jobs job
    where job.payload ->> ${key} = ${uid}::text and (job.locked_at is not null or job.attempts < job.max_attempts))`
}

async function addJob(
  ctx: Pick<SystemCtx, 'db'>,
  name: string,
  payload: object,
  { key, runAt, queueName, attempts = 10 }: QueueOptions,
): Promise<void> {
  await sql`select graphile_worker.add_job(
    ${name}, payload => ${JSON.stringify(payload)}::json, job_key => ${key ?? null},
    queue_name => ${queueName ?? null}, run_at => ${runAt ?? null}::timestamptz, max_attempts => ${attempts})`.execute(
    ctx.db,
  )
}
