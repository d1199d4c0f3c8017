import { useRevalidator } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { LaunchForm } from '../modules/launch-form.tsx'
import { fullTitleOf } from '../modules/unit-groups.ts'
import { FailedTests, WhatIsMissing } from '../modules/what-is-missing.tsx'
import { Icon } from '../ui/icon.tsx'
import { CloseLink } from './close-link.tsx'
import { completedText, nextUnitOf, type ViewerLaunch } from './launch.ts'

type Props = MenuProps & {
  hasMenu: boolean
  /** The page was loaded again, and may still continue by itself. */
  isLate?: boolean
}

/** The close-out menu, shown after the learner has left the content. */
export function WhereNow({ hasMenu, isLate, ...props }: Props) {
  const { launch } = props
  return (
    <div className={isLate ? 'where where--late' : 'where'}>
      <div role="status">
        <Result launch={launch} />
      </div>
      {hasMenu && <Menu {...props} />}
    </div>
  )
}

/**
 * Says that the module is completed only if it is. Says nothing while the new progress loads, but takes its room:
 * otherwise the buttons below would move while somebody presses one, and the press would be lost.
 */
function Result({ launch }: { launch: ViewerLaunch }) {
  const isLoading = useRevalidator().state === 'loading'
  const { module, percent, units } = launch
  if (percent === 100) {
    return (
      <>
        <p className="notice notice--success">
          <Icon name="check" />
          <span>{completedText(module.name)}</span>
        </p>
        <div className="muted">
          <FailedTests units={units} />
        </div>
      </>
    )
  }
  return (
    // With a new key, what was invisible is announced.
    <div key={String(isLoading)} className={isLoading ? 'invisible' : undefined}>
      <p className="notice">
        <Icon name="info" />
        <span>Your place in {module.name} is kept.</span>
      </p>
      <div className="muted">
        {units.length === 1 && <p className="small num">{percent}% done</p>}
        <WhatIsMissing units={units} />
      </div>
    </div>
  )
}

type MenuProps = { launch: ViewerLaunch; onClose: () => boolean }

function Menu({ launch, onClose }: MenuProps) {
  const { module, nextModule, from, units } = launch
  const nextUnit = nextUnitOf(units)
  // Who leaves a unit before its end is about to stop, not to go on.
  const isUnitDone = units.some(({ isCurrent, percent }) => isCurrent && percent === 100)
  const goesOn = isUnitDone && (nextUnit !== null || nextModule !== null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        Where would you like to go now?
      </h2>
      {(nextUnit || nextModule) && <p className="muted">Next: {nextUnit ? fullTitleOf(nextUnit) : nextModule?.name}</p>}
      <div className="acts">
        {nextUnit && (
          <LaunchForm
            versionUid={module.versionUid}
            intent="resume"
            className={`btn btn--wide ${isUnitDone ? 'btn--primary' : 'btn--secondary'}`}
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
            className={`btn btn--wide ${isUnitDone && !nextUnit ? 'btn--primary' : 'btn--secondary'}`}
            from={from}
            replace
          >
            GO TO NEXT MODULE
          </LaunchForm>
        )}
        <CloseLink className={`btn ${goesOn ? 'btn--secondary' : 'btn--primary'}`} from={from} onClose={onClose}>
          CLOSE MODULE
        </CloseLink>
        <LaunchForm
          versionUid={module.versionUid}
          intent="restart"
          className="btn btn--quiet btn--wide"
          from={from}
          replace
        >
          RESTART THIS MODULE
        </LaunchForm>
        <p className="small muted">
          Opens {units.length > 1 ? 'the first unit' : 'the module'} again. Your progress and best score are kept.
        </p>
      </div>
    </>
  )
}
