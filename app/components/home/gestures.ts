/** Returns the index of the position nearest to x, and the first of two equally near ones. */
export function nearestIndex(positions: number[], x: number): number {
  let best = 0
  positions.forEach((position, index) => {
    if (Math.abs(position - x) < Math.abs((positions[best] ?? Number.POSITIVE_INFINITY) - x)) best = index
  })
  return best
}

const swipeLength = 50

/**
 * Returns the card that a horizontal swipe leads to. `movedBy` is in pixels and negative to the left. More than 50 px
 * moves by one card, and the ends do not wrap around.
 */
export function swipeTarget(movedBy: number, current: number, count: number): number {
  if (Math.abs(movedBy) <= swipeLength) return current
  return Math.min(count - 1, Math.max(0, current + (movedBy < 0 ? 1 : -1)))
}
