/** What the toolbar and the keys do, and what of it holds where the caret stands. */
import { lift, setBlockType, toggleMark, wrapIn } from '@milkdown/kit/prose/commands'
import { redo, redoDepth, undo, undoDepth } from '@milkdown/kit/prose/history'
import type { Mark, MarkType, NodeType } from '@milkdown/kit/prose/model'
import { liftListItem, wrapInList } from '@milkdown/kit/prose/schema-list'
import { type Command, type EditorState, NodeSelection } from '@milkdown/kit/prose/state'
import type { EditorView } from '@milkdown/kit/prose/view'
import type { MarkdownImage } from '~/lib/markdown-image.ts'

export const blockTypes = [
  'Normal',
  'Heading 1',
  'Heading 2',
  'Heading 3',
  'Bulleted List',
  'Numbered List',
  'Quote',
  'Code Block',
] as const

export type BlockType = (typeof blockTypes)[number]

export type MarkName = 'strong' | 'emphasis' | 'strike_through' | 'inlineCode'

export type EditorFacts = {
  /** One of `blockTypes`, or a deeper heading that came with the text. */
  block: string
  marks: ReadonlySet<MarkName>
  link: LinkRange | null
  canUndo: boolean
  canRedo: boolean
}

export type LinkRange = { from: number; to: number; href: string }

const markNames: MarkName[] = ['strong', 'emphasis', 'strike_through', 'inlineCode']

export function factsOf(state: EditorState): EditorFacts {
  return {
    block: blockOf(state),
    marks: new Set(markNames.filter((name) => isMarked(state, markType(state, name)))),
    link: linkAt(state),
    canUndo: undoDepth(state) > 0,
    canRedo: redoDepth(state) > 0,
  }
}

function blockOf(state: EditorState): string {
  const { $from } = state.selection
  for (let depth = $from.depth; depth > 0; depth--) {
    const { type, attrs } = $from.node(depth)
    if (type.name === 'heading') return `Heading ${attrs.level}`
    if (type.name === 'code_block') return 'Code Block'
    if (type.name === 'bullet_list') return 'Bulleted List'
    if (type.name === 'ordered_list') return 'Numbered List'
    if (type.name === 'blockquote') return 'Quote'
  }
  return 'Normal'
}

function isMarked(state: EditorState, type: MarkType): boolean {
  const { from, to, empty, $from } = state.selection
  if (!empty) return state.doc.rangeHasMark(from, to, type)
  return type.isInSet(state.storedMarks ?? $from.marks()) !== undefined
}

/** The link that holds the whole selection. */
function linkAt(state: EditorState): LinkRange | null {
  const { $from, from, to } = state.selection
  const type = markType(state, 'link')
  const runs: { from: number; to: number; mark: Mark }[] = []
  $from.parent.forEach((child, offset) => {
    const mark = type.isInSet(child.marks)
    if (!mark) return
    const start = $from.start() + offset
    const last = runs.at(-1)
    if (last?.to === start && last.mark.eq(mark)) last.to += child.nodeSize
    else runs.push({ from: start, to: start + child.nodeSize, mark })
  })
  const found = runs.find((run) => run.from <= from && run.to >= to)
  return found ? { from: found.from, to: found.to, href: String(found.mark.attrs.href) } : null
}

export function toggle(name: MarkName): Command {
  return (state, dispatch) => toggleMark(markType(state, name))(state, dispatch)
}

/** Changes the blocks of the selection; a list becomes the other kind of list where it stands. */
export function setBlock(view: EditorView, block: BlockType): void {
  if (blockOf(view.state) === block) return
  if (block === 'Bulleted List' || block === 'Numbered List') {
    setList(view, block)
    return
  }
  leaveContainers(view)
  if (block === 'Normal') run(view, setBlockType(nodeType(view.state, 'paragraph')))
  else if (block === 'Code Block') run(view, setBlockType(nodeType(view.state, 'code_block')))
  else if (block === 'Quote') {
    run(view, setBlockType(nodeType(view.state, 'paragraph')))
    run(view, wrapIn(nodeType(view.state, 'blockquote')))
  } else run(view, setBlockType(nodeType(view.state, 'heading'), { level: Number(block.at(-1)) }))
}

