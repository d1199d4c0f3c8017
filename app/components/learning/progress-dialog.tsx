import { useFetcher } from '@remix-run/react'
import { type KeyboardEvent, useEffect } from 'react'
import { createPortal } from 'react-dom'
import { useModal } from '../ui/modal.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { ProgressFoot, type ProgressPage, type ProgressTab, ProgressTable, progressAddress } from './progress-table.tsx'

const tabs: { key: ProgressTab; label: string }[] = [
  { key: 'modules', label: 'Modules' },
  { key: 'courses', label: 'Courses' },
]

/** Shows /my-progress/ in a dialog over the current page. */
export function ProgressDialog({ onClose }: { onClose: () => void }) {
  const ref = useModal()
  const { load, data: page } = useFetcher<ProgressPage>()
  useEffect(() => {
    load(progressAddress({ tab: 'modules', page: 1, size: 10 }))
  }, [load])
  const close = () => ref.current?.close()
  const show = (change: Partial<ProgressPage>) => {
    const now = page ?? { tab: 'modules' as const, page: 1, size: 10 }
    load(progressAddress({ ...now, ...change }))
  }
  const selected = page?.tab ?? 'modules'
  const moveByKey = (event: KeyboardEvent) => {
    const other = selected === 'courses' ? 'modules' : 'courses'
    const to = { ArrowLeft: other, ArrowRight: other, Home: 'modules', End: 'courses' }[event.key] as
      | ProgressTab
      | undefined
    if (!to) return
    event.preventDefault()
    if (to !== selected) show({ tab: to, page: 1 })
    document.getElementById(`progress-${to}`)?.focus()
  }
  return createPortal(
    <dialog ref={ref} className="dlg dlg--progress" aria-labelledby="progress-title" onClose={onClose}>
      <header>
        <h2 id="progress-title">My Progress</h2>
      </header>
      <div className="in">
        <div className="tabs" role="tablist" aria-label="My Progress" onKeyDown={moveByKey}>
          {tabs.map(({ key, label }) => (
            <button
              key={key}
              id={`progress-${key}`}
              type="button"
              role="tab"
              aria-selected={key === selected}
              aria-controls="progress-panel"
              tabIndex={key === selected ? 0 : -1}
              onClick={() => show({ tab: key, page: 1 })}
            >
              {label}
            </button>
          ))}
        </div>
        <div id="progress-panel" role="tabpanel" aria-labelledby={`progress-${selected}`}>
          {page ? <ProgressTable page={page} onFollow={close} /> : <Skeleton rows={6} />}
          {page && (
            <ProgressFoot
              page={page}
              link={(change, label, name) => (
                <button className="btn btn--quiet" type="button" aria-label={name} onClick={() => show(change)}>
                  {label}
                </button>
              )}
            />
          )}
        </div>
      </div>
      <footer>
        <button className="btn btn--secondary" type="button" onClick={close}>
          Close
        </button>
      </footer>
    </dialog>,
    document.body,
  )
}
