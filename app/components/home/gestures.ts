/** Which of these positions lies nearest to x; the first of two equally near ones. */
export function nearestIndex(positions: number[], x: number): number {
  let best = 0
  positions.forEach((position, index) => {
    if (Math.abs(position - x) < Math.abs((positions[best] ?? Number.POSITIVE_INFINITY) - x)) best = index
  })
  return best
}

const swipeLength = 50

/**
 * Where a horizontal movement of this many pixels leads, to the left being negative: strictly more than 50 px moves by one card, and
 * there is no way around at the ends.
 */
export function swipeTarget(movedBy: number, current: number, count: number): number {
  if (Math.abs(movedBy) <= swipeLength) return current
  return Math.min(count - 1, Math.max(0, current + (movedBy < 0 ? 1 : -1)))
}
