/**
 * Progress: how far learners have come, for cards, lists and reports. What concerns modules are projections of statements: cmi5
 * writes them through this door, in the transaction of the statements that they follow from, and can compute all of
 * them again. What concerns lectures and videos is told by the page as the film plays.
 */
export {
  type Attempt,
  type AttemptUnit,
  type LearnerAttempt,
  type LearnerAttempts,
  listAttemptsOfLearner,
  listOwnAttempts,
} from './attempts.server.ts'
export { isLeftElsewhere } from './elsewhere.server.ts'
export {
  type FilmKind,
  type FilmProgress,
  findOwnFilmsProgress,
  recordFilmProgress,
} from './films.server.ts'
export {
  listModuleLearnerPage,
  listModuleLearners,
  type ModuleLearner,
  type ModuleLearnerPageInput,
} from './learners.server.ts'
export {
  findOwnModulesProgress,
  listOwnModules,
  listOwnModulesProgress,
  type ModuleProgress,
  type OwnModule,
  type ProgressPage,
  type UserCourseProgress,
  type UserModuleProgress,
  type UserProgress,
  type UserProgressInput,
  userProgress,
} from './reads.server.ts'
export { type AnswerRow, clearModuleProgress, recordAnswers, recordModuleProgress } from './writes.server.ts'
