/** Keys in the text that mean something else beside an image and in a table. */
import { Plugin, TextSelection } from '@milkdown/kit/prose/state'
import { goToNextCell, isInTable } from '@milkdown/kit/prose/tables'
import { $prose } from '@milkdown/kit/utils'
import { selectedImage } from './commands.ts'

/** Enter on a selected image continues after it. The editor's own Enter would replace the image. */
export const enterAfterImage = $prose(
  () =>
    new Plugin({
      props: {
        handleKeyDown: (view, event) => {
          const { tr, selection, doc } = view.state
          if (event.key === 'Enter' && selectedImage(view.state)) {
            view.dispatch(tr.setSelection(TextSelection.create(doc, selection.to)))
          }
          // The other plugins then handle Enter as usual.
          return false
        },
      },
    }),
)

/**
 * Tab and Shift+Tab move between the cells of a table. They leave the editor, as everywhere else in the text, from the
 * last and the first cell, and after Escape from any cell.
 */
export const tabInTable = $prose(() => {
  let isLeaving = false
  const stay = () => {
    isLeaving = false
  }
  return new Plugin({
    props: {
      handleKeyDown: (view, event) => {
        const { key, shiftKey, ctrlKey, altKey, metaKey } = event
        if (key === 'Shift') return false
        const wasLeaving = isLeaving
        stay()
        if (ctrlKey || altKey || metaKey || view.composing || !isInTable(view.state)) return false
        if (key === 'Escape') {
          isLeaving = true
          // The second Escape closes the dialog around the editor.
          return !wasLeaving
        }
        return key === 'Tab' && !wasLeaving && goToNextCell(shiftKey ? -1 : 1)(view.state, view.dispatch)
      },
      handleDOMEvents: {
        blur: () => void stay(),
        mousedown: () => void stay(),
      },
    },
  })
})
