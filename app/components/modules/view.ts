import { type FailedTest, failedTestText } from '~/lib/failed-test.ts'

/** The phase of the process, which sets the color of a card. */
export type Phase = 'discover' | 'develop' | 'deliver'

/** An uploaded picture. Without one, a picture is drawn from the name. */
export type Cover = { address: string; alt: string }

/** A module on a learner's card or page, with the learner's own progress. */
export type ModuleView = {
  uid: string
  name: string
  description: string
  /** The step of the process that the module belongs to. */
  step: string | null
  phase: Phase | null
  cover: Cover | null
  unitCount: number
  /** "About 25 min"; null if it is not known. */
  duration: string | null
  isComingSoon: boolean
  /** The version to launch; null if there is nothing to open. */
  versionUid: string | null
  /** The remaining units open in another program and not here. */
  isElsewhere: boolean
  /** Null before the first launch. */
  percent: number | null
  retakingPercent: number | null
  highestScore: number | null
  failedTest: FailedTest
  isSaved: boolean
}

type ModuleAction = 'Start' | 'Resume' | 'Retake'

/** Returns Start at 0%, Resume from 1 to 99%, Retake at 100% (L-141), and Resume during a retake. */
export function actionOf(module: Pick<ModuleView, 'percent' | 'retakingPercent'>): ModuleAction {
  if (module.retakingPercent !== null) return 'Resume'
  if (module.percent === 100) return 'Retake'
  return module.percent ? 'Resume' : 'Start'
}

/** Returns the text that replaces the button if none of the remaining units can be opened here. */
export function elsewhereNote(module: Pick<ModuleView, 'percent' | 'retakingPercent'>): string {
  return actionOf(module) === 'Resume' ? 'The rest opens in another program' : 'Opens in another program'
}

export function isCompleted(module: Pick<ModuleView, 'percent'>): boolean {
  return module.percent === 100
}

/** Describes a test of the module that was failed. Null if there is nothing to say. A retake does not change it. */
export function failedTestOf(module: Pick<ModuleView, 'percent' | 'highestScore' | 'failedTest'>): string | null {
  return failedTestText({ ...module, score: module.highestScore })
}

/** Describes a completed module: "Completed", what is missing in its test, and how far a retake is. */
export function standingOf(
  module: Pick<ModuleView, 'percent' | 'retakingPercent' | 'highestScore' | 'failedTest'>,
): string {
  const retaking = module.retakingPercent === null ? '' : ` · retaking ${module.retakingPercent}%`
  return `${failedTestOf(module) ?? 'Completed'}${retaking}`
}
