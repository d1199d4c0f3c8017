import { type DragEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import { extensionsInWords, invalidFileType, type UploadKind, uploadRules } from '~/forms/uploads.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { LoginInNewTab, useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import { ConsoleIcon } from './console-icon.tsx'
import { FilePreview, isPictureKind, useFilePreview } from './file-preview.tsx'
import { type SentFile, uploadAborted } from './send-file.ts'
import { type FileState, useFile } from './use-file.ts'

type Props = {
  /** The hidden field of this name holds the stored name. Without JavaScript `{name}-file` and `{name}-remove` stand beside it. */
  name: string
  kind: UploadKind
  label: string
  hint?: string
  /** Extensions, where the form takes fewer than the kind does: `['.zip']`. */
  accept?: readonly string[]
  maxBytes?: number
  value: SentFile | null
  error?: string
  csrf: string
  onChange?: (value: SentFile | null) => void
  /** A form must not be sent while this is true. */
  onBusyChange?: (isBusy: boolean) => void
}

/** A file with drop, real progress, cancel, retry and remove; a plain file input without JavaScript. */
export function FileField(props: Props) {
  const { name, kind, label, hint, error, value } = props
  const id = useId()
  const isReady = useHydrated()
  // What is wrong with the file that was tried stands in its row, and says more than that there is none.
  const [hasFailed, setFailed] = useState(false)
  const shownError = hasFailed ? undefined : error
  const described = [hint && `${id}-hint`, shownError && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <fieldset className="field filefield" aria-describedby={described}>
      <legend>{label}</legend>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {isReady ? (
        <LiveField {...props} id={id} onFailure={setFailed} />
      ) : (
        <PlainField id={id} name={name} kind={kind} label={label} accept={props.accept} value={value} />
      )}
      {shownError && (
        <p className="error" id={`${id}-error`}>
          <Icon name="alert" />
          {shownError}
        </p>
      )}
    </fieldset>
  )
}

function LiveField({ id, onFailure, ...props }: Props & { id: string; onFailure: (hasFailed: boolean) => void }) {
  const { name, kind, label, csrf, value, error, onChange, onBusyChange } = props
  const [rule] = useState({
    maxBytes: props.maxBytes ?? uploadRules[kind].maxBytes,
    extensions: props.accept ?? uploadRules[kind].extensions,
  })
  const { state, choose: send, remove, replaced } = useFile({ kind, rule, csrf, value, onChange, onBusyChange })
  const [hasSeveral, setSeveral] = useState(false)
  const [canceled, setCanceled] = useState<string | null>(null)
  const choose = (file: File) => {
    setSeveral(false)
    setCanceled(null)
    send(file)
  }
  const cancel = (file: File) => {
    remove()
    setCanceled(file.name)
    notify({ kind: 'info', text: uploadAborted })
  }
  const hasFailed = state.phase === 'failed'
  useEffect(() => onFailure(hasFailed), [hasFailed, onFailure])
  const preview = useFilePreview(state, rule.extensions)
  const root = useFocusKept(state.phase)
  const kept = state.phase === 'complete' ? state.value : null
  useChangeTold(root, kept?.name)
  const chooser = <Chooser id={id} label={label} accept={rule.extensions} isInvalid={Boolean(error)} onFile={choose} />
  return (
    <DropArea onFile={choose} onSeveral={() => setSeveral(true)}>
      <div ref={root}>
        <KeptFields name={name} value={kept} />
        {state.phase === 'empty' && (
          <div className={error ? 'drop is-error' : 'drop'}>
            <ConsoleIcon name="upload" />
            <p className="by-pointer">
              <strong>Drop a file here</strong>
            </p>
            <p className="muted small by-pointer">or</p>
            {chooser}
            <label className="btn btn--secondary" htmlFor={id}>
              Choose a file
            </label>
          </div>
        )}
        {state.phase === 'uploading' && (
          <FileRow
            fileName={state.file.name}
            preview={preview}
            detail={`Uploading, ${state.percent}% of ${formatFileSize(state.file.size)}`}
            actions={
              <Action
                icon="close"
                label={`Cancel the upload of ${state.file.name}`}
                onClick={() => cancel(state.file)}
              />
            }
          >
            <Titer percent={state.percent} label={`Upload of ${label}`} />
          </FileRow>
        )}
        {kept && (
          <FileRow
            fileName={kept.originalFileName}
            preview={preview}
            detail={formatFileSize(kept.size)}
            isInvalid={Boolean(error)}
            actions={
              <>
                {chooser}
                <label className="btn btn--secondary" htmlFor={id}>
                  Replace
                </label>
                <Action icon="trash" label={`Remove ${kept.originalFileName}`} onClick={remove} />
              </>
            }
          />
        )}
        {state.phase === 'failed' && (
          <FailedRow
            state={state}
            preview={preview}
            replaced={replaced}
            extensions={rule.extensions}
            onRetry={() => choose(state.file)}
            onRemove={remove}
            chooser={
              <>
                {chooser}
                <label className="btn btn--secondary" htmlFor={id}>
                  Choose another
                </label>
              </>
            }
          />
        )}
        {canceled !== null && <p className="small muted mt-2">You canceled the upload of {canceled}.</p>}
        {hasSeveral && (
          <p className="error" role="alert">
            <Icon name="alert" />
            Please drop one file only. Nothing was uploaded.
          </p>
        )}
        <p className="sr-only" role="status">
          {announcementOf(state)}
        </p>
      </div>
    </DropArea>
  )
}

type Failed = Extract<FileState, { phase: 'failed' }>
type FailedProps = {
  state: Failed
  preview: string | null
  replaced: SentFile | null
  extensions: readonly string[]
  onRetry: () => void
  onRemove: () => void
  chooser: ReactNode
}

function FailedRow({ state, preview, replaced, extensions, onRetry, onRemove, chooser }: FailedProps) {
  const { file, message, canRetry, isSignedOut } = state
  const isWrongType = message === invalidFileType
  return (
    <FileRow
      fileName={file.name}
      preview={preview}
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
            <Action icon="trash" label={`Remove ${file.name}`} onClick={onRemove} />
          )}
        </>
      }
    />
  )
}

