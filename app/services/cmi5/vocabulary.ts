export type { LaunchMethod, MoveOn } from '../packages/structure.ts'

/** The fixed identifiers of cmi5 (9.3, 9.5.5, 9.6.2, 9.6.3). */
export const verbs = {
  launched: 'http://adlnet.gov/expapi/verbs/launched',
  initialized: 'http://adlnet.gov/expapi/verbs/initialized',
  completed: 'http://adlnet.gov/expapi/verbs/completed',
  passed: 'http://adlnet.gov/expapi/verbs/passed',
  failed: 'http://adlnet.gov/expapi/verbs/failed',
  terminated: 'http://adlnet.gov/expapi/verbs/terminated',
  abandoned: 'https://w3id.org/xapi/adl/verbs/abandoned',
  waived: 'https://w3id.org/xapi/adl/verbs/waived',
  satisfied: 'https://w3id.org/xapi/adl/verbs/satisfied',
} as const

export type VerbName = keyof typeof verbs
export type UnitVerb = 'initialized' | 'completed' | 'passed' | 'failed' | 'terminated'

const unitVerbNames: UnitVerb[] = ['initialized', 'completed', 'passed', 'failed', 'terminated']
const unitVerbs = new Map<string, UnitVerb>(unitVerbNames.map((name) => [verbs[name], name]))
const allVerbs = new Map<string, VerbName>(Object.entries(verbs).map(([name, iri]) => [iri, name as VerbName]))

/** Returns the verb if a unit may send it in a "cmi5 defined" statement; otherwise null. */
export function unitVerbOf(iri: string): UnitVerb | null {
  return unitVerbs.get(iri) ?? null
}

export function verbOf(iri: string): VerbName | null {
  return allVerbs.get(iri) ?? null
}

export const categories = {
  cmi5: 'https://w3id.org/xapi/cmi5/context/categories/cmi5',
  moveOn: 'https://w3id.org/xapi/cmi5/context/categories/moveon',
} as const

export const contextExtensions = {
  sessionId: 'https://w3id.org/xapi/cmi5/context/extensions/sessionid',
  masteryScore: 'https://w3id.org/xapi/cmi5/context/extensions/masteryscore',
  launchMode: 'https://w3id.org/xapi/cmi5/context/extensions/launchmode',
  launchUrl: 'https://w3id.org/xapi/cmi5/context/extensions/launchurl',
  moveOn: 'https://w3id.org/xapi/cmi5/context/extensions/moveon',
  launchParameters: 'https://w3id.org/xapi/cmi5/context/extensions/launchparameters',
} as const

export const resultExtensions = {
  progress: 'https://w3id.org/xapi/cmi5/result/extensions/progress',
  reason: 'https://w3id.org/xapi/cmi5/result/extensions/reason',
} as const

export const launchDataId = 'LMS.LaunchData'
export const preferencesId = 'cmi5LearnerPreferences'

export type LaunchMode = 'Normal' | 'Browse' | 'Review'
