/** The state of a file field: empty, uploading, complete or failed. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { fileProblem, type UploadKind, type UploadRule } from '~/forms/uploads.ts'
import { type SentFile, sendFile, UploadFailed, uploadError } from './send-file.ts'

export type FileState =
  | { phase: 'empty' }
  | { phase: 'uploading'; file: File; percent: number }
  | { phase: 'complete'; value: SentFile }
  /** `canRetry`: the file itself is fine. */
  | { phase: 'failed'; file: File; message: string; canRetry: boolean; isSignedOut?: boolean }

type Options = {
  kind: UploadKind
  rule: UploadRule
  csrf: string
  value: SentFile | null
  onChange?: (value: SentFile | null) => void
  onBusyChange?: (isBusy: boolean) => void
}

export type FileControl = {
  state: FileState
  choose: (file: File) => void
  /** Also of what is on its way: whoever cancels it knows, and sees no failure. */
  remove: () => void
}

export function useFile({ kind, rule, csrf, value, onChange, onBusyChange }: Options): FileControl {
  const [state, setState] = useState<FileState>(value ? { phase: 'complete', value } : { phase: 'empty' })
  const current = useRef<AbortController | null>(null)
  const listeners = useRef({ onChange, onBusyChange })
  listeners.current = { onChange, onBusyChange }

  const settle = useCallback((next: FileState) => {
    current.current = null
    setState(next)
    listeners.current.onBusyChange?.(false)
    listeners.current.onChange?.(next.phase === 'complete' ? next.value : null)
  }, [])

  const choose = useCallback(
    async (file: File) => {
      current.current?.abort()
      const problem = fileProblem(rule, file)
      if (problem) return settle({ phase: 'failed', file, message: problem, canRetry: false })
      const controller = new AbortController()
      current.current = controller
      const isCurrent = () => current.current === controller
      setState({ phase: 'uploading', file, percent: 0 })
      listeners.current.onBusyChange?.(true)
      const onProgress = (percent: number) => isCurrent() && setState({ phase: 'uploading', file, percent })
      try {
        const sent = await sendFile({ file, kind, csrf, signal: controller.signal, onProgress })
        if (isCurrent()) settle({ phase: 'complete', value: sent })
      } catch (error) {
        const message = error instanceof UploadFailed ? error.message : uploadError
        const canRetry = !(error instanceof UploadFailed && error.isFinal)
        const isSignedOut = error instanceof UploadFailed && error.isSignedOut
        if (isCurrent()) settle({ phase: 'failed', file, message, canRetry, isSignedOut })
      }
    },
    [kind, rule, csrf, settle],
  )

  const remove = useCallback(() => {
    const before = current.current
    settle({ phase: 'empty' })
    before?.abort()
  }, [settle])

  // Another value from the server, after a save: what this field shows follows it.
  const given = useRef(value?.name)
  useEffect(() => {
    if (given.current === value?.name) return
    given.current = value?.name
    current.current?.abort()
    current.current = null
    setState(value ? { phase: 'complete', value } : { phase: 'empty' })
  }, [value])

  useEffect(() => () => current.current?.abort(), [])

  return { state, choose, remove }
}
