import { type RefObject, useEffect, useId, useRef, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import { type UploadKind, uploadRules } from '~/forms/uploads.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { shortCsvName } from '~/lib/short-name.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import { ConsoleIcon } from './console-icon.tsx'
import { DropArea } from './drop-area.tsx'
import { isPictureKind, useFilePreview } from './file-preview.tsx'
import { FailedRow, FileAction, FileRow } from './file-row.tsx'
import { KeptFields } from './kept-file.tsx'
import { type SentFile, uploadAborted } from './send-file.ts'
import { type FileState, useFile } from './use-file.ts'

type Props = {
  /** The hidden field of this name holds the stored name. Without JavaScript `{name}-file` and `{name}-remove` stand beside it. */
  name: string
  kind: UploadKind
  label: string
  hint?: string
  isOptional?: boolean
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
  const { name, kind, label, hint, isOptional, error, value } = props
  const id = useId()
  const isReady = useHydrated()
  // The row of a failed file says what is wrong with it, so the field need not say that a file is missing.
  const [hasFailed, setFailed] = useState(false)
  const shownError = hasFailed ? undefined : error
  const described = [hint && `${id}-hint`, shownError && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <fieldset className="field filefield" aria-describedby={described}>
      <legend>
        {label}
        {isOptional && <span className="opt"> (optional)</span>}
      </legend>
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
  const isCover = kind === 'cover_img'
  const root = useFocusKept(state.phase)
  const kept = state.phase === 'complete' ? state.value : null
  useChangeEvent(root, kept?.name)
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
            fileName={shownName(kind, state.file.name)}
            preview={preview}
            isCover={isCover}
            detail={`Uploading, ${state.percent}% of ${formatFileSize(state.file.size)}`}
            actions={
              <FileAction
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
            fileName={shownName(kind, kept.originalFileName)}
            preview={preview}
            isCover={isCover}
            detail={formatFileSize(kept.size)}
            isInvalid={Boolean(error)}
            actions={
              <>
                {chooser}
                <label className="btn btn--secondary" htmlFor={id}>
                  Replace
                </label>
                <FileAction icon="trash" label={`Remove ${kept.originalFileName}`} onClick={remove} />
              </>
            }
          />
        )}
        {state.phase === 'failed' && (
          <FailedRow
            state={state}
            fileName={shownName(kind, state.file.name)}
            preview={preview}
            isCover={isCover}
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
        // Lets the same file be chosen again after it was corrected.
        event.currentTarget.value = ''
        if (file) onFile(file)
      }}
    />
  )
}

type PlainProps = Pick<Props, 'name' | 'kind' | 'label' | 'accept' | 'value'> & { id: string }

function PlainField({ id, name, kind, label, accept, value }: PlainProps) {
  return (
    <>
      <KeptFields name={name} value={value} />
      {value && (
        <FileRow
          fileName={shownName(kind, value.originalFileName)}
          preview={isPictureKind(accept ?? uploadRules[kind].extensions) ? (value.url ?? null) : null}
          isCover={kind === 'cover_img'}
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

/** The names of CSV files are cut; those of other files as far as there is room. */
function shownName(kind: UploadKind, name: string): string {
  return kind === 'csv' ? shortCsvName(name) : name
}

function announcementOf(state: FileState): string {
  if (state.phase === 'uploading') return `Uploading ${state.file.name}`
  if (state.phase === 'complete') return `${state.value.originalFileName} is uploaded`
  if (state.phase === 'failed') return state.canRetry ? `Upload failed. ${state.message}` : state.message
  return ''
}

/** Dispatches a change event for the hidden field, which has none of its own. The form's tabs listen for it. */
function useChangeEvent(root: RefObject<HTMLElement>, value: string | undefined): void {
  const before = useRef(value)
  useEffect(() => {
    if (before.current === value) return
    before.current = value
    root.current?.dispatchEvent(new Event('change', { bubbles: true }))
  }, [root, value])
}

/** Keeps the focus in the field: if a phase removes the focused control, the first control of the next one gets it. */
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
