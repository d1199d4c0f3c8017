/**
 * cmi5: attempts at modules (registrations), launches, the statements that units may send, and their effects.
 *
 * Invariants: a learner has one open attempt per module. A session has one token, handed out once. The statements of a
 * registration are stored by one writer at a time, together with everything that follows from them (satisfied
 * statements, percent, score).
 */
import type { Ctx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { type LaunchInput, launchUnit } from './launch.server.ts'
import { getLaunch } from './sessions.server.ts'

export {
  type AttemptSession,
  getRecordsOfAttempt,
  listSessionsOfAttempt,
  listStatementsOfAttempt,
} from './attempt-records.server.ts'
export { abandonLaunch, endIdleLaunches, endLaunch, endLaunchesOfPerson } from './endings.server.ts'
export { voidForeignStatements, voidingOfForeign } from './foreign-statements.server.ts'
export { type LaunchInput, launchUnit } from './launch.server.ts'
export { actorOf } from './lms-terms.server.ts'
export { countLearnersToMove, type LearnersToMove, moveLearners, queueMoveOfLearners } from './move-learners.server.ts'
export { countPeopleInModule, type PeopleInModule } from './people.server.ts'
export { type ProgressPair, rebuildProgress, rebuildProgressPage } from './rebuild.server.ts'
export { unitUserName } from './secrets.server.ts'
export { checkLaunchSession, getLaunch, type Launch, type LaunchUnit, type SessionCheck } from './sessions.server.ts'
export { type MovedAttempt, moveAttempt, waiveUnit } from './staff-actions.server.ts'
export {
  deleteUnitDocument,
  deleteUnitState,
  getUnitDocument,
  getUnitStatement,
  listUnitDocumentIds,
  queryMoreUnitStatements,
  queryUnitStatements,
  requireLive,
  requireOwnAgent,
  writeUnitDocument,
} from './unit-access.server.ts'
export type { FetchAnswer, UnitSession } from './unit-sessions.server.ts'
export { fetchToken, findUnitSession, touchLaunchesOfPackage, touchUnitSession } from './unit-sessions.server.ts'
export { recordAuStatements } from './unit-statements.server.ts'
export type { LaunchMode } from './vocabulary.ts'

type LaunchInfo = {
  error: string | null
  launchUrl: string | null
  auLaunchSessionUid: string | null
  returnUrl: string | null
}

/** Launches a unit for a program. Refusals are returned as a sentence instead of being thrown. */
export async function launchInfo(ctx: Ctx, input: LaunchInput): Promise<LaunchInfo> {
  try {
    const { auLaunchSessionUid } = await launchUnit(ctx, input)
    const { programUrl, returnUrl } = await getLaunch(ctx, { auLaunchSessionUid })
    return { error: null, launchUrl: programUrl, auLaunchSessionUid, returnUrl }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'login_required') throw error
    return { error: error.message, launchUrl: null, auLaunchSessionUid: null, returnUrl: null }
  }
}
