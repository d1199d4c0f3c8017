type InBlock = { title: string; block: string | null }

/** Groups units that follow each other in the same block, for a heading above each group. */
export function groupByBlock<Unit extends InBlock>(units: Unit[]): { block: string | null; units: Unit[] }[] {
  const groups: { block: string | null; units: Unit[] }[] = []
  for (const unit of units) {
    const last = groups.at(-1)
    if (last && last.block === unit.block) last.units.push(unit)
    else groups.push({ block: unit.block, units: [unit] })
  }
  return groups
}

/** Names a unit where its heading is not seen. Units of several blocks often have the same titles. */
export function fullTitleOf({ block, title }: InBlock): string {
  return block === null ? title : `${block}: ${title}`
}