function setList(view: EditorView, block: 'Bulleted List' | 'Numbered List'): void {
  const { state } = view
  const type = nodeType(state, block === 'Bulleted List' ? 'bullet_list' : 'ordered_list')
  const { $from } = state.selection
  for (let depth = $from.depth; depth > 0; depth--) {
    if (!/^(bullet|ordered)_list$/.test($from.node(depth).type.name)) continue
    view.dispatch(state.tr.setNodeMarkup($from.before(depth), type))
    return
  }
  leaveContainers(view)
  run(view, setBlockType(nodeType(view.state, 'paragraph')))
  run(view, wrapInList(type))
}

function leaveContainers(view: EditorView): void {
  const item = nodeType(view.state, 'list_item')
  // Each round leaves one container; the bound is only there because documents come from anywhere.
  for (let round = 0; round < 50; round++) {
    const block = blockOf(view.state)
    const left = /List$/.test(block) ? run(view, liftListItem(item)) : isInContainer(view.state) && run(view, lift)
    if (!left) return
  }
}

function isInContainer(state: EditorState): boolean {
  const { $from } = state.selection
  for (let depth = $from.depth - 1; depth > 0; depth--) {
    if (/^(blockquote|list_item)$/.test($from.node(depth).type.name)) return true
  }
  return false
}

/** Takes marks and links off the selection, and makes its headings normal text. */
export function clearFormatting(view: EditorView): void {
  const { tr, selection, schema } = view.state
  const { from, to, empty } = selection
  if (empty) tr.setStoredMarks([])
  else tr.removeMark(from, to)
  const heading = nodeType(view.state, 'heading')
  view.state.doc.nodesBetween(from, to, (node, position) => {
    if (node.type === heading) tr.setNodeMarkup(position, schema.nodes.paragraph)
  })
  view.dispatch(tr)
}

/** Sets the link of a range; where nothing is selected its address is its text. */
export function setLink(view: EditorView, href: string, range: { from: number; to: number }): void {
  const { tr, schema } = view.state
  const type = markType(view.state, 'link')
  const mark = type.create({ href })
  if (range.from === range.to) tr.insert(range.from, schema.text(href.replace(/^mailto:/, ''), [mark]))
  else tr.removeMark(range.from, range.to, type).addMark(range.from, range.to, mark)
  view.dispatch(tr.removeStoredMark(type))
}

export function removeLink(view: EditorView, range: { from: number; to: number }): void {
  view.dispatch(view.state.tr.removeMark(range.from, range.to, markType(view.state, 'link')))
}

export function selectedImage(state: EditorState): MarkdownImage | null {
  const { selection } = state
  const isImage = selection instanceof NodeSelection && selection.node.type.name === 'image'
  return isImage ? (selection.node.attrs as MarkdownImage) : null
}

/** In the place of the selection, which may be the image that was changed. */
export function putImage(view: EditorView, image: MarkdownImage): void {
  const node = nodeType(view.state, 'image').create(image)
  view.dispatch(view.state.tr.replaceSelectionWith(node, false).scrollIntoView())
}

export { redo, undo }

export function run(view: EditorView, command: Command): boolean {
  return command(view.state, view.dispatch, view)
}

function markType({ schema }: EditorState, name: string): MarkType {
  const type = schema.marks[name]
  if (!type) throw new Error(`The editor knows no mark "${name}".`)
  return type
}

function nodeType({ schema }: EditorState, name: string): NodeType {
  const type = schema.nodes[name]
  if (!type) throw new Error(`The editor knows no node "${name}".`)
  return type
}
