/** Decides who sees a navigation item. Without groups everybody sees it, and without a flag it is always there. */
export type NavigationRule = {
  /** The groups that see the item. */
  groups?: readonly string[]
  /** The feature of the site that the item belongs to. */
  flag?: string
}

export type NavigationViewer = { groups: readonly string[]; flags: readonly string[] }

export function isShownTo({ groups, flag }: NavigationRule, viewer: NavigationViewer): boolean {
  const isInGroup = groups === undefined || groups.some((group) => viewer.groups.includes(group))
  return isInGroup && (flag === undefined || viewer.flags.includes(flag))
}
