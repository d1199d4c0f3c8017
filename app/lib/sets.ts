/** A copy of the set with or without the item. */
export function withOrWithout<Item>(items: ReadonlySet<Item>, item: Item, isIn: boolean): ReadonlySet<Item> {
  const changed = new Set(items)
  if (isIn) changed.add(item)
  else changed.delete(item)
  return changed
}

/** Whether two lists have the same items, in whatever order. */
export function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return [...one].sort().join() === [...other].sort().join()
}
