/** A module as a learner's card or page shows it, with the learner's own progress. */
/** The part of the process whose color a card wears. */
export type Phase = 'discover' | 'develop' | 'deliver'

/** An uploaded picture. Without one, a picture is drawn from the name. */
export type Cover = { address: string; alt: string }

export type ModuleView = {
  uid: string
  name: string
  description: string
  /** The step of the process that it belongs to, and the phase whose colour it wears. */
  step: string | null
  phase: Phase | null
  cover: Cover | null
  unitCount: number
  isComingSoon: boolean
  /** What a launch names; null where there is nothing to open. */
  versionUid: string | null
  /** There is, but what is left of it opens in another program, and not here. */
  isElsewhere: boolean
  /** Null before the first opening. */
  percent: number | null
  retakingPercent: number | null
  highestScore: number | null
  isSaved: boolean
}

type ModuleAction = 'Start' | 'Resume' | 'Retake'

/** Start at 0 %, Resume from 1 to 99, Retake at 100 (L-141); a retake that is under way is resumed. */
export function actionOf(module: Pick<ModuleView, 'percent' | 'retakingPercent'>): ModuleAction {
  if (module.retakingPercent !== null) return 'Resume'
  if (module.percent === 100) return 'Retake'
  return module.percent ? 'Resume' : 'Start'
}

/** What stands in the place of the button where nothing that is left can be opened here. */
export function elsewhereNote(module: Pick<ModuleView, 'percent' | 'retakingPercent'>): string {
  return actionOf(module) === 'Resume' ? 'The rest opens in another program' : 'Opens in another program'
}

export function isCompleted(module: Pick<ModuleView, 'percent'>): boolean {
  return module.percent === 100
}
