import { type CSSProperties, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { badLinkAddress, completeLink } from '~/lib/link-address.ts'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleIcon } from '../console-icon.tsx'

type Props = {
  /** '' for a new link. */
  href: string
  style: CSSProperties
  hasFocus: boolean
  onAccept: (href: string) => void
  onRemove: () => void
  onClose: () => void
}

/** Floats below the link that the caret is in. */
export function LinkEditor({ href, style, hasFocus, onAccept, onRemove, onClose }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(href)
  const address = completeLink(typed)
  const isBad = typed.trim() !== '' && address === null
  useEffect(() => {
    if (hasFocus) input.current?.select()
  }, [hasFocus])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // Keeps a dialog around the editor open.
      event.preventDefault()
      onClose()
    }
    if (event.key !== 'Enter' || event.target !== input.current) return
    event.preventDefault()
    if (address !== null) onAccept(address)
  }
  return (
    <div className="link-editor" style={style} role="group" aria-label="Link" onKeyDown={onKeyDown}>
      <input
        ref={input}
        className="input"
        type="text"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-label="Link URL"
        placeholder="https://"
        value={typed}
        aria-invalid={isBad || undefined}
        aria-describedby={isBad ? `${id}-error` : undefined}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <button
        type="button"
        className="iconbtn"
        aria-label="Accept link"
        title="Accept link (Enter)"
        disabled={address === null}
        onClick={() => address !== null && onAccept(address)}
      >
        <Icon name="check" />
      </button>
      <button
        type="button"
        className="iconbtn"
        aria-label="Open link in a new tab"
        title="Open link in a new tab"
        disabled={address === null}
        onClick={() => address !== null && window.open(address, '_blank', 'noopener,noreferrer')}
      >
        <Icon name="external" />
      </button>
      {href !== '' && (
        <button type="button" className="iconbtn" aria-label="Remove link" title="Remove link" onClick={onRemove}>
          <ConsoleIcon name="trash" />
        </button>
      )}
      <button type="button" className="iconbtn" aria-label="Close link editor" title="Close (Escape)" onClick={onClose}>
        <Icon name="close" />
      </button>
      <p className="error" id={`${id}-error`} role="status">
        {isBad && (
          <>
            <Icon name="alert" />
            {badLinkAddress}
          </>
        )}
      </p>
    </div>
  )
}
