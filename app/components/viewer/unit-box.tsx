import { Form } from '@remix-run/react'
import { Fragment, useEffect, useRef } from 'react'
import { useShell } from '../layout/shell.ts'
import { LaunchFields } from '../modules/launch-form.tsx'
import { fullTitleOf, groupByBlock } from '../modules/unit-groups.ts'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import { AgainFields, againIntent } from './again-fields.tsx'
import { nextUnitOf, type ViewerLaunch, type ViewerUnit } from './launch.ts'

type Props = {
  launch: ViewerLaunch
  /** Folds the list away when it becomes true. */
  isFolded: boolean
}

/** Lists the units beside the content. Opening another unit is a launch, so the list is a form of buttons. */
export function UnitBox({ launch, isFolded }: Props) {
  const { csrf } = useShell()
  const box = useFolding(isFolded)
  const { units, percent, module } = launch
  const here = units.findIndex((unit) => unit.isCurrent) + 1
  const next = units[here - 1]?.percent === 100 && !launch.isPreview ? nextUnitOf(units) : null
  return (
    <details className="unitbox" ref={box}>
      <summary>
        <span className="word">Units</span>
        <span className="num truncate font-normal">
          {here} of {units.length}
          {next && <span className="next"> · Next: {fullTitleOf(next)}</span>}
        </span>
        <Icon name="chevron" className="i--turn" />
      </summary>
      <div className="unitlist">
        <div className="px-6 pt-4">
          <Titer percent={percent} label="Module progress" />
        </div>
        <Form method="post" action="/launch/" replace>
          <CsrfField token={csrf} />
          <LaunchFields versionUid={module.versionUid} from={launch.from} />
          <input type="hidden" name="intent" value={againIntent(launch)} />
          <AgainFields launch={launch} />
          {groupByBlock(units).map(({ block, units: group }) => (
            <Fragment key={group[0]?.uid}>
              {block && <p className="small px-6 pt-4">{block}</p>}
              <ol className="units">
                {group.map((unit) => (
                  <li key={unit.uid}>
                    {unit.isCurrent ? (
                      <span className="here" aria-current="step">
                        <UnitName unit={unit} />
                      </span>
                    ) : unit.isElsewhere ? (
                      <span className="there">
                        <UnitName unit={unit} />
                      </span>
                    ) : (
                      <button type="submit" name="unitUid" value={unit.uid}>
                        <UnitName unit={unit} />
                      </button>
                    )}
                  </li>
                ))}
              </ol>
            </Fragment>
          ))}
        </Form>
      </div>
    </details>
  )
}

/** Where the list unfolds over the content, whoever goes on in the content is done with it. */
function useFolding(isFolded: boolean) {
  const box = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const fold = () => box.current?.removeAttribute('open')
    if (isFolded) fold()
    const onBlur = () => document.activeElement instanceof HTMLIFrameElement && fold()
    window.addEventListener('blur', onBlur)
    return () => window.removeEventListener('blur', onBlur)
  }, [isFolded])
  return box
}

function UnitName({ unit }: { unit: ViewerUnit }) {
  const isDone = unit.percent === 100
  return (
    <>
      {isDone ? <Icon name="check" /> : <span className="o" />}
      <span>
        {unit.title}
        {isDone && <span className="sr-only">, completed</span>}
        {unit.isElsewhere && <span className="small"> (opens in another program)</span>}
      </span>
    </>
  )
}
