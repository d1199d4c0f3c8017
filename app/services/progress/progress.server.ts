/**
 * Progress of learners, for cards, lists and reports. Progress in modules is a projection of statements: cmi5 writes it
 * with these functions, in the transaction of the statements, and can recompute it from them. Progress in lectures and
 * videos is reported by the page while the film plays.
 */
export {
  type Attempt,
  type AttemptUnit,
  type LearnerAttempt,
  type LearnerAttempts,
  listAttemptsOfLearner,
  listOwnAttempts,
} from './attempts.server.ts'
export { modulesOfVersion } from './course-modules.ts'
export { isLeftElsewhere } from './elsewhere.server.ts'
export { failedTestOf } from './failed-test.ts'
export {
  type FilmKind,
  type FilmProgress,
  findOwnFilmsProgress,
  findOwnPlayed,
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
  retakingPercent,
  type UserCourseProgress,
  type UserModuleProgress,
  type UserProgress,
  type UserProgressInput,
  userProgress,
} from './reads.server.ts'
export { isStartedCourseShown, modulesThatStart, startedCourses } from './started-courses.ts'
export {
  type AnswerRow,
  clearModuleProgress,
  correctCourseCompletions,
  recordAnswers,
  recordModuleProgress,
} from './writes.server.ts'
