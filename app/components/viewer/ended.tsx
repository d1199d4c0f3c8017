import { LaunchForm } from '../modules/launch-form.tsx'
import { AgainFields, againIntent } from './again-fields.tsx'
import type { ViewerLaunch } from './launch.ts'

/**
 * Appears after a reload or from the history, because a session's address works once. It offers to launch the unit
 * again.
 */
export function Ended({ launch }: { launch: ViewerLaunch }) {
  const unit = launch.units.find(({ isCurrent }) => isCurrent)
  return (
    <div className="where">
      <h2>{launch.launchUrl ? 'This page was loaded again' : 'This session has ended'}</h2>
      <p className="muted max-w-measure">
        {launch.launchUrl
          ? 'If the module is still open in another window, continue there. If you open it here, that session ends.'
          : 'Your work is recorded. Open the module again to continue where you were.'}
      </p>
      <div className="acts">
        <LaunchForm
          versionUid={launch.module.versionUid}
          intent={againIntent(launch)}
          className="btn btn--primary btn--wide"
          from={launch.from}
          replace
          fields={
            <>
              <input type="hidden" name="unitUid" value={unit?.uid ?? ''} />
              <AgainFields launch={launch} />
            </>
          }
        >
          Open it again
        </LaunchForm>
      </div>
    </div>
  )
}
