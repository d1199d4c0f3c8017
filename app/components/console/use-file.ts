/** The state of a file field: empty, uploading, complete or failed. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { fileProblem, type UploadKind, type UploadRule } from '~/forms/uploads.ts'
import { type SentFile, sendFile, UploadFailed, uploadError } from './send-file.ts'

export type FileState =
  | { phase: 'empty' }
  | { phase: 'uploading'; file: File; percent: number }
  | { phase: 'complete'; value: SentFile }
  /** `canRetry`: the file itself is fine, so another try can succeed. */
  | { phase: 'failed'; file: File; message: string; canRetry: boolean; isSignedOut?: boolean }

type Options = {
  kind: UploadKind
  rule: UploadRule
  csrf: string
  value: SentFile | null
  onChange?: (value: SentFile | null) => void
  onBusyChange?: (isBusy: boolean) => void
}

type FileControl = {
  state: FileState
  choose: (file: File) => void
  /**
   * Removes the current file, or cancels an upload that is running or failed. Then the file that it was replacing comes
   * back.
   */
  remove: () => void
  /** The file that would come back. */
  replaced: SentFile | null
}

export function useFile({ kind, rule, csrf, value, onChange, onBusyChange }: Options): FileControl {
  const [state, setState] = useState<FileState>(value ? { phase: 'complete', value } : { phase: 'empty' })
  const current = useRef<AbortController | null>(null)
  const [replaced, setReplaced] = useState<SentFile | null>(null)
  const listeners = useRef({ onChange, onBusyChange })
  listeners.current = { onChange, onBusyChange }

  const finishWith = useCallback((next: FileState) => {
    current.current = null
    setState(next)
    listeners.current.onBusyChange?.(false)
    listeners.current.onChange?.(next.phase === 'complete' ? next.value : null)
  }, [])

  const choose = useCallback(
    async (file: File) => {
      current.current?.abort()
      if (state.phase === 'complete') setReplaced(state.value)
      const problem = fileProblem(kind, file, rule)
      if (problem) return finishWith({ phase: 'failed', file, message: problem, canRetry: false })
      const controller = new AbortController()
      current.current = controller
      const isCurrent = () => current.current === controller
      setState({ phase: 'uploading', file, percent: 0 })
      listeners.current.onBusyChange?.(true)
      const onProgress = (percent: number) => isCurrent() && setState({ phase: 'uploading', file, percent })
      try {
        const sent = await sendFile({ file, kind, csrf, signal: controller.signal, onProgress })
        if (!isCurrent()) return
        setReplaced(null)
        finishWith({ phase: 'complete', value: sent })
      } catch (error) {
        const message = error instanceof UploadFailed ? error.message : uploadError
        const canRetry = !(error instanceof UploadFailed && error.isFinal)
        const isSignedOut = error instanceof UploadFailed && error.isSignedOut
        if (isCurrent()) finishWith({ phase: 'failed', file, message, canRetry, isSignedOut })
      }
    },
    [kind, rule, csrf, finishWith, state],
  )

  const remove = useCallback(() => {
    const before = current.current
    finishWith(replaced ? { phase: 'complete', value: replaced } : { phase: 'empty' })
    setReplaced(null)
    before?.abort()
  }, [finishWith, replaced])

  // After a save the server can send another value, which the field then shows.
  const given = useRef(value?.name)
  useEffect(() => {
    if (given.current === value?.name) return
    given.current = value?.name
    current.current?.abort()
    current.current = null
    setReplaced(null)
    setState(value ? { phase: 'complete', value } : { phase: 'empty' })
  }, [value])

  useEffect(() => () => current.current?.abort(), [])

  return { state, choose, remove, replaced }
}
