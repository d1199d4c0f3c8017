import { useActionData, useBlocker, useNavigation } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { useEffectBeforePaint } from '~/browser/effect-before-paint.ts'
import { isPickerState } from '~/forms/picked.ts'
import { stepField } from '~/forms/steps.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'

/** No form's content. */
const nothingSaved = ''

const guarded = new WeakMap<HTMLFormElement, () => boolean>()

/** For buttons that must not run over unsaved changes, such as Publish. A form without a guard has none. */
export function hasUnsavedChanges(form: HTMLFormElement | null): boolean {
  return (form && guarded.get(form)?.()) ?? false
}

/**
 * Stands inside a form and asks before any way out of it when it holds what was not saved: Close, Escape, Back, a link, the tab's
 * end. A form is clean as it was when it appeared, and again as it was when it was last saved; one that appears with what the server
 * refused `isUnsaved`.
 */
type Props = { noun: string; mode: 'creating' | 'editing'; isUnsaved: boolean }

export function UnsavedGuard({ noun, mode, isUnsaved }: Props) {
  const place = useRef<HTMLSpanElement>(null)
  const saved = useRef<string | null>(null)
  const wasUnsaved = useRef(isUnsaved)
  const form = () => place.current?.closest('form') ?? null
  const isDirty = () => {
    const element = form()
    return element !== null && saved.current !== null && contentOf(element) !== saved.current
  }

  // Before what was typed into the page without scripts is put into the dialog that takes its place: that is not saved.
  useEffectBeforePaint(() => {
    const element = place.current?.closest('form')
    if (!element) return
    saved.current = wasUnsaved.current ? nothingSaved : contentOf(element)
    guarded.set(element, () => contentOf(element) !== saved.current)
  }, [])
  useSaved(() => {
    const element = form()
    if (element) saved.current = contentOf(element)
  })
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      const element = place.current?.closest('form')
      if (element && guarded.get(element)?.()) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [])

  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    if (pathOf(nextLocation.pathname) === pathOf(currentLocation.pathname)) return false
    const target = form()?.getAttribute('action')
    const isOwnPost =
      target != null && pathOf(new URL(target, window.location.href).pathname) === pathOf(nextLocation.pathname)
    return !isOwnPost && isDirty()
  })
  return (
    <>
      <span ref={place} hidden />
      <ConfirmDialog
        isOpen={blocker.state === 'blocked'}
        title="Unsaved changes"
        question={`Are you sure you want to cancel and exit ${mode} the ${noun}? Any unsaved changes will be lost.`}
        cancelLabel="NO"
        actionLabel="YES"
        onCancel={() => blocker.reset?.()}
        onConfirm={() => blocker.proceed?.()}
      />
    </>
  )
}

/** Runs when a post of this page has come back without a refusal. */
function useSaved(onSaved: () => void): void {
  const { state, formMethod } = useNavigation()
  const answer = useActionData<{ fieldErrors?: unknown } | null>()
  const isPosting = useRef(false)
  const latest = useRef(onSaved)
  latest.current = onSaved
  useEffect(() => {
    if (state !== 'idle') {
      if (formMethod === 'POST') isPosting.current = true
      return
    }
    if (isPosting.current && !answer?.fieldErrors) latest.current()
    isPosting.current = false
  }, [state, formMethod, answer])
}

/** What of a form is somebody's work. Tokens are not, nor is the step that is open or what a picker shows. */
function contentOf(form: HTMLFormElement): string {
  const entries = [...new FormData(form)].filter(
    ([name]) => name !== 'csrf' && name !== stepField && !name.startsWith('__') && !isPickerState(name),
  )
  return JSON.stringify(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : [value.name, value.size]]),
  )
}

function pathOf(pathname: string): string {
  return pathname.replace(/\/+$/, '')
}
