/** Rules about service functions that a test reads from their source (tests/support/service-functions.ts). */
import { expect, test } from 'vitest'
import { holdsFor, readServiceFunctions, type ServiceFunction } from './support/service-functions.ts'

/** Functions that write without a guard, each with the reason. Before adding one, think about who may call it. */
const exceptions: Record<string, string[]> = {
  'They let people in: a password, a link or a token in the input says who it is.': [
    'accounts/confirmAddressChange',
    'users/endMails',
    'announcements/recordMailOpen',
    'announcements/recordMailClick',
    'accounts/keepAddress',
    'accounts/login',
    'accounts/openAccount',
    'accounts/requestPasswordReset',
    'accounts/resetPassword',
    'invitations/confirmInvitation',
    'mail/recordMailEvent',
    'mail/recordReturnedMail',
  ],
  'The session of the launch, in the input, says which unit asks and what it may do.': [
    'cmi5/deleteUnitDocument',
    'cmi5/deleteUnitState',
    'cmi5/fetchToken',
    'cmi5/getUnitDocument',
    'cmi5/listUnitDocumentIds',
    'cmi5/recordAuStatements',
    'cmi5/writeUnitDocument',
  ],
  'Everybody may leave a trace of their own, also without an account; how many is limited.': [
    'events/recordEvent',
    'events/recordSearch',
  ],
  'Whoever holds the link of an invitation may ask for a new one; how many is limited, and the mail goes to its owner.':
    ['invitations/askForNewInvitation'],
  'They record when something of the caller was last used, after the response.': [
    'accounts/touchAccessToken',
    'cmi5/checkLaunchSession',
    'cmi5/touchLaunchesOfPackage',
    'cmi5/touchUnitSession',
    'sessions/touchSession',
    'xapi/touchClient',
  ],
  'Jobs of a site: the service that queued the job has checked who may.': [
    'accounts/sendAccountMail',
    'assignments/assignToPeople',
    'assignments/remindOfDueWork',
    'assignments/sendDueReminder',
    'announcements/prepareMessage',
    'announcements/sendMessages',
    'announcements/startScheduledMessages',
    'assignments/unassignFromPeople',
    'bulk/endBulkOperation',
    'bulk/recordBulkItems',
    'bulk/workThroughItems',
    'cmi5/endIdleLaunches',
    'cmi5/endLaunchesOfPerson',
    'sessions/endSessionView',
    'films/lookUpVimeo',
    'invitations/remindInvitedPeople',
    'invitations/renewOwnInvitation',
    'invitations/sendInvitationMail',
    'mail/clearOldMails',
    'invitations/withdrawListed',
    'modules/changeModules',
    'modules/finishPackage',
    'xapi/forwardStatements',
    'xapi/queueForwarding',
    'schedule/runScheduledChanges',
    'reports/makeReportFile',
    'reports/runScheduledReports',
    'users/renewNextPeople',
    'assignments/assignToJoined',
  ],
  'Work for the whole installation: jobs, the start and a command of the operator.': [
    'accounts/deleteExpiredTokensAndMails',
    'bulk/deleteOldBulkOperations',
    'bulk/failStuckBulkOperations',
    'checks/checkLinks',
    'checks/deleteOldLinkChecks',
    'checks/queueLinkChecks',
    'cmi5/rebuildProgress',
    'cmi5/rebuildProgressPage',
    'drafts/deleteOldDrafts',
    'limits/deleteOldAttempts',
    'courses/purgeDeletedCourses',
    'lectures/purgeDeletedLectures',
    'modules/purgeDeletedModules',
    'videos/purgeDeletedVideos',
    'packages/failPackage',
    'packages/failPackagesThatAreStuck',
    'packages/parsePackage',
    'packages/readMissingContents',
    'previews/deleteExpiredPreviewLinks',
    'queue/recordHeartbeat',
    'queue/freeJobsOfSilentWorkers',
    'queue/removeWorkers',
    'search/indexContent',
    'sessions/deleteExpiredSessions',
    'sites/ensureInstallation',
    'sites/rotateKeys',
    'sites/markDemo',
    'storage/deleteUnusedFiles',
    'announcements/purgeDeletedAnnouncements',
    'mail/clearOldMails',
    'audiences/purgeDeletedAudiences',
    'reports/deleteExpiredReportFiles',
    'reports/purgeDeletedReports',
    'audit/sealAuditEntries',
    'tags/purgeRemovedTags',
    'users/purgeRemovedUniversities',
    'uploads/sweepUploads',
    'xapi/followLateReferences',
    'xapi/sweepAttachments',
  ],
  'Parts of a use-case of another domain, which has the guard.': [
    'access/addTagToItems',
    'access/removeTagFromItems',
    'access/setPlans',
    'access/setTags',
    'accounts/endTokens',
    'accounts/eraseSecrets',
    'accounts/issueToken',
    'accounts/recordSignIn',
    'accounts/sendInvitationLetter',
    'mail/eraseMails',
    'mail/addMailsOfMessage',
    'mail/markUnsubscribed',
    'mail/queueInDoubt',
    'mail/sendMail',
    'mail/sendQueuedMails',
    'assignments/eraseAssignments',
    'audit/recordAudit',
    'drafts/eraseDrafts',
    'events/eraseEvents',
    'audit/eraseActorNames',
    'reports/eraseReports',
    'favorites/eraseFavorites',
    'institutions/bringBackUniversity',
    'institutions/ensureUniversities',
    'institutions/ensureUniversity',
    'institutions/removeUniversity',
    'invitations/eraseInvitations',
    'sites/writeFiguresZone',
    'sites/writeSettings',
    'limits/admitAttempt',
    'limits/clearAttempts',
    'limits/countAttempts',
    'limits/uncountAttempt',
    'packages/createPackage',
    'progress/clearModuleProgress',
    'questionnaire/eraseAnswers',
    'progress/correctCourseCompletions',
    'progress/recordAnswers',
    'progress/recordModuleProgress',
    'search/queueIndexing',
    'search/queueIndexingOfTagged',
    'sections/orderChapters',
    'sessions/createSession',
    'sessions/eraseSessions',
    'sessions/recordVisit',
    'sessions/deleteSession',
    'sessions/deleteSessionsOf',
    'storage/createDerivative',
    'storage/createStoredFile',
    'tags/ensureTags',
    'users/activateUser',
    'users/changeAddress',
    'users/emptyUsers',
    'users/recordLogin',
    'users/recordViewedModule',
    'users/setPasswordHash',
    'xapi/declareActivities',
    'xapi/eraseDocuments',
    'xapi/mergeDefinitions',
    'xapi/prepareStatements',
    'xapi/resolveTerms',
    'xapi/storeStatements',
    'xapi/writeLockedDocument',
  ],
}

