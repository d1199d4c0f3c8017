import { Link, useFetcher, useLocation, useRevalidator } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { useShell } from '../../layout/shell.ts'
import { CsrfField, useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Titer } from '../../ui/titer.tsx'
import { NameBox } from '../name-box.tsx'
import type { BulkView } from './view.ts'

/** Milliseconds between two requests for the progress. The first one comes sooner, because most operations are short. */
const every = 1500
const atFirst = 400

type Props = {
  operation: BulkView
  /** Tells it from another one on the same page. */
  name?: string
}

/**
 * Shows how far a bulk operation is, with Cancel, and what failed. While it runs and the page is visible, its progress is
 * requested again and again; without JavaScript there is a link for that.
 */
export function BulkProgress({ operation: given, name }: Props) {
  const operation = useLatest(given)
  const { status, total, done, failed, unchanged, noun, past } = operation
  const count = (number: number) => `${number.toLocaleString('en')} ${number === 1 ? noun[0] : noun[1]}`
  const succeeded = done - failed - unchanged
  const left = total - done
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100)
  const isRunning = status === 'running'
  const hasFullySucceeded = status === 'done' && failed === 0
  return (
    <section className="bulk" aria-label={`${isRunning ? 'Progress' : 'Result'}${name ? ` of ${name}` : ''}`}>
      {isRunning && (
        <>
          <p className="bulk-count">
            <strong>
              {done.toLocaleString('en')} of {count(total)}
            </strong>
            <span className="muted"> · started {operation.startedAt}</span>
          </p>
          <Titer percent={percent} label={operation.title} />
          <p className="muted">You can close this page. The work continues, and you can come back to it here.</p>
          <Actions operation={operation} canCancel={left > 0} />
        </>
      )}
      <div role="status">
        {isRunning ? (
          <p className="sr-only">{spoken(percent)}</p>
        ) : (
          <div className={`notice ${hasFullySucceeded ? 'notice--success' : 'notice--warning'}`}>
            <Icon name={hasFullySucceeded ? 'check' : 'alert'} />
            <p>
              <strong>
                {count(succeeded)} {past}
                {failed > 0 && `, ${failed.toLocaleString('en')} not`}
                {unchanged > 0 &&
                  `, ${unchanged.toLocaleString('en')} ${unchanged === 1 ? 'was' : 'were'} already ${past}`}
              </strong>
              {endings[status]} {status !== 'done' && `${count(left)} left as ${left === 1 ? 'it was' : 'they were'}.`}{' '}
              Started {operation.startedAt}.
            </p>
          </div>
        )}
      </div>
      <Failures operation={operation} />
    </section>
  )
}

const endings = {
  prepared: 'It has not been confirmed.',
  running: '',
  done: '',
  canceled: 'It was canceled.',
  failed: 'It stopped because of an error, which has been logged.',
} as const

/** A screen reader is told every quarter, and not every second. */
function spoken(percent: number): string {
  return `${Math.floor(percent / 25) * 25}% done`
}

/**
 * The current state of the operation. When it is first shown as ended, the page around it is loaded again: even if it
 * arrived with this state, the page's other loaders may have read their rows before its last change.
 */
function useLatest(given: BulkView): BulkView {
  const fetcher = useFetcher<{ operation: BulkView }>()
  const known = fetcher.data?.operation.uid === given.uid ? fetcher.data.operation : given
  // The page may have been loaded again since the last request.
  const latest = given.status !== 'running' || given.done > known.done ? given : known
  const isRunning = latest.status === 'running'
  const address = addressOf(given.uid)
  const { load, state } = fetcher
  const isIdle = useRef(true)
  isIdle.current = state === 'idle'
  useEffect(() => {
    if (!isRunning) return
    const ask = () => isIdle.current && !document.hidden && load(address)
    const first = setTimeout(ask, atFirst)
    const timer = setInterval(ask, every)
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearTimeout(first)
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [isRunning, load, address])
  useFreshPage(isRunning ? null : given.uid)
  return latest
}

/**
 * Loads the page again when an operation has ended. If somebody leaves first, as by closing the dialog, the next page is
 * loaded again instead: a table under a dialog would otherwise keep its rows.
 */
function useFreshPage(endedUid: string | null): void {
  const { revalidate, state } = useRevalidator()
  const ended = useRef<string | null>(null)
  const isDue = useRef(false)
  const isLoading = useRef(false)
  useEffect(() => {
    if (endedUid === null || ended.current === endedUid) return
    ended.current = endedUid
    isDue.current = true
    revalidate()
  }, [endedUid, revalidate])
  useEffect(() => {
    if (isLoading.current && state === 'idle') isDue.current = false
    isLoading.current = state === 'loading'
  }, [state])
  useEffect(() => () => void (isDue.current && revalidate()), [revalidate])
}

function addressOf(uid: string): string {
  return `/dashboard/operations/${uid}/`
}

function Actions({ operation, canCancel }: { operation: BulkView; canCancel: boolean }) {
  const { csrf } = useShell()
  const { pathname, search } = useLocation()
  const isHydrated = useHydrated()
  const fetcher = useFetcher()
  const isCanceling = fetcher.state !== 'idle'
  return (
    <div className="bulk-actions">
      {!isHydrated && (
        <Link className="btn btn--secondary" to={pathname + search}>
          Refresh
        </Link>
      )}
      {canCancel && (
        <fetcher.Form method="post" action={addressOf(operation.uid)}>
          <CsrfField token={csrf} />
          <button
            className="btn btn--secondary"
            type="submit"
            aria-disabled={isCanceling || undefined}
            onClick={(event) => isCanceling && event.preventDefault()}
          >
            Cancel the rest
          </button>
        </fetcher.Form>
      )}
    </div>
  )
}

function Failures({ operation: { failed, failures } }: { operation: BulkView }) {
  if (failures.length === 0) return null
  return (
    <div className="bulk-list">
      <h3>Not done</h3>
      <NameBox label="Not done">
        {failures.map(({ itemUid, label, reason }) => (
          <li key={itemUid}>
            {label}
            <span className="muted small"> · {reason}</span>
          </li>
        ))}
      </NameBox>
      {failed > failures.length && (
        <p className="muted">
          The first {failures.length} of {failed.toLocaleString('en')} are shown.
        </p>
      )}
    </div>
  )
}
