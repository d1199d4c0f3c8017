import { useEffect } from 'react'
import type { ViewerLaunch } from './launch.ts'

/** Shows the site's survey once, after the first completion and before the close-out menu. */
export function Survey({ launch, onEnd }: { launch: ViewerLaunch; onEnd: () => void }) {
  const isDue = launch.isCompleted && launch.survey !== null
  useEffect(() => {
    // The reload that is running says whether the module is completed now. It has 1.5 seconds to arrive.
    if (isDue) return
    const timer = window.setTimeout(onEnd, 1500)
    return () => window.clearTimeout(timer)
  }, [isDue, onEnd])
  if (!isDue || launch.survey === null) return <div className="where" aria-busy="true" />
  const address = new URL(launch.survey)
  address.searchParams.set('module', launch.module.uid)
  return (
    <>
      <div className="flex items-center gap-4 px-4 py-2">
        <h2 className="flex-1 text-xl">What did you think of this module?</h2>
        <button className="btn btn--secondary" type="button" onClick={onEnd}>
          Continue
        </button>
      </div>
      <iframe src={address.href} title="Survey about this module" />
    </>
  )
}
