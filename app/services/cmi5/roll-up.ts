/** Computes which blocks are satisfied, and whether the course is (cmi5 9.3.9). Pure. */
export type Tree = {
  blocks: { id: number; parentId: number | null; position: number }[]
  units: { id: number; blockId: number | null }[]
}

export type Satisfied = { blockIds: number[]; isCourse: boolean }

/**
 * Returns what is satisfied but not in `before`: blocks whose units and blocks are all met (children before parents,
 * otherwise in document order), then the course.
 */
export function rollUp(
  tree: Tree,
  isUnitMet: (unitId: number) => boolean,
  before: { blockIds: Set<number>; isCourse: boolean },
): Satisfied {
  const isMet = new Map<number | null, boolean>([[null, true]])
  const markUnmet = (blockId: number | null) => isMet.set(blockId, false)
  for (const block of tree.blocks) isMet.set(block.id, true)
  for (const unit of tree.units) if (!isUnitMet(unit.id)) markUnmet(unit.blockId)
  const deepestFirst = byDepth(tree.blocks)
  for (const block of deepestFirst) if (!isMet.get(block.id)) markUnmet(block.parentId)
  return {
    blockIds: deepestFirst.filter(({ id }) => isMet.get(id) && !before.blockIds.has(id)).map(({ id }) => id),
    isCourse: isMet.get(null) === true && !before.isCourse,
  }
}

function byDepth(blocks: Tree['blocks']): Tree['blocks'] {
  const parents = new Map(blocks.map((block) => [block.id, block.parentId]))
  const depthOf = (id: number) => {
    let depth = 0
    for (let at = parents.get(id) ?? null; at !== null; at = parents.get(at) ?? null) depth++
    return depth
  }
  return blocks
    .map((block) => ({ block, depth: depthOf(block.id) }))
    .sort((a, b) => b.depth - a.depth || a.block.position - b.block.position)
    .map(({ block }) => block)
}
