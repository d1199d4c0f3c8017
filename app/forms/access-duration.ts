/** How long access lasts, in the units that people choose (C-147, C-195). It uses no library, so that pages can use it. */
export const durationUnits = {
  D: { name: 'days', days: 1, max: 90 },
  M: { name: 'months', days: 30, max: 18 },
  Y: { name: 'years', days: 365, max: 3 },
} as const
export type DurationUnit = keyof typeof durationUnits

export const mostAccessDays = 1095

/** Says what is wrong with a duration that somebody has typed; null if nothing is. */
export function durationProblem(duration: string, unit: string): string | null {
  if (!Object.hasOwn(durationUnits, unit)) return 'Please choose days, months or years'
  const { name, max } = durationUnits[unit as DurationUnit]
  if (!/^\d{1,15}$/.test(duration.trim()) || Number(duration) < 1) return 'Duration must be a positive integer'
  return Number(duration) > max ? `Maximum is ${max} when specifying ${name}` : null
}

export function durationInDays(duration: string, unit: string): number {
  return Number(duration) * durationUnits[unit as DurationUnit].days
}
