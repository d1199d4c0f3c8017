import type { Context } from '../xapi/xapi.server.ts'
import { contextExtensions, type LaunchMode, type MoveOn } from './vocabulary.ts'

/** The launch data: the document that a unit reads first (cmi5 10). Pure. */
export type LaunchData = {
  contextTemplate: Pick<Context, 'contextActivities' | 'extensions'>
  launchMode: LaunchMode
  launchParameters?: string
  masteryScore?: number
  moveOn: MoveOn
  returnURL: string
  entitlementKey?: { courseStructure: string }
}

export function launchDataOf(input: {
  sessionUid: string
  publisherId: string
  mode: LaunchMode
  moveOn: MoveOn
  masteryScore: number | null
  launchParameters: string | null
  entitlementKey: string | null
  returnUrl: string
}): LaunchData {
  return {
    contextTemplate: {
      contextActivities: { grouping: [{ id: input.publisherId }] },
      extensions: { [contextExtensions.sessionId]: input.sessionUid },
    },
    launchMode: input.mode,
    ...(input.launchParameters !== null && { launchParameters: input.launchParameters }),
    ...(input.masteryScore !== null && { masteryScore: input.masteryScore }),
    moveOn: input.moveOn,
    returnURL: input.returnUrl,
    ...(input.entitlementKey !== null && { entitlementKey: { courseStructure: input.entitlementKey } }),
  }
}

/**
 * Returns the address that opens a unit (cmi5 8.1). Our parameters follow the unit's own query; its fragment stays
 * last.
 */
export function launchAddress(
  unitAddress: string,
  parameters: { endpoint: string; fetch: string; actor: object; registration: string; activityId: string },
): string {
  const [withoutFragment = '', ...fragment] = unitAddress.split('#')
  const pairs = Object.entries(parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
  )
  const joint = !withoutFragment.includes('?') ? '?' : /[?&]$/.test(withoutFragment) ? '' : '&'
  return `${withoutFragment}${joint}${pairs.join('&')}${fragment.length > 0 ? `#${fragment.join('#')}` : ''}`
}

export function isAbsoluteAddress(url: string): boolean {
  return /^https?:\/\//i.test(url)
}
