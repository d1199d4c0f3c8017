/** The commands of the toolbar and the keys, and the formatting at the caret. */
import { setBlockType, toggleMark, wrapIn } from '@milkdown/kit/prose/commands'
import { redo, redoDepth, undo, undoDepth } from '@milkdown/kit/prose/history'
import { type Mark, type MarkType, NodeRange, type NodeType } from '@milkdown/kit/prose/model'
import { wrapInList } from '@milkdown/kit/prose/schema-list'
import {
  AllSelection,
  type Command,
  type EditorState,
  NodeSelection,
  Selection,
  TextSelection,
  type Transaction,
} from '@milkdown/kit/prose/state'
import { liftTarget } from '@milkdown/kit/prose/transform'
import type { EditorView } from '@milkdown/kit/prose/view'
import type { MarkdownImage } from '~/lib/markdown-image.ts'
import { possibleTableChanges, type TableChange } from './tables.ts'

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
  /** One of `blockTypes`, or a deeper heading that the text already had. */
  block: string
  marks: ReadonlySet<MarkName>
  link: LinkRange | null
  canUndo: boolean
  canRedo: boolean
  tableChanges: ReadonlySet<TableChange>
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
    tableChanges: possibleTableChanges(state),
  }
}

function blockOf({ selection, doc }: EditorState): string {
  const { $from } = selection instanceof AllSelection ? Selection.atStart(doc) : selection
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

/** Returns the link that contains the whole selection. */
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

/** Changes the type of the selected blocks. A list changes into the other kind of list in place. */
export function setBlock(view: EditorView, block: BlockType): void {
  const { doc, selection, tr } = view.state
  // "Select all" lies outside the blocks. The commands below need the same range inside the blocks.
  if (selection instanceof AllSelection) {
    const ends = [Selection.atStart(doc), Selection.atEnd(doc)] as const
    view.dispatch(tr.setSelection(TextSelection.between(ends[0].$from, ends[1].$to)))
  }
  const { $from, $to } = view.state.selection
  if ($from.sameParent($to) && blockOf(view.state) === block) return
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

/** Lifts every selected block out of lists and quotes. One Undo reverts it. */
function leaveContainers(view: EditorView): void {
  const { tr } = view.state
  // The limit guards against an endless loop with unusual documents.
  for (let round = 0; round < 1000; round++) {
    const range = containedRange(tr)
    const target = range && liftTarget(range)
    if (!range || target === null) break
    tr.lift(range, target)
  }
  if (tr.docChanged) view.dispatch(tr)
}

/** Returns the range of the first block inside a container: the block in a quote, or its whole list item. */
function containedRange({ doc, selection }: Transaction): NodeRange | null {
  let found: NodeRange | null = null
  doc.nodesBetween(selection.from, selection.to, (node, position) => {
    if (found || !node.isTextblock) return !found
    const $at = doc.resolve(position + 1)
    for (let depth = $at.depth - 1; depth > 0 && !found; depth--) {
      const { name } = $at.node(depth).type
      if (name === 'blockquote') found = new NodeRange($at, $at, depth)
      if (name !== 'list_item') continue
      found = new NodeRange(doc.resolve($at.start(depth) + 1), doc.resolve($at.end(depth) - 1), depth)
    }
    return false
  })
  return found
}

/** Removes marks and links from the selection, and turns its headings into normal text. */
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

/** Sets the link of a range. If the range is empty, the address becomes the text. */
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

/** Inserts an image after the selection. If the selection is the image that was edited, it replaces that image. */
export function putImage(view: EditorView, image: MarkdownImage, { isEdited }: { isEdited: boolean }): void {
  const { tr, selection } = view.state
  const node = nodeType(view.state, 'image').create(image)
  const after = Selection.findFrom(selection.$to, 1, true) ?? Selection.findFrom(selection.$to, -1, true)
  if (!isEdited && after) tr.setSelection(after)
  view.dispatch(tr.replaceSelectionWith(node, false).scrollIntoView())
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
