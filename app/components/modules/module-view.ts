/** A module as learners see it, with their own progress; services/read makes it. */
export type ModuleView = {
  uid: string
  name: string
  description: string
  step: string | null
  phase: 'discover' | 'develop' | 'deliver' | null
  /** The uploaded picture; without one, a picture is drawn from the name. */
  cover: { address: string; alt: string } | null
  unitCount: number
  isComingSoon: boolean
  versionUid: string | null
  percent: number | null
  retakingPercent: number | null
  highestScore: number | null
  isSaved: boolean
}

export type ModuleAction = 'Start' | 'Resume' | 'Retake'

/** Start at 0 %, Resume from 1 to 99, Retake at 100 (spec, learner area, L-141); a retake that is under way is resumed. */
export function actionOf(module: Pick<ModuleView, 'percent' | 'retakingPercent'>): ModuleAction {
  if (module.retakingPercent !== null) return 'Resume'
  if (module.percent === 100) return 'Retake'
  return module.percent ? 'Resume' : 'Start'
}

export function isCompleted(module: Pick<ModuleView, 'percent'>): boolean {
  return module.percent === 100
}
