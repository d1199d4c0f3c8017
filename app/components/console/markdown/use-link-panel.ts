import { type RefObject, useRef, useState } from 'react'
import { factsOf, type LinkRange } from './commands.ts'
import type { RichEditor } from './make-editor.ts'

type View = RichEditor['view']

export type Panel = LinkRange & { hasFocus: boolean; top: number; left: number }

/** Shows the link editor below the link at the caret, unless it was dismissed there. */
export function useLinkPanel(frame: RefObject<HTMLElement>) {
  const [panel, setPanel] = useState<Panel | null>(null)
  const dismissed = useRef<number | null>(null)
  return {
    panel,
    hide: () => setPanel(null),
    /** Keeps the panel closed at this link until the caret has left the link. */
    dismiss: () => {
      dismissed.current = panel?.from ?? null
    },
    /** Opens the panel for the link at the caret, or for the selection. */
    open: (view: View) => {
      const { from, to } = view.state.selection
      setPanel(panelAt(view, factsOf(view.state).link ?? { from, to, href: '' }, frame.current, true))
    },
    /** Updates the panel after each change of the text or the selection. */
    follow: (view: View, link: LinkRange | null) => {
      if (dismissed.current !== link?.from) dismissed.current = null
      // The panel stays while it has the focus.
      if (!view.hasFocus() && frame.current?.contains(document.activeElement)) return
      const isNear = link !== null && view.hasFocus() && dismissed.current === null
      setPanel(isNear ? panelAt(view, link, frame.current, false) : null)
    },
  }
}

const panelWidth = 384

/** Positions the panel below the link, inside the frame. */
function panelAt(view: View, link: LinkRange, frame: HTMLElement | null, hasFocus: boolean): Panel {
  const box = frame?.getBoundingClientRect() ?? new DOMRect()
  const start = view.coordsAtPos(link.from)
  const end = view.coordsAtPos(link.to)
  const left = Math.max(4, Math.min(start.left - box.left, box.width - panelWidth - 8))
  return { ...link, hasFocus, top: end.bottom - box.top + 6, left }
}