const sqlThatWrites =
  /\.(insertInto|updateTable|deleteFrom|mergeInto)\(|\b(insert into|delete from)\b|\bupdate\s+(\w+|\$\{[^}]*\})(\s+\w+)?\s+set\b/

const writes = ({ text }: ServiceFunction) =>
  sqlThatWrites.test(text) || /\b(queue|queueAll|queueSystemJob)\(/.test(text)

const isGuarded = ({ text }: ServiceFunction) =>
  /\brequire(Viewer|Actor|Staff|Admin)\(ctx, 'write'\)|\brequireSelfOrAdmin\([^()]*, 'write'\)|\brequire(Client)?Scope(For)?\([^()]*, 'write'\)/.test(
    text,
  )

test('a service function that writes has a guard or a reason for not having one', () => {
  const open = readServiceFunctions().filter(
    (one) => one.isPublic && holdsFor(one, writes) && !holdsFor(one, isGuarded),
  )
  const found = open.map(({ id }) => id)
  const known = Object.values(exceptions).flat()
  expect(
    found.filter((id) => !known.includes(id)),
    "begin each with a guard of services/context.ts, such as requireStaff(ctx, 'write'), or list it above with the reason",
  ).toEqual([])
  expect(
    known.filter((id) => !found.includes(id)),
    'these have a guard, write nothing, or are gone: take them out of the list above',
  ).toEqual([])
})

test('the check sees which functions write, which have a guard, and who uses them', () => {
  const all = new Map(readServiceFunctions().map((one) => [one.id, one]))
  const at = (id: string) => {
    const one = all.get(id)
    if (!one) throw new Error(`There is no service function ${id}`)
    return { isPublic: one.isPublic, writes: holdsFor(one, writes), isGuarded: holdsFor(one, isGuarded) }
  }
  expect(at('modules/publishModule')).toEqual({ isPublic: true, writes: true, isGuarded: true })
  expect(at('modules/insertModule')).toEqual({ isPublic: false, writes: true, isGuarded: false })
  expect(at('modules/getModule')).toEqual({ isPublic: true, writes: false, isGuarded: false })
  // A call through the door of its domain, and a call by raw SQL.
  expect(at('progress/recordModuleProgress')).toEqual({ isPublic: true, writes: true, isGuarded: false })
  expect(at('cmi5/waiveUnit')).toEqual({ isPublic: true, writes: true, isGuarded: true })
})

/** Columns and tables that a module form shows: the form of the dialog and the form of a unit's rules. */
const writesModuleForm = ({ domain, text }: ServiceFunction) =>
  /updateTable\('modules'\)[\s\S]*?\.set\([\s\S]*?\b(name|description|cover_img_desc|in_self_study|coming_soon|cover_file_id)\b/.test(
    text,
  ) ||
  /\.(insertInto|deleteFrom)\('(module_chapters|unit_overrides)'\)/.test(text) ||
  (domain === 'modules' && /\b(setPlans|setTags|createPackage)\(/.test(text)) ||
  /\b(addTagToItems|removeTagFromItems)\(/.test(text) ||
  /deleteFrom\('tags'\)/.test(text)

const recordsFormChange = ({ text }: ServiceFunction) => /\brecordFormChange\(/.test(text)

test('every function that writes a field of a module form raises its revision and logs the change', () => {
  const silent = readServiceFunctions().filter(
    (one) => one.isPublic && holdsFor(one, writesModuleForm, { upTo: recordsFormChange }),
  )
  // A deleted or merged tag leaves all content at once. A form that was opened earlier brings it back when it is
  // saved, or takes away a tag that was restored since.
  expect(
    silent.map(({ id }) => id),
    'call recordFormChange where a function writes such a field, or list it here with the reason',
  ).toEqual(['tags/deleteTags', 'tags/mergeTags', 'tags/restoreTag'])
  const writers = readServiceFunctions().filter(writesModuleForm)
  expect(writers.map(({ id }) => id).sort(), 'update this list once you have checked each new one').toEqual([
    'modules/attachPackage',
    'modules/save',
    'modules/setChapter',
    'modules/setCover',
    'modules/updateTexts',
    'modules/writeModule',
    'tags/restoreTag',
    'tags/takeAway',
    'tags/takeBack',
  ])
})
