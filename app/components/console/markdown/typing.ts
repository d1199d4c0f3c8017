/** Converts text as it is typed: addresses into links, and markdown into images and links. */
import { InputRule } from '@milkdown/kit/prose/inputrules'
import { Plugin } from '@milkdown/kit/prose/state'
import type { EditorView } from '@milkdown/kit/prose/view'
import { $inputRule, $prose } from '@milkdown/kit/utils'
import { addressInText, completeLink } from '~/lib/link-address.ts'
import { isSafeImage, readMarkdownImage } from '~/lib/markdown-image.ts'

export const typedImage = $inputRule(
  () =>
    new InputRule(/!\[([^\]]*)\]\(([^\s()]+)(?:\s+"([^"]*)")?\)$/, (state, match, start, end) => {
      const [, alt = '', url = '', title = ''] = match
      const image = readMarkdownImage({ url, alt, title })
      const type = state.schema.nodes.image
      return type && isSafeImage(image.src) ? state.tr.replaceWith(start, end, type.create(image)) : null
    }),
)

export const typedLink = $inputRule(
  () =>
    new InputRule(/(?<!!)\[([^\][]+)\]\(([^\s()]+)\)$/, (state, match, start, end) => {
      const [, text = '', address = ''] = match
      const href = completeLink(address)
      const type = state.schema.marks.link
      if (!type || href === null) return null
      return state.tr.replaceWith(start, end, state.schema.text(text, [type.create({ href })])).removeStoredMark(type)
    }),
)

export const typedAddress = $prose(
  () =>
    new Plugin({
      props: {
        handleTextInput: (view, from, to, text) => {
          if (text !== ' ' || from !== to) return false
          const linked = linkWordBefore(view)
          if (linked) view.dispatch(view.state.tr.insert(from, view.state.schema.text(' ')).scrollIntoView())
          return linked
        },
        handleKeyDown: (view, event) => {
          if (event.key === 'Enter' && !view.composing) linkWordBefore(view)
          return false
        },
      },
    }),
)

function linkWordBefore(view: EditorView): boolean {
  const { state } = view
  const { $from, empty } = state.selection
  const { link, inlineCode } = state.schema.marks
  if (!empty || !link || $from.parent.type.spec.code) return false
  const before = $from.parent.textBetween(
    Math.max(0, $from.parentOffset - 500),
    $from.parentOffset,
    undefined,
    '\ufffc',
  )
  const word = /(?:^|[\s\ufffc(])([^\s\ufffc(]+?)([.,;:!?)'"]*)$/.exec(before)
  const href = addressInText(word?.[1] ?? '')
  if (!word?.[1] || href === null) return false
  const to = $from.pos - (word[2]?.length ?? 0)
  const from = to - word[1].length
  if (state.doc.rangeHasMark(from, to, link) || (inlineCode && state.doc.rangeHasMark(from, to, inlineCode)))
    return false
  view.dispatch(state.tr.addMark(from, to, link.create({ href })).removeStoredMark(link))
  return true
}
