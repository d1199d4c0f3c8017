import { Link } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { LaunchForm } from '../modules/launch-form.tsx'
import { WhatIsMissing } from '../modules/what-is-missing.tsx'
import { Icon } from '../ui/icon.tsx'
import { nextUnitOf, type ViewerLaunch } from './launch.ts'

/** The close-out menu, shown after the learner has left the content. */
export function WhereNow({ launch, hasMenu }: { launch: ViewerLaunch; hasMenu: boolean }) {
  return (
    <div className="where">
      <p className="notice notice--success" role="status">
        <Icon name="check" />
        <span>Completed viewing module: {launch.module.name}</span>
      </p>
      {launch.percent < 100 && (
        <div className="muted">
          <WhatIsMissing units={launch.units} />
        </div>
      )}
      {hasMenu && <Menu launch={launch} />}
    </div>
  )
}

function Menu({ launch }: { launch: ViewerLaunch }) {
  const { module, nextModule, from, units } = launch
  const nextUnit = nextUnitOf(units)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        Where would you like to go now?
      </h2>
      {(nextUnit || nextModule) && <p className="muted">Next: {nextUnit?.title ?? nextModule?.name}</p>}
      <div className="acts">
        {nextUnit && (
          <LaunchForm
            versionUid={module.versionUid}
            intent="resume"
            className="btn btn--primary btn--wide"
            from={from}
            replace
            fields={<input type="hidden" name="unitUid" value={nextUnit.uid} />}
          >
            GO TO NEXT UNIT
          </LaunchForm>
        )}
        {nextModule && (
          <LaunchForm
            versionUid={nextModule.versionUid}
            intent="next"
            className={`btn btn--wide ${nextUnit ? 'btn--secondary' : 'btn--primary'}`}
            from={from}
            replace
          >
            GO TO NEXT MODULE
          </LaunchForm>
        )}
        <Link className="btn btn--secondary" to={from} replace>
          CLOSE MODULE
        </Link>
        <LaunchForm
          versionUid={module.versionUid}
          intent="restart"
          className="btn btn--quiet btn--wide"
          from={from}
          replace
        >
          RESTART THIS MODULE
        </LaunchForm>
      </div>
    </>
  )
}
