import { Form } from '@remix-run/react'
import { Fragment } from 'react'
import { type FailedTest, failedTestText } from '~/lib/failed-test.ts'
import { useShell } from '../layout/shell.ts'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import { LaunchFields } from './launch-form.tsx'
import { fullTitleOf, groupByBlock } from './unit-groups.ts'

export type Unit = {
  uid: string
  title: string
  /** The titles of the blocks that the unit is in; null if it is in none. */
  block: string | null
  state: string
  percent: number
  score: number | null
  failedTest: FailedTest
  /** The unit opens in another program and not here. */
  isElsewhere: boolean
}

/** Lists the units in one form. The pressed button says which unit to open. */
export function UnitList({ units, versionUid }: { units: Unit[]; versionUid: string | null }) {
  const { csrf } = useShell()
  const list = (
    <>
      {groupByBlock(units).map(({ block, units: group }) => (
        <Fragment key={group[0]?.uid}>
          {block && <h3 className="mt-6 mb-2">{block}</h3>}
          <ol className="burette">
            {group.map((unit) => (
              <UnitItem
                key={unit.uid}
                unit={unit}
                number={units.indexOf(unit) + 1}
                canOpen={versionUid !== null && units.length > 1 && !unit.isElsewhere}
              />
            ))}
          </ol>
        </Fragment>
      ))}
    </>
  )
  if (!versionUid || units.length < 2) return list
  return (
    <Form method="post" action="/launch/">
      <CsrfField token={csrf} />
      <LaunchFields versionUid={versionUid} />
      {list}
    </Form>
  )
}

function UnitItem({ unit, number, canOpen }: { unit: Unit; number: number; canOpen: boolean }) {
  const Title = unit.block === null ? 'h3' : 'h4'
  return (
    <li className={classOf(unit)}>
      <span className="node" aria-hidden="true">
        {unit.percent === 100 ? <Icon name="check" /> : number}
      </span>
      <div>
        <Title>{unit.title}</Title>
        <p className="small muted">{describe(unit)}</p>
        {unit.isElsewhere && unit.percent < 100 && (
          <p className="small muted">This unit opens in another program and cannot be opened in a browser.</p>
        )}
        {unit.percent > 0 && unit.percent < 100 && (
          <Titer percent={unit.percent} label={`${fullTitleOf(unit)}, progress`} />
        )}
      </div>
      {canOpen && (
        <button
          className="btn btn--quiet"
          type="submit"
          name="unitUid"
          value={unit.uid}
          aria-label={`Open ${fullTitleOf(unit)}`}
        >
          Open
        </button>
      )}
    </li>
  )
}

function classOf(unit: Unit): string | undefined {
  if (unit.percent === 100) return 'is-done'
  return unit.percent > 0 || unit.state === 'in progress' ? 'is-now' : undefined
}

function describe(unit: Unit): string {
  const failed = failedTestText(unit)
  if (failed) return failed
  const state = unit.state === 'in progress' || unit.state === 'failed' ? `${unit.percent}% done` : unit.state
  const words = `${state.charAt(0).toUpperCase()}${state.slice(1)}`
  return unit.score === null ? words : `${words}, score ${unit.score}%`
}
