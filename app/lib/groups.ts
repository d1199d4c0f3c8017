/** Groups rows by key and keeps their order. */
export function groupBy<Row, T>(
  rows: Iterable<Row>,
  keyOf: (row: Row) => string,
  toItem: (row: Row) => T,
): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(toItem(row))
    else groups.set(key, [toItem(row)])
  }
  return groups
}

/** Splits a list into parts of at most `size` items. */
export function partsOf<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
