/** Shares of groups, and whether their difference says anything. */

export type Share = { count: number; total: number }

/** The likelihood below which a difference is no chance: one in twenty, as is usual. */
const threshold = 0.05
/** The z value of the threshold, for both directions. */
const criticalZ = 1.96
/** The normal distribution is good enough if at least so many are expected in each of the four cells. */
const leastExpected = 5

/**
 * Says whether two shares may differ by chance only: a two-sided test of two proportions at 5 percent. Where fewer than
 * five are expected in a cell, it is Fisher's exact test, otherwise the z test with the pooled share. The test takes the
 * groups as independent. Messages often go to the same people, which makes it err on the side of "may be chance".
 */
export function mayBeChance(one: Share, other: Share): boolean {
  const total = one.total + other.total
  const count = one.count + other.count
  if (one.total === 0 || other.total === 0 || count === 0 || count === total) return true
  const smallest = (Math.min(one.total, other.total) * Math.min(count, total - count)) / total
  if (smallest < leastExpected) return likelihood(one, other) >= threshold
  const pooled = count / total
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / one.total + 1 / other.total))
  return Math.abs(one.count / one.total - other.count / other.total) / error < criticalZ
}

/** Fisher's exact test: how likely a table is that is as far from equal shares as this one, or farther. */
function likelihood(one: Share, other: Share): number {
  const [total, count] = [one.total + other.total, one.count + other.count]
  const factorials = logFactorials(total)
  const choose = (n: number, k: number) => (factorials[n] ?? 0) - (factorials[k] ?? 0) - (factorials[n - k] ?? 0)
  const of = (k: number) => Math.exp(choose(one.total, k) + choose(other.total, count - k) - choose(total, count))
  const seen = of(one.count) * (1 + 1e-9)
  let sum = 0
  for (let k = Math.max(0, count - other.total); k <= Math.min(one.total, count); k++) {
    const chance = of(k)
    if (chance <= seen) sum += chance
  }
  return sum
}

/** The logarithms of 0! to n!. */
function logFactorials(n: number): Float64Array {
  const values = new Float64Array(n + 1)
  for (let k = 2; k <= n; k++) values[k] = (values[k - 1] ?? 0) + Math.log(k)
  return values
}
