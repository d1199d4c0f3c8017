/**
 * The handlers of all jobs. A job of a site runs in the context of that site; a job of the installation gets a context
 * without a site.
 */
import { deleteExpiredTokensAndMails, sendAccountMail } from '~/services/accounts/account-mails.server.ts'
import { purgeDeletedAnnouncements } from '~/services/announcements/delete-announcement.server.ts'
import { prepareMessage } from '~/services/announcements/prepare-message.server.ts'
import { sendMessages } from '~/services/announcements/send-messages.server.ts'
import { sendTestMessage } from '~/services/announcements/send-test.server.ts'
import { startScheduledMessages } from '~/services/announcements/start-sending.server.ts'
import { remindOfDueWork, sendDueReminder } from '~/services/assignments/remind-of-due-work.server.ts'
import { assignToPeople, unassignFromPeople } from '~/services/assignments/run-assignment.server.ts'
import { assignToJoined } from '~/services/assignments/standing-assignments.server.ts'
import { purgeDeletedAudiences } from '~/services/audiences/save-audience.server.ts'
import { sealAuditEntries } from '~/services/audit/seals.server.ts'
import { deleteOldBulkOperations, failStuckBulkOperations } from '~/services/bulk/clean-up-operations.server.ts'
import { checkLinks, deleteOldLinkChecks } from '~/services/checks/check-links.server.ts'
import {
  endIdleLaunches,
  endLaunchesOfPerson,
  moveLearners,
  voidForeignStatements,
} from '~/services/cmi5/cmi5.server.ts'
import { type Ctx, type SystemCtx, siteContext } from '~/services/context.ts'
import { purgeDeletedCourses } from '~/services/courses/publish-course.server.ts'
import { deleteOldDrafts } from '~/services/drafts/drafts.server.ts'
import { eraseDeletedUsers } from '~/services/erasure/erasure.server.ts'
import { renewFigures } from '~/services/figures/figures.server.ts'
import { lookUpVimeo } from '~/services/films/vimeo.server.ts'
import { sendInvitationMail } from '~/services/invitations/invitations.server.ts'
import { inviteListedPeople } from '~/services/invitations/invite-list.server.ts'
import { remindInvitedPeople, renewOwnInvitation } from '~/services/invitations/send-again.server.ts'
import { withdrawListed } from '~/services/invitations/withdraw-list.server.ts'
import { purgeDeletedLectures } from '~/services/lectures/save-lecture.server.ts'
import { deleteOldAttempts } from '~/services/limits/limits.server.ts'
import { clearOldMails } from '~/services/mail/clear-old-mails.server.ts'
import { changeModules } from '~/services/modules/change-many.server.ts'
import { purgeDeletedModules } from '~/services/modules/modules.server.ts'
import { failPackagesThatAreStuck } from '~/services/packages/packages.server.ts'
import { deleteExpiredPreviewLinks } from '~/services/previews/preview-links.server.ts'
import { findJobSite } from '~/services/queue/job-site.server.ts'
import type { SiteJobs, SystemJobs } from '~/services/queue/queue.server.ts'
import { deleteExpiredReportFiles } from '~/services/reports/delete-expired-files.server.ts'
import { makeReportFile } from '~/services/reports/make-report-file.server.ts'
import { purgeDeletedReports } from '~/services/reports/purge-reports.server.ts'
import { sendReportFileMail } from '~/services/reports/report-file-mail.server.ts'
import { runScheduledReports, sendReportMail } from '~/services/reports/run-scheduled-reports.server.ts'
import { runScheduledChanges } from '~/services/schedule/schedule.server.ts'
import { deleteExpiredSessions } from '~/services/sessions/sessions.server.ts'
import { endSessionView } from '~/services/sessions/view-as.server.ts'
import { purgeRemovedTags } from '~/services/tags/change-tags.server.ts'
import { renewNextPeople } from '~/services/users/renew-access.server.ts'
import { purgeRemovedUniversities } from '~/services/users/replace-university.server.ts'
import { purgeDeletedVideos } from '~/services/videos/save-video.server.ts'
import { followLateReferences, forwardStatements } from '~/services/xapi/xapi.server.ts'
import { bulkJob } from './bulk-job.ts'
import { indexContentJob, indexMissingContent } from './index-content.ts'
import { makeEventPartitions } from './make-event-partitions.ts'
import { parsePackageJob } from './parse-package.ts'
import { rebuildProgressJob } from './rebuild-progress.ts'
import { sweepFiles } from './sweep-files.ts'

/** `isLast` is true if the job will not be retried. `signal` aborts when the process ends. */
type JobAttempt = { isLast: boolean; signal: AbortSignal }

