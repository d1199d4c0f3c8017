import { useRef } from 'react'
import { Icon } from '../ui/icon.tsx'
import { AgainForm } from './again-fields.tsx'
import { useContinuing } from './continuing.ts'
import type { ViewerLaunch } from './launch.ts'
import { WhereNow } from './where-now.tsx'

/**
 * Appears after a reload or from the history, because a session's address works once. It launches the unit again: by
 * itself in the tab that had the unit, and otherwise if the person asks for it. Where the learner had left the unit, or
 * has completed the module, the close-out menu is there again.
 */
export function Ended({ launch, onClose }: { launch: ViewerLaunch; onClose: () => boolean }) {
  const unit = launch.units.find(({ isCurrent }) => isCurrent)
  const question = useRef<HTMLDivElement>(null)
  const isContinuing = useContinuing(launch.uid, question)
  const isAtEnd =
    !launch.launchUrl && (launch.isLeft || launch.percent === 100) && !launch.isPreview && !launch.isInWindow
  return (
    <>
      {isContinuing && (
        <p className="notice banner" role="status">
          <Icon name="info" />
          <span>Loading module: {launch.module.name}</span>
        </p>
      )}
      {isAtEnd && !isContinuing && <WhereNow launch={launch} hasMenu onClose={onClose} isLate />}
      <div ref={question} className="where where--late" hidden={isContinuing || isAtEnd}>
        <h2>{launch.launchUrl ? 'This page was loaded again' : 'This session has ended'}</h2>
        <p className="muted max-w-measure">
          {launch.launchUrl
            ? 'If the module is still open in another window, continue there. If you open it here, that session ends.'
            : 'What you did before it ended is recorded. Open the module again to continue.'}
        </p>
        <div className="acts">
          <AgainForm launch={launch} className="btn btn--primary btn--wide">
            <input type="hidden" name="unitUid" value={unit?.uid ?? ''} />
            {isContinuing && <input type="hidden" name="continues" value={launch.uid} />}
            {launch.isInWindow && <input type="hidden" name="window" value="same" />}
          </AgainForm>
        </div>
      </div>
    </>
  )
}
