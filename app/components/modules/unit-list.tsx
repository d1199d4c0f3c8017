import { Form } from '@remix-run/react'
import { type FailedTest, failedTestText } from '~/lib/failed-test.ts'
import { useShell } from '../layout/shell.ts'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import { LaunchFields } from './launch-form.tsx'

export type Unit = {
  uid: string
  title: string
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
    <ol className="burette">
      {units.map((unit, index) => (
        <li key={unit.uid} className={classOf(unit)}>
          <span className="node" aria-hidden="true">
            {unit.percent === 100 ? <Icon name="check" /> : index + 1}
          </span>
          <div>
            <h3>{unit.title}</h3>
            <p className="small muted">{describe(unit)}</p>
            {unit.isElsewhere && unit.percent < 100 && (
              <p className="small muted">This unit opens in another program and cannot be opened in a browser.</p>
            )}
            {unit.percent > 0 && unit.percent < 100 && (
              <Titer percent={unit.percent} label={`${unit.title}, progress`} />
            )}
          </div>
          {versionUid && units.length > 1 && !unit.isElsewhere && (
            <button
              className="btn btn--quiet"
              type="submit"
              name="unitUid"
              value={unit.uid}
              aria-label={`Open ${unit.title}`}
            >
              Open
            </button>
          )}
        </li>
      ))}
    </ol>
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
