import type { Migration } from 'kysely'
import * as installationAndSites from './2026-11-21T0900-installation-and-sites.ts'
import * as people from './2026-11-21T0905-people.ts'
import * as filesAndOutline from './2026-11-21T0910-files-and-outline.ts'
import * as modules from './2026-11-21T0915-modules.ts'
import * as coursesLecturesVideos from './2026-11-21T0920-courses-lectures-videos.ts'
import * as learning from './2026-11-21T0925-learning.ts'
import * as xapi from './2026-11-21T0930-xapi.ts'
import * as messagesAndEvents from './2026-11-21T0935-messages-and-events.ts'
import * as siteKeys from './2026-11-21T0940-site-keys.ts'
import * as moduleEditing from './2026-11-21T1000-module-editing.ts'
import * as accountMails from './2026-11-21T1010-account-mails.ts'
import * as search from './2026-11-21T1050-search.ts'
import * as addressChanges from './2026-11-21T1100-address-changes.ts'
import * as messageNames from './2026-11-21T1140-message-names.ts'
import * as eventRetention from './2026-11-21T1400-event-retention.ts'
import * as xapiAttachments from './2026-11-21T1600-xapi-attachments.ts'
import * as searchesByUser from './2026-11-21T1610-searches-by-user.ts'
import * as attemptsByStaff from './2026-11-21T1700-attempts-by-staff.ts'
import * as xapiForwarding from './2026-11-21T1900-xapi-forwarding.ts'
import * as xapiReferences from './2026-11-21T1905-xapi-references.ts'
import * as stampAfterWriter from './2026-11-21T2010-stamp-after-writer.ts'
import * as statementsByActorAndVerb from './2026-11-21T2240-statements-by-actor-and-verb.ts'
import * as namesToSortBy from './2026-11-22T1200-names-to-sort-by.ts'
import * as bulkOperations from './2026-11-22T2010-bulk-operations.ts'
import * as demoMarks from './2026-11-22T2130-demo-marks.ts'
import * as bulkItems from './2026-11-22T2300-bulk-items.ts'
import * as unchangedBulkItems from './2026-11-23T0345-unchanged-bulk-items.ts'
import * as dismissedBulkOperations from './2026-11-23T0350-dismissed-bulk-operations.ts'
import * as resultsByMoveOn from './2026-11-23T0915-results-by-move-on.ts'
import * as mailsAboutTokens from './2026-11-23T1200-mails-about-tokens.ts'
import * as activityOwners from './2026-11-23T1210-activity-owners.ts'
import * as waitsBetweenAttempts from './2026-11-23T1210-waits-between-attempts.ts'
import * as keysThatRotate from './2026-11-23T1220-keys-that-rotate.ts'
import * as statementsInOrder from './2026-11-23T1230-statements-in-order.ts'
import * as firstCourses from './2026-11-23T1300-first-courses.ts'
import * as durations from './2026-11-23T1310-durations.ts'
import * as wordsOfSearch from './2026-11-23T1400-words-of-search.ts'
import * as continuedLaunches from './2026-11-23T1500-continued-launches.ts'
import * as playedParts from './2026-11-23T1510-played-parts.ts'
import * as lostVoids from './2026-11-23T1520-lost-voids.ts'
import * as glossaryRevisions from './2026-11-24T0900-glossary-revisions.ts'
import * as removedTags from './2026-11-24T0910-removed-tags.ts'
import * as courseEditing from './2026-11-24T0920-course-editing.ts'
import * as filmEditing from './2026-11-24T1000-film-editing.ts'
import * as filmMedia from './2026-11-24T1100-film-media.ts'
import * as formDrafts from './2026-11-24T1300-form-drafts.ts'
import * as scheduledChanges from './2026-11-24T1310-scheduled-changes.ts'
import * as replacedFiles from './2026-11-24T1400-replaced-files.ts'
import * as linkChecks from './2026-11-24T1500-link-checks.ts'
import * as previewLinks from './2026-11-24T1510-preview-links.ts'
import * as termsInPlace from './2026-11-24T1600-terms-in-place.ts'
import * as managedUsers from './2026-11-24T2000-managed-users.ts'
import * as invitedLists from './2026-11-24T2030-invited-lists.ts'
import * as siteSettings from './2026-11-24T2100-site-settings.ts'
import * as removedUniversities from './2026-11-24T2110-removed-universities.ts'
import * as auditSeals from './2026-11-24T2120-audit-seals.ts'
import * as confirmedAddresses from './2026-11-27T1000-confirmed-addresses.ts'
import * as sessionViews from './2026-11-27T1010-session-views.ts'
import * as dueDates from './2026-11-27T1100-due-dates.ts'
import * as dueReminders from './2026-11-27T1110-due-reminders.ts'
import * as audiences from './2026-11-27T1210-audiences.ts'
import * as recentVisits from './2026-11-27T1220-recent-visits.ts'
import * as chosenOptions from './2026-11-27T1230-chosen-options.ts'
import * as managedPlans from './2026-11-27T1300-managed-plans.ts'
import * as standingAssignments from './2026-11-27T1310-standing-assignments.ts'
import * as writtenMessages from './2026-11-28T0100-written-messages.ts'
import * as mails from './2026-11-28T0200-mails.ts'
import * as mailChoices from './2026-11-28T0210-mail-choices.ts'
import * as lookingUpMails from './2026-11-28T0400-looking-up-mails.ts'
import * as messageTracking from './2026-11-28T0410-message-tracking.ts'
import * as oldMails from './2026-11-28T0600-old-mails.ts'
import * as removedDueDates from './2026-11-28T0700-removed-due-dates.ts'
import * as overview from './2026-11-28T0900-overview.ts'
import * as completedProgress from './2026-11-28T1000-completed-progress.ts'
import * as personYears from './2026-11-28T1100-person-years.ts'
import * as savedViews from './2026-11-28T1200-saved-views.ts'
import * as scheduledReports from './2026-11-28T1210-scheduled-reports.ts'
import * as recipientsWithoutNames from './2026-11-28T1300-recipients-without-names.ts'
import * as reportsOfAllTime from './2026-11-28T2100-reports-of-all-time.ts'
import * as reportFiles from './2026-11-28T2200-report-files.ts'
import * as longTagsOfOptions from './2026-11-29T0400-long-tags-of-options.ts'
import * as answersInWords from './2026-11-29T0430-answers-in-words.ts'
import * as markedLearners from './2026-11-29T0700-marked-learners.ts'
import * as reportsInOrder from './2026-11-29T0720-reports-in-order.ts'
import * as coveringPersonYears from './2026-11-29T1430-covering-person-years.ts'
import * as smallerIndexesOfMails from './2026-11-29T1440-smaller-indexes-of-mails.ts'
import * as smallerIndexesOfRecipients from './2026-11-29T1630-smaller-indexes-of-recipients.ts'
import * as statisticsOfQuestions from './2026-11-29T1650-statistics-of-questions.ts'
import * as searchesByTerm from './2026-11-29T1700-searches-by-term.ts'
import * as plansOfUsers from './2026-11-29T2000-plans-of-users.ts'
import * as learnersInOrder from './2026-11-30T1300-learners-in-order.ts'
import * as assignmentsTakenBack from './2026-11-30T1900-assignments-taken-back.ts'

