import { Link, useFetcher, useRevalidator } from '@remix-run/react'
import { useEffect } from 'react'
import { Icon } from '../../ui/icon.tsx'
import type { VersionView } from './view.ts'

const pollInterval = 2000
/** Shows the state of reading the newest package. It asks every two seconds until reading is over. */
export function PackageState({ moduleUid, version }: { moduleUid: string; version: VersionView }) {
  const status = version.package?.status
  const isPending = status === 'uploaded' || status === 'processing'
  const fetcher = useFetcher<{ status: string | null }>()
  const revalidator = useRevalidator()
  const known = fetcher.data?.status
  const isOver = isPending && known !== undefined && known !== null && known !== 'uploaded' && known !== 'processing'
  const { load } = fetcher
  const { revalidate } = revalidator

  useEffect(() => {
    if (!isPending || isOver) return
    const timer = setInterval(() => load(`/dashboard/modules/${moduleUid}/status/`), pollInterval)
    return () => clearInterval(timer)
  }, [isPending, isOver, load, moduleUid])
  useEffect(() => {
    if (isOver) revalidate()
  }, [isOver, revalidate])

  return (
    <div role="status" aria-live="polite">
      {isPending && (
        <div className="notice">
          <Icon name="clock" />
          <div>
            <p>
              <strong>The package of {version.label} is being read</strong>
              This takes a few seconds. You can then preview and publish the module.
            </p>
            <noscript>
              <Link to={`/dashboard/modules/${moduleUid}/`}>Check again</Link>
            </noscript>
          </div>
        </div>
      )}
      {status === 'error' && (
        <div className="notice notice--error">
          <Icon name="alert" />
          <p>
            <strong>The package of {version.label} cannot be used</strong>
            <span className="packagemessage">{version.package?.message ?? 'Please upload it again.'}</span>
          </p>
        </div>
      )}
      {status === 'parsed' && (
        <div className="notice notice--success">
          <Icon name="check" />
          <p>
            The package of {version.label} is ready
            {version.status === 'draft' ? ' and can be previewed and published.' : ' and published.'}
          </p>
        </div>
      )}
      {status === 'parsed' && version.package?.message && (
        <div className="notice notice--warning mt-4">
          <Icon name="alert" />
          <p>
            <strong>Not all of {version.label} can be opened here</strong>
            <span className="packagemessage">{version.package.message}</span>
          </p>
        </div>
      )}
    </div>
  )
}
