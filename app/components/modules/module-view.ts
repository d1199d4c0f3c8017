import type { ModuleView } from '~/lib/learner-views.ts'

export type ModuleAction = 'Start' | 'Resume' | 'Retake'

/** Start at 0 %, Resume from 1 to 99, Retake at 100 (spec, learner area, L-141); a retake that is under way is resumed. */
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
