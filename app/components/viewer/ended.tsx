import { LaunchForm } from '../modules/launch-form.tsx'
import { AgainFields, againIntent } from './again-fields.tsx'
import type { ViewerLaunch } from './launch.ts'

/** A session's address works once. After a reload, or from the history, the same unit is opened anew, at the place it kept. */
export function Ended({ launch }: { launch: ViewerLaunch }) {
  const unit = launch.units.find(({ isCurrent }) => isCurrent)
  return (
    <div className="where">
      <h2>{launch.launchUrl ? 'This page was loaded again' : 'This session has ended'}</h2>
      <p className="muted max-w-measure">
        {launch.launchUrl
          ? 'A module opens once for each start. If it is still open in another window, go on there; opening it here ends it there.'
          : 'What you did in it is recorded. Open the module again to go on where you were.'}
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