/** Takes a file that is dropped anywhere on the field, also in place of the one that is there. One at a time. */
function DropArea({ onFile, onSeveral, children }: DropProps) {
  const [depth, setDepth] = useState(0)
  useNoDropBeside()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setDepth(0)
    const [file, second] = event.dataTransfer.files
    if (second) onSeveral()
    else if (file) onFile(file)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way more; the button inside does the same for every other hand
    <div
      className={depth > 0 ? 'droparea is-over' : 'droparea'}
      onDragEnter={() => setDepth(depth + 1)}
      onDragLeave={() => setDepth(Math.max(0, depth - 1))}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      {children}
    </div>
  )
}

type DropProps = { onFile: (file: File) => void; onSeveral: () => void; children: ReactNode }

/** A file that misses the field would be opened by the browser in place of the page. */
function useNoDropBeside(): void {
  useEffect(() => {
    const refuse = (event: globalThis.DragEvent) => {
      // Whoever takes the file has said so.
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    }
    window.addEventListener('dragover', refuse)
    window.addEventListener('drop', refuse)
    return () => {
      window.removeEventListener('dragover', refuse)
      window.removeEventListener('drop', refuse)
    }
  }, [])
}

type ChooserProps = {
  id: string
  label: string
  accept: readonly string[]
  isInvalid: boolean
  onFile: (file: File) => void
}

/** The browser's own input, out of sight. A label beside it is the button. */
function Chooser({ id, label, accept, isInvalid, onFile }: ChooserProps) {
  return (
    <input
      className="sr-only"
      id={id}
      type="file"
      accept={accept.join(',')}
      aria-label={`Choose a file: ${label}`}
      aria-invalid={isInvalid || undefined}
      onChange={(event) => {
        const [file] = event.currentTarget.files ?? []
        // So that the same file can be chosen again, once it was corrected.
        event.currentTarget.value = ''
        if (file) onFile(file)
      }}
    />
  )
}