/** In order; frozen once released. A test compares this list with the folder. */
export const migrations: Record<string, Migration> = {
  '2026-11-21T0900-installation-and-sites': installationAndSites,
  '2026-11-21T0905-people': people,
  '2026-11-21T0910-files-and-outline': filesAndOutline,
  '2026-11-21T0915-modules': modules,
  '2026-11-21T0920-courses-lectures-videos': coursesLecturesVideos,
  '2026-11-21T0925-learning': learning,
  '2026-11-21T0930-xapi': xapi,
  '2026-11-21T0935-messages-and-events': messagesAndEvents,
  '2026-11-21T0940-site-keys': siteKeys,
  '2026-11-21T1000-module-editing': moduleEditing,
  '2026-11-21T1010-account-mails': accountMails,
  '2026-11-21T1050-search': search,
  '2026-11-21T1100-address-changes': addressChanges,
  '2026-11-21T1140-message-names': messageNames,
  '2026-11-21T1400-event-retention': eventRetention,
  '2026-11-21T1600-xapi-attachments': xapiAttachments,
  '2026-11-21T1610-searches-by-user': searchesByUser,
  '2026-11-21T1700-attempts-by-staff': attemptsByStaff,
  '2026-11-21T1900-xapi-forwarding': xapiForwarding,
  '2026-11-21T1905-xapi-references': xapiReferences,
  '2026-11-21T2010-stamp-after-writer': stampAfterWriter,
  '2026-11-21T2240-statements-by-actor-and-verb': statementsByActorAndVerb,
  '2026-11-22T1200-names-to-sort-by': namesToSortBy,
  '2026-11-22T2010-bulk-operations': bulkOperations,
  '2026-11-22T2130-demo-marks': demoMarks,
  '2026-11-22T2300-bulk-items': bulkItems,
  '2026-11-23T0345-unchanged-bulk-items': unchangedBulkItems,
  '2026-11-23T0350-dismissed-bulk-operations': dismissedBulkOperations,
  '2026-11-23T0915-results-by-move-on': resultsByMoveOn,
  '2026-11-23T1200-mails-about-tokens': mailsAboutTokens,
  '2026-11-23T1210-activity-owners': activityOwners,
  '2026-11-23T1210-waits-between-attempts': waitsBetweenAttempts,
  '2026-11-23T1220-keys-that-rotate': keysThatRotate,
  '2026-11-23T1230-statements-in-order': statementsInOrder,
  '2026-11-23T1300-first-courses': firstCourses,
  '2026-11-23T1310-durations': durations,
  '2026-11-23T1400-words-of-search': wordsOfSearch,
  '2026-11-23T1500-continued-launches': continuedLaunches,
  '2026-11-23T1510-played-parts': playedParts,
  '2026-11-23T1520-lost-voids': lostVoids,
  '2026-11-24T0900-glossary-revisions': glossaryRevisions,
  '2026-11-24T0910-removed-tags': removedTags,
  '2026-11-24T0920-course-editing': courseEditing,
  '2026-11-24T1000-film-editing': filmEditing,
  '2026-11-24T1100-film-media': filmMedia,
  '2026-11-24T1300-form-drafts': formDrafts,
  '2026-11-24T1310-scheduled-changes': scheduledChanges,
  '2026-11-24T1400-replaced-files': replacedFiles,
  '2026-11-24T1500-link-checks': linkChecks,
  '2026-11-24T1510-preview-links': previewLinks,
  '2026-11-24T1600-terms-in-place': termsInPlace,
  '2026-11-24T2000-managed-users': managedUsers,
  '2026-11-24T2030-invited-lists': invitedLists,
  '2026-11-24T2100-site-settings': siteSettings,
  '2026-11-24T2110-removed-universities': removedUniversities,
  '2026-11-24T2120-audit-seals': auditSeals,
  '2026-11-27T1000-confirmed-addresses': confirmedAddresses,
  '2026-11-27T1010-session-views': sessionViews,
  '2026-11-27T1100-due-dates': dueDates,
  '2026-11-27T1110-due-reminders': dueReminders,
  '2026-11-27T1210-audiences': audiences,
  '2026-11-27T1220-recent-visits': recentVisits,
  '2026-11-27T1230-chosen-options': chosenOptions,
  '2026-11-27T1300-managed-plans': managedPlans,
  '2026-11-27T1310-standing-assignments': standingAssignments,
  '2026-11-28T0100-written-messages': writtenMessages,
  '2026-11-28T0200-mails': mails,
  '2026-11-28T0210-mail-choices': mailChoices,
  '2026-11-28T0400-looking-up-mails': lookingUpMails,
  '2026-11-28T0410-message-tracking': messageTracking,
  '2026-11-28T0600-old-mails': oldMails,
  '2026-11-28T0700-removed-due-dates': removedDueDates,
  '2026-11-28T0900-overview': overview,
  '2026-11-28T1000-completed-progress': completedProgress,
  '2026-11-28T1100-person-years': personYears,
  '2026-11-28T1200-saved-views': savedViews,
  '2026-11-28T1210-scheduled-reports': scheduledReports,
  '2026-11-28T1300-recipients-without-names': recipientsWithoutNames,
  '2026-11-28T2100-reports-of-all-time': reportsOfAllTime,
  '2026-11-28T2200-report-files': reportFiles,
  '2026-11-29T0400-long-tags-of-options': longTagsOfOptions,
  '2026-11-29T0430-answers-in-words': answersInWords,
  '2026-11-29T0700-marked-learners': markedLearners,
  '2026-11-29T0720-reports-in-order': reportsInOrder,
  '2026-11-29T1430-covering-person-years': coveringPersonYears,
  '2026-11-29T1440-smaller-indexes-of-mails': smallerIndexesOfMails,
  '2026-11-29T1630-smaller-indexes-of-recipients': smallerIndexesOfRecipients,
  '2026-11-29T1650-statistics-of-questions': statisticsOfQuestions,
  '2026-11-29T1700-searches-by-term': searchesByTerm,
  '2026-11-29T2000-plans-of-users': plansOfUsers,
  '2026-11-30T1300-learners-in-order': learnersInOrder,
  '2026-11-30T1900-assignments-taken-back': assignmentsTakenBack,
}
