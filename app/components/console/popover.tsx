import { type CSSProperties, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useHydrated } from '../ui/form.tsx'

type Props = {
  /** The content of the button. */
  face: ReactNode
  /** The button's accessible name, if the face does not say enough. */
  label?: string
  className: string
  panelClassName?: string
  title?: string
  /** Renders the content only while the panel is open. Before hydration the content is always there. */
  isLazy?: boolean
  children: ReactNode
}

/**
 * A button that opens a panel with the browser's own popover. It needs no scripts, closes on Escape and on a click
 * outside, returns the focus, and is never clipped by its surroundings.
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
        // React 18 has no types for this attribute.
        {...{ popovertarget: id }}
      >
        {face}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears of clicks on the links and buttons inside */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link or button is a click, too */}
      <div
        ref={panel}
        id={id}
        {...{ popover: 'auto' }}
        className={`popover ${panelClassName}`}
        style={{ positionAnchor: anchor } as CSSProperties}
        onClick={closeBeforeLeaving}
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
      // The browser positions the panel right after this event, so the content must render now.
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

/**
 * Closes the panel before a link or submit button inside acts, so that the focus returns to the button that opened the
 * panel.
 */
function closeBeforeLeaving({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  const isLeaving = (target as Element).closest('a, button[type="submit"]') !== null
  if (isLeaving && currentTarget.matches(':popover-open')) currentTarget.hidePopover()
}