/** The result of a handler is logged. */
type Handlers<C, Jobs> = {
  [Name in keyof Jobs]: (ctx: C, payload: Jobs[Name], attempt: JobAttempt) => Promise<unknown>
}

const siteHandlers: Handlers<Ctx, SiteJobs> = {
  'assign-content': bulkJob(assignToPeople),
  'assign-to-joined': assignToJoined,
  'change-modules': bulkJob(changeModules),
  'end-idle-launches': endIdleLaunches,
  'end-launches-of-person': endLaunchesOfPerson,
  'end-session-view': endSessionView,
  'forward-statements': (ctx, _payload, { signal }) => forwardStatements(ctx, { signal }),
  'invite-listed-people': bulkJob(inviteListedPeople),
  'look-up-vimeo': lookUpVimeo,
  'make-report-file': makeReportFile,
  'move-learners': bulkJob(moveLearners),
  'parse-package': parsePackageJob,
  'prepare-message': prepareMessage,
  'remind-invited-people': remindInvitedPeople,
  'remind-of-due-work': remindOfDueWork,
  'renew-access': bulkJob(renewNextPeople),
  'renew-figures': renewFigures,
  'renew-invitation': renewOwnInvitation,
  'run-scheduled-changes': runScheduledChanges,
  'run-scheduled-reports': runScheduledReports,
  'send-account-mail': sendAccountMail,
  'send-due-reminder': sendDueReminder,
  'send-invitation': sendInvitationMail,
  'send-messages': (ctx, _payload, { signal }) => sendMessages(ctx, { signal }),
  'send-report-file-mail': sendReportFileMail,
  'send-report-mail': sendReportMail,
  'send-test-message': sendTestMessage,
  'start-scheduled-messages': startScheduledMessages,
  'unassign-content': bulkJob(unassignFromPeople),
  'void-foreign-statements': voidForeignStatements,
  'withdraw-invitations': bulkJob(withdrawListed),
}

const systemHandlers: Handlers<SystemCtx, SystemJobs> = {
  'check-links': (ctx, payload, { signal }) => checkLinks(ctx, payload, { signal }),
  'clear-old-mails': (ctx, _payload, { signal }) => clearOldMails(ctx, { signal }),
  'delete-expired-preview-links': deleteExpiredPreviewLinks,
  'delete-expired-report-files': deleteExpiredReportFiles,
  'delete-expired-sessions': deleteExpiredSessions,
  'delete-expired-tokens': deleteExpiredTokensAndMails,
  'delete-old-attempts': deleteOldAttempts,
  'delete-old-bulk-operations': deleteOldBulkOperations,
  'delete-old-drafts': deleteOldDrafts,
  'delete-old-link-checks': deleteOldLinkChecks,
  'erase-deleted-users': eraseDeletedUsers,
  'fail-stuck-bulk-operations': failStuckBulkOperations,
  'fail-stuck-packages': failPackagesThatAreStuck,
  'follow-references': followLateReferences,
  'index-content': indexContentJob,
  'index-missing-content': indexMissingContent,
  'make-event-partitions': makeEventPartitions,
  'purge-deleted-announcements': purgeDeletedAnnouncements,
  'purge-deleted-audiences': purgeDeletedAudiences,
  'purge-deleted-courses': purgeDeletedCourses,
  'purge-deleted-lectures': purgeDeletedLectures,
  'purge-deleted-modules': purgeDeletedModules,
  'purge-deleted-reports': purgeDeletedReports,
  'purge-deleted-videos': purgeDeletedVideos,
  'purge-removed-tags': purgeRemovedTags,
  'purge-removed-universities': purgeRemovedUniversities,
  'rebuild-progress': rebuildProgressJob,
  'seal-audit-entries': sealAuditEntries,
  'sweep-files': sweepFiles,
}

export type JobName = keyof SiteJobs | keyof SystemJobs

export const jobNames = [...Object.keys(siteHandlers), ...Object.keys(systemHandlers)] as JobName[]

/** Runs one job. Returns what it did, for the log. */
export async function runJob(
  ctx: SystemCtx,
  name: JobName,
  payload: unknown,
  attempt: JobAttempt = { isLast: false, signal: new AbortController().signal },
): Promise<unknown> {
  if (!isSiteJob(name)) return systemHandlers[name](ctx, payload as never, attempt)
  const site = await findJobSite(ctx.db, name, payload as object)
  if (!site) return 'skipped: its row is gone'
  return siteHandlers[name](siteContext({ ...ctx, site }), payload as never, attempt)
}

function isSiteJob(name: JobName): name is keyof SiteJobs {
  return name in siteHandlers
}
