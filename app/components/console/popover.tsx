import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { useHydrated } from '../ui/form.tsx'

type Props = {
  /** What the button shows. */
  face: ReactNode
  /** Its accessible name, where the face says too little. */
  label?: string
  className: string
  /** Of the panel. */
  panelClassName?: string
  title?: string
  /** The panel is in the page only while it is open, as soon as scripts run. */
  isLazy?: boolean
  children: ReactNode
}

/**
 * A button and the panel that it opens, by the browser's own popover: it needs no scripts, closes on Escape and on a press outside, gives the focus
 * back, and is cut off by nothing around it.
 */
export function Popover({ face, label, className, panelClassName = '', title, isLazy = false, children }: Props) {
  const id = `popover${useId().replaceAll(':', '')}`
  const anchor = `--${id}`
  const panel = useRef<HTMLDivElement>(null)
  const isOpen = useIsOpen(panel, isLazy)
  const isHydrated = useHydrated()
  const isShown = isOpen || !isHydrated || !isLazy
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={label}
        title={title}
        style={{ anchorName: anchor } as CSSProperties}
        // React 18 has no types for it.
        {...{ popovertarget: id }}
      >
        {face}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is inside takes the keys; this only keeps them from a dialog around it */}
      <div
        ref={panel}
        id={id}
        {...{ popover: 'auto' }}
        className={`popover ${panelClassName}`}
        style={{ positionAnchor: anchor } as CSSProperties}
        onKeyDown={keepEscape}
        onClick={closeOnWayOut}
      >
        {isShown && children}
      </div>
    </>
  )
}

function useIsOpen(panel: { current: HTMLElement | null }, isWanted: boolean): boolean {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const element = panel.current
    if (!element || !isWanted) return
    const open = (event: Event) => {
      // The browser looks for a place that is large enough before React would come to it by itself.
      if ((event as ToggleEvent).newState === 'open') flushSync(() => setOpen(true))
    }
    const close = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') setOpen(false)
    }
    element.addEventListener('beforetoggle', open)
    element.addEventListener('toggle', close)
    return () => {
      element.removeEventListener('beforetoggle', open)
      element.removeEventListener('toggle', close)
    }
  }, [panel, isWanted])
  return isOpen
}

/** Escape closes the panel, and not the dialog that it stands in. */
function keepEscape(event: KeyboardEvent<HTMLElement>): void {
  if (event.key === 'Escape' && event.currentTarget.matches(':popover-open')) event.stopPropagation()
}

/** A link or a button that leads to something else closes the panel first, so that the focus comes back to the button that opened it. */
function closeOnWayOut({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  const isWayOut = (target as Element).closest('a, button[type="submit"]') !== null
  if (isWayOut && currentTarget.matches(':popover-open')) currentTarget.hidePopover()
}
