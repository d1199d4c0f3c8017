import { Form, useFetcher, useLocation } from '@remix-run/react'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { notify, withdrawNotices } from '~/browser/notices.ts'
import type { Notice } from '~/lib/notice.ts'
import { useShell } from '../layout/shell.ts'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { announceSaved } from './saved.ts'

type SavedKind = 'module' | 'course' | 'video' | 'lecture'

type Answer = { count: number; hasRisen: boolean } | (Pick<Notice, 'about'> & { message: string })

const formId = 'favorites'
const action = '/favourites/'

/**
 * The form of all Save buttons, once on each learner page. With it the buttons work inside other forms and without
 * JavaScript.
 */
export function FavoritesForm() {
  const { csrf } = useShell()
  const { pathname, search } = useLocation()
  return (
    <Form id={formId} method="post" action={action} hidden>
      <CsrfField token={csrf} />
      <input type="hidden" name="from" value={pathname + search} />
    </Form>
  )
}

type Props = { kind: SavedKind; uid: string; name: string; isSaved: boolean; isLarge?: boolean }

/**
 * Saves or unsaves a thing. It posts "add" or "remove" and not "toggle", one request at a time, so that fast clicks and
 * other tabs cannot mix up the result.
 */
export function SaveButton({ kind, uid, name, isSaved, isLarge = false }: Props) {
  const { csrf } = useShell()
  const anchor = `save-${uid}`
  const { isOn, press } = useSaved({ kind, uid, isSaved, csrf })
  return (
    <button
      className={isLarge ? 'btn btn--secondary save' : 'iconbtn save'}
      type="submit"
      form={formId}
      formAction={`${action}?at=${anchor}`}
      id={anchor}
      name={isOn ? 'remove' : 'add'}
      value={`${kind}:${uid}`}
      aria-pressed={isOn}
      aria-label={`Save ${name}`}
      title={isLarge ? undefined : isOn ? 'Saved' : 'Save'}
      onClick={press}
    >
      <Icon name={isOn ? 'saved' : 'save'} />
      {isLarge && (isOn ? 'Saved' : 'Save')}
    </button>
  )
}

function useSaved({ kind, uid, isSaved, csrf }: Pick<Props, 'kind' | 'uid' | 'isSaved'> & { csrf: string | null }) {
  const { submit, state, data } = useFetcher<Answer>()
  const [wanted, setWanted] = useState<boolean | null>(null)
  const sent = useRef<boolean | null>(null)
  const isBusy = state !== 'idle'
  const body = { csrf: csrf ?? '', [wanted ? 'add' : 'remove']: `${kind}:${uid}` }
  useEffect(() => {
    if (wanted === null || isBusy || sent.current === wanted) return
    sent.current = wanted
    submit(body, { method: 'post', action })
  }, [wanted, isBusy, submit])
  useWhenLeaving(() => {
    const isAnswered = !isBusy && sent.current === wanted
    if (wanted !== null && !isAnswered) sendOnLeave(body)
  })
  useEffect(() => {
    if (!data) return
    if ('count' in data) {
      withdrawNotices('unsaved')
      return announceSaved(data)
    }
    // The server refused, so the button shows the server's state again.
    sent.current = null
    setWanted(null)
    notify({ kind: 'error', text: data.message, about: data.about })
  }, [data])
  const isOn = wanted ?? isSaved
  const press = (event: MouseEvent) => {
    event.preventDefault()
    setWanted(!isOn)
  }
  return { isOn, press }
}

/** Calls back when the page or the button goes away. */
function useWhenLeaving(callback: () => void) {
  const latest = useRef(callback)
  useEffect(() => {
    latest.current = callback
  })
  useEffect(() => {
    const leave = () => latest.current()
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('pagehide', leave)
      leave()
    }
  }, [])
}

/**
 * Sends the last choice when the page goes away, so that a waiting click is not lost. Sending "add" or "remove" twice
 * is safe.
 */
function sendOnLeave(body: Record<string, string>) {
  fetch(action, { method: 'POST', body: new URLSearchParams(body), keepalive: true, redirect: 'manual' }).catch(
    () => {},
  )
}
