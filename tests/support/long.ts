/** Random and exhaustive runs are brief by default, and done in full by `npm run test:long`. */
export const isLong = process.env.TEST_LONG === '1'

/** How many rounds of something random are done: a tenth by default. */
export function rounds(full: number): number {
  return isLong ? full : Math.ceil(full / 10)
}

/** Every item in the long run. Otherwise every `step`th, beginning at `turn`: so that `step` turns have them all. */
export function someOf<T>(items: readonly T[], step: number, turn = 0): T[] {
  return items.filter((_, index) => isLong || index % step === turn % step)
}
