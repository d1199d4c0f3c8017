import { type ReactNode, useState } from 'react'
import { extensionsInWords, invalidFileType } from '~/forms/uploads.ts'
import { LoginInNewTab } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { ConsoleIcon } from './console-icon.tsx'
import { FilePreview } from './file-preview.tsx'
import type { SentFile } from './send-file.ts'
import type { FileState } from './use-file.ts'

type RowProps = {
  fileName: string
  detail: ReactNode
  preview: string | null
  /** A picture for cards, which crop it. */
  isCover?: boolean
  actions: ReactNode
  isInvalid?: boolean
  children?: ReactNode
}

/** A file: its preview or an icon, its name, a line about it, and what can be done with it. */
export function FileRow({ fileName, detail, preview, isCover = false, actions, isInvalid, children }: RowProps) {
  const [isCropped, setCropped] = useState(false)
  return (
    <div className={isInvalid ? 'filerow is-error' : 'filerow'}>
      {preview ? <FilePreview address={preview} isCover={isCover} onShape={setCropped} /> : <Icon name="file" />}
      <div>
        <p className="name" title={fileName}>
          {fileName}
        </p>
        <p className="detail num">{detail}</p>
        {preview && isCover && isCropped && <p className="detail">Cards show this part of the picture, in 16:9.</p>}
      </div>
      <div className="acts">{actions}</div>
      {children}
    </div>
  )
}

export function FileAction({ icon, label, onClick }: { icon: 'close' | 'trash'; label: string; onClick: () => void }) {
  return (
    <button type="button" className="iconbtn" aria-label={label} onClick={onClick}>
      <ConsoleIcon name={icon} />
    </button>
  )
}

type Failed = Extract<FileState, { phase: 'failed' }>
type FailedProps = {
  state: Failed
  fileName: string
  preview: string | null
  isCover: boolean
  replaced: SentFile | null
  extensions: readonly string[]
  onRetry: () => void
  onRemove: () => void
  chooser: ReactNode
}

/** A file that could not be uploaded, and why. */
export function FailedRow(props: FailedProps) {
  const { state, fileName, preview, isCover, replaced, extensions, onRetry, onRemove, chooser } = props
  const { file, message, canRetry, isSignedOut } = state
  const isWrongType = message === invalidFileType
  return (
    <FileRow
      fileName={fileName}
      preview={preview}
      isCover={isCover}
      isInvalid
      detail={
        <span className="error">
          <Icon name="alert" />
          <span>
            {canRetry && <strong>Upload failed</strong>} <span>{message}</span>{' '}
            {isWrongType && <span className="block">Please choose a {extensionsInWords(extensions)} file.</span>}
            {isSignedOut && <LoginInNewTab />}
          </span>
        </span>
      }
      actions={
        <>
          {canRetry && (
            <button type="button" className="btn btn--secondary" onClick={onRetry}>
              Retry
            </button>
          )}
          {chooser}
          {replaced ? (
            <button type="button" className="btn btn--quiet" title={replaced.originalFileName} onClick={onRemove}>
              Keep the earlier file
            </button>
          ) : (
            <FileAction icon="trash" label={`Remove ${file.name}`} onClick={onRemove} />
          )}
        </>
      }
    />
  )
}