type RowProps = {
  fileName: string
  detail: ReactNode
  preview: string | null
  actions: ReactNode
  isInvalid?: boolean
  children?: ReactNode
}

function FileRow({ fileName, detail, preview, actions, isInvalid, children }: RowProps) {
  const [isCropped, setCropped] = useState(false)
  return (
    <div className={isInvalid ? 'filerow is-error' : 'filerow'}>
      {preview ? <FilePreview address={preview} onShape={setCropped} /> : <Icon name="file" />}
      <div>
        <p className="name" title={fileName}>
          {fileName}
        </p>
        <p className="detail num">{detail}</p>
        {preview && isCropped && <p className="detail">Cards show this part of the picture, in 16:9.</p>}
      </div>
      <div className="acts">{actions}</div>
      {children}
    </div>
  )
}

function Action({ icon, label, onClick }: { icon: 'close' | 'trash'; label: string; onClick: () => void }) {
  return (
    <button type="button" className="iconbtn" aria-label={label} onClick={onClick}>
      <ConsoleIcon name={icon} />
    </button>
  )
}

type PlainProps = Pick<Props, 'name' | 'kind' | 'label' | 'accept' | 'value'> & { id: string }

function PlainField({ id, name, kind, label, accept, value }: PlainProps) {
  return (
    <>
      <KeptFields name={name} value={value} />
      {value && (
        <FileRow
          fileName={value.originalFileName}
          preview={isPictureKind(accept ?? uploadRules[kind].extensions) ? (value.url ?? null) : null}
          detail={formatFileSize(value.size)}
          actions={
            <label className="tick">
              <input type="checkbox" name={`${name}-remove`} />
              <span>Remove</span>
            </label>
          }
        />
      )}
      <input
        className="input plainfile"
        id={id}
        type="file"
        name={`${name}-file`}
        accept={(accept ?? uploadRules[kind].extensions).join(',')}
        aria-label={label}
      />
    </>
  )
}

/** Name and size come back with a refused form, so that the page can say which file it has. */
function KeptFields({ name, value }: { name: string; value: SentFile | null }) {
  return (
    <>
      <input type="hidden" name={name} value={value?.name ?? ''} />
      <input type="hidden" name={`${name}-fileName`} value={value?.originalFileName ?? ''} />
      <input type="hidden" name={`${name}-fileSize`} value={value?.size ?? ''} />
    </>
  )
}

/** What a refused form sent back about a file, for `value`. */
export function keptFile(values: Record<string, string> | undefined, name: string): SentFile | null {
  const stored = values?.[name]
  if (!stored) return null
  const size = Number(values[`${name}-fileSize`])
  return {
    name: stored,
    originalFileName: values[`${name}-fileName`] || stored,
    size: Number.isFinite(size) ? size : 0,
    url: fileAddress(encodeURIComponent(stored)),
  }
}

function announcementOf(state: FileState): string {
  if (state.phase === 'uploading') return `Uploading ${state.file.name}`
  if (state.phase === 'complete') return `${state.value.originalFileName} is uploaded`
  if (state.phase === 'failed') return state.canRetry ? `Upload failed. ${state.message}` : state.message
  return ''
}

/** A hidden field tells nobody that its value has changed, and the form's tabs would like to know. */
function useChangeTold(root: RefObject<HTMLElement>, value: string | undefined): void {
  const before = useRef(value)
  useEffect(() => {
    if (before.current === value) return
    before.current = value
    root.current?.dispatchEvent(new Event('change', { bubbles: true }))
  }, [root, value])
}

/** Each phase has other controls: whoever stood on one that went finds the first of the new ones. */
function useFocusKept(phase: FileState['phase']) {
  const root = useRef<HTMLDivElement>(null)
  const wasInside = useRef(false)
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      wasInside.current = root.current?.contains(target as Node) ?? false
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [])
  const before = useRef(phase)
  useEffect(() => {
    if (before.current === phase) return
    before.current = phase
    const isLost = document.activeElement === document.body || document.activeElement === null
    if (wasInside.current && isLost) root.current?.querySelector<HTMLElement>('button, input[type="file"]')?.focus()
  }, [phase])
  return root
}
