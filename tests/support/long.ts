/** Random and exhaustive tests are short by default; `npm run test:long` runs them in full. */
export const isLong = process.env.TEST_LONG === '1'

/** The number of rounds of a random test: a twentieth by default. */
export function rounds(full: number): number {
  return isLong ? full : Math.ceil(full / 20)
}

/**
 * All items in the long run. Otherwise every `step`th item, starting at `turn`, so that `step` turns cover all of them.
 */
export function someOf<T>(items: readonly T[], step: number, turn = 0): T[] {
  return items.filter((_, index) => isLong || index % step === turn % step)
}
