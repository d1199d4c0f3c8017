import { type CSSProperties, type KeyboardEvent, type MouseEvent, type ReactNode, useId } from 'react'

type Props = {
  /** What the button shows. */
  face: ReactNode
  /** Its accessible name, where the face says too little. */
  label?: string
  className: string
  /** Of the panel. */
  panelClassName?: string
  title?: string
  children: ReactNode
}

/**
 * A button and the panel that it opens, by the browser's own popover: it needs no scripts, closes on Escape and on a press outside, gives the focus
 * back, and is cut off by nothing around it.
 */
export function Popover({ face, label, className, panelClassName = '', title, children }: Props) {
  const id = `popover${useId().replaceAll(':', '')}`
  const anchor = `--${id}`
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
        id={id}
        {...{ popover: 'auto' }}
        className={`popover ${panelClassName}`}
        style={{ positionAnchor: anchor } as CSSProperties}
        onKeyDown={keepEscape}
        onClick={closeOnWayOut}
      >
        {children}
      </div>
    </>
  )
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
