import { Dialog, DialogPanel, DialogTitle } from '@headlessui/react'
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react'
import { fileAddress } from '~/lib/file-address.ts'
import { badLinkAddress, completeLink } from '~/lib/link-address.ts'
import { insertedMaxWidth, isSafeImage, type MarkdownImage, newImage, sizeOf } from '~/lib/markdown-image.ts'
import { useShell } from '../../layout/shell.ts'
import { Field } from '../../ui/fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { FileField } from '../file-field.tsx'
import type { SentFile } from '../send-file.ts'

type Props = { onCancel: () => void; onConfirm: (image: MarkdownImage) => void }

/** Edits `image`, or inserts a new image if it is null. */
export function ImageAddressDialog({ image, onCancel, onConfirm }: Props & { image: MarkdownImage | null }) {
  const [address, setAddress] = useState(image?.src ?? '')
  const [altText, setAltText] = useState(image?.altText ?? '')
  const [caption, setCaption] = useState(image?.caption ?? '')
  const [isShown, setShown] = useState(image?.showCaption ?? true)
  const [width, setWidth] = useState(String(image?.width ?? ''))
  const [problem, setProblem] = useState<{ address?: string; width?: string }>({})
  const confirm = () => {
    const src = completeImage(address)
    const pixels = sizeOf(width.trim())
    const badWidth = width.trim() !== '' && pixels === null
    setProblem({
      address: src === null ? badLinkAddress : undefined,
      width: badWidth ? 'A whole number of pixels from 1 to 4000' : undefined,
    })
    if (src === null || badWidth) return
    const height = pixels === image?.width ? (image?.height ?? null) : null
    onConfirm({
      ...(image ?? newImage),
      src,
      altText,
      caption: caption.trim(),
      showCaption: isShown,
      width: pixels,
      height,
    })
  }
  return (
    <Frame
      title={image ? 'Edit Image' : 'Insert Image'}
      canConfirm={address.trim() !== ''}
      onCancel={onCancel}
      onConfirm={confirm}
    >
      <TextInput label="URL" value={address} onChange={setAddress} error={problem.address} />
      <AltText value={altText} onChange={setAltText} />
      <TextInput label="Caption" isOptional value={caption} onChange={setCaption} />
      <label className="tick">
        <input type="checkbox" checked={isShown} onChange={(event) => setShown(event.currentTarget.checked)} />
        <span>Show the caption below the image</span>
      </label>
      <TextInput
        label="Width"
        hint={`In pixels. Leave it empty to keep the image's own size, up to ${image?.maxWidth ?? insertedMaxWidth} wide.`}
        isOptional
        value={width}
        onChange={setWidth}
        error={problem.width}
      />
    </Frame>
  )
}

/** Uploads a PNG or JPG of up to 1 MB, with optional alternative text (C-076, C-178, C-179). */
export function ImageUploadDialog({ onCancel, onConfirm }: Props) {
  const { csrf } = useShell()
  const [altText, setAltText] = useState('')
  const [file, setFile] = useState<SentFile | null>(null)
  return (
    <Frame
      title="Upload Image"
      canConfirm={file !== null}
      onCancel={onCancel}
      onConfirm={() => file && onConfirm({ ...newImage, src: file.url ?? fileAddress(file.name), altText })}
    >
      <FileField
        name="image"
        kind="announcement_img"
        label="Image"
        hint="PNG or JPG, up to 1 MB."
        value={null}
        csrf={csrf ?? ''}
        onChange={setFile}
      />
      <AltText value={altText} onChange={setAltText} />
    </Frame>
  )
}

type FrameProps = {
  title: string
  canConfirm: boolean
  onCancel: () => void
  onConfirm: () => void
  children: ReactNode
}

function Frame({ title, canConfirm, onCancel, onConfirm, children }: FrameProps) {
  const body = useRef<HTMLDivElement>(null)
  // The first field, and not the cross before it.
  const first = {
    get current() {
      return body.current?.querySelector<HTMLElement>('input:not([type=hidden])') ?? null
    },
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React passes events of a portal on to the form around the editor.
    event.stopPropagation()
    if (canConfirm) onConfirm()
  }
  return (
    <Dialog open onClose={onCancel} className="dlg-layer" initialFocus={first}>
      <div className="dlg-place">
        <DialogPanel as="form" className="dlg dlg--sm" noValidate onSubmit={submit}>
          <div className="dlg-head">
            <DialogTitle as="h2">{title}</DialogTitle>
            <button className="iconbtn" type="button" aria-label="Close" onClick={onCancel}>
              <Icon name="close" />
            </button>
          </div>
          <div ref={body} className="in formstack">
            {children}
          </div>
          <div className="dlg-foot">
            <span className="end">
              <button className="btn btn--secondary" type="button" onClick={onCancel}>
                Cancel
              </button>
              <button className="btn btn--primary" type="submit" disabled={!canConfirm}>
                Confirm
              </button>
            </span>
          </div>
        </DialogPanel>
      </div>
    </Dialog>
  )
}

type InputProps = {
  label: string
  hint?: string
  isOptional?: boolean
  value: string
  onChange: (value: string) => void
  error?: string
}

function TextInput({ label, hint, isOptional, value, onChange, error }: InputProps) {
  const id = useId()
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <Field {...{ id, label, hint, isOptional, error }}>
      <input
        id={id}
        className="input"
        type="text"
        autoComplete="off"
        value={value}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  )
}

function AltText({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      label="Alt text"
      hint="Describes the image for people who cannot see it."
      isOptional
      value={value}
      onChange={onChange}
    />
  )
}

/**
 * Accepts a path of this site, or an http or https address, which is completed like that of a link. Null for all
 * others.
 */
function completeImage(typed: string): string | null {
  const text = typed.trim()
  if (text.startsWith('/')) return isSafeImage(text) ? text : null
  const address = completeLink(text)
  return address !== null && isSafeImage(address) ? address : null
}
