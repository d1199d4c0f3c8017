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
