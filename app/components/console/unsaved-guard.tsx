import { type Location, useActionData, useBlocker, useNavigate, useNavigation } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { useEffectBeforePaint } from '~/browser/effect-before-paint.ts'
import { formIdField } from '~/forms/form-id.ts'
import { nextStep, previousStep } from '~/forms/steps.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { discardDraftOf } from './drafts/form-draft.tsx'
import { contentOf } from './form-content.ts'

/** Differs from the content of every form, so that the form counts as unsaved. */
const nothingSaved = ''

const guarded = new WeakMap<HTMLFormElement, () => boolean>()

/** Says whether a form has unsaved changes, for buttons such as Publish. False for a form without a guard. */
export function hasUnsavedChanges(form: HTMLFormElement | null): boolean {
  return (form && guarded.get(form)?.()) ?? false
}

/**
 * Guards the form around it: asks before Close, Escape, Back, a link or closing the tab discards unsaved changes. The
 * form is clean with the values that it had when it appeared or was last saved. A form that shows values the server
 * refused is `isUnsaved` from the start.
 */
export type Guard = {
  noun: string
  mode: 'creating' | 'editing'
  /** Asks also before links to the same path with another query, for a page that shows another form then. */
  isPerQuery?: boolean
  /** For a form whose posts check what is entered and save nothing until they lead elsewhere. */
  isChecked?: boolean
}
type Props = Guard & { isUnsaved: boolean }

export function UnsavedGuard({ noun, mode, isPerQuery = false, isChecked = false, isUnsaved }: Props) {
  const marker = useRef<HTMLSpanElement>(null)
  const saved = useRef<string | null>(null)
  const hasAnswer = useActionData() != null
  const wasUnsaved = useRef(isUnsaved || (isChecked && hasAnswer))
  const form = () => marker.current?.closest('form') ?? null
  const isDirty = () => {
    const element = form()
    return element !== null && saved.current !== null && contentOf(element) !== saved.current
  }

  // Runs before the dialog restores what was typed before hydration, because that is not saved.
  useEffectBeforePaint(() => {
    const element = marker.current?.closest('form')
    if (!element) return
    saved.current = wasUnsaved.current ? nothingSaved : contentOf(element)
    guarded.set(element, () => contentOf(element) !== saved.current)
  }, [])
  useSaved(() => {
    const element = form()
    if (element && !isChecked) saved.current = contentOf(element)
  })
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      const element = marker.current?.closest('form')
      if (element && guarded.get(element)?.()) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [])

  const isLeaving = useRef(false)
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    if (isLeaving.current) return false
    const isNext = ({ pathname, search }: { pathname: string; search: string }) =>
      pathOf(pathname) === pathOf(nextLocation.pathname) && (!isPerQuery || search === nextLocation.search)
    if (isNext(currentLocation)) return false
    const target = form()?.getAttribute('action')
    const isOwnPost = target != null && isNext(new URL(target, window.location.href))
    return !isOwnPost && isDirty()
  })
  // The router forgets what it has blocked when a load that was on its way ends. The question stays until it is answered.
  const [asked, setAsked] = useState<Location | null>(null)
  useEffect(() => {
    if (blocker.state === 'blocked') setAsked(blocker.location)
  }, [blocker])
  const navigate = useNavigate()
  const leave = (to: Location) => {
    if (blocker.state === 'blocked') return blocker.proceed()
    isLeaving.current = true
    navigate(to)
    isLeaving.current = false
  }
  return (
    <>
      <span ref={marker} hidden />
      <ConfirmDialog
        isOpen={asked !== null}
        title="Unsaved changes"
        question={`Are you sure you want to cancel and exit ${mode} the ${noun}? Any unsaved changes will be lost.`}
        cancelLabel="NO"
        actionLabel="YES"
        onCancel={() => {
          setAsked(null)
          blocker.reset?.()
        }}
        onConfirm={() => {
          setAsked(null)
          discardDraftOf(form())
          if (asked) leave(asked)
        }}
      />
    </>
  )
}

/** Between the steps of a form, what is typed goes on as a draft, and is not saved. */
const unsavedIntents: unknown[] = [nextStep, previousStep]

/** Runs when a post of this page's form has come back without a refusal. */
function useSaved(onSaved: () => void): void {
  const { state, formData } = useNavigation()
  // A small form beside this one posts no id.
  const isSave = formData?.has(formIdField) && !unsavedIntents.includes(formData.get('intent'))
  const answer = useActionData<{ fieldErrors?: unknown } | null>()
  const isPosting = useRef(false)
  const latest = useRef(onSaved)
  latest.current = onSaved
  useEffect(() => {
    if (state !== 'idle') {
      if (isSave) isPosting.current = true
      return
    }
    if (isPosting.current && !answer?.fieldErrors) latest.current()
    isPosting.current = false
  }, [state, isSave, answer])
}

function pathOf(pathname: string): string {
  return pathname.replace(/\/+$/, '')
}
