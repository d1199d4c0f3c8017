import { type FailedTest, failedTestText } from '~/lib/failed-test.ts'
import { fullTitleOf } from './unit-groups.ts'

type Unit = {
  uid: string
  title: string
  block: string | null
  percent: number
  score: number | null
  failedTest: FailedTest
}

/** Says why a module is not completed: how many of its units are, and which tests are not passed yet. */
export function WhatIsMissing({ units }: { units: Unit[] }) {
  const done = units.filter(({ percent }) => percent === 100).length
  return (
    <>
      {units.length > 1 && (
        <p className="small num mt-1">
          {done} of {units.length} units done
        </p>
      )}
      <FailedTests units={units} isRequired />
    </>
  )
}

/** Names the tests that are not passed; with `isRequired`, only those that must be. */
export function FailedTests({ units, isRequired = false }: { units: Unit[]; isRequired?: boolean }) {
  return units
    .filter((unit) => (isRequired ? unit.failedTest === 'required' : failedTestText(unit)))
    .map((unit) => (
      <p className="small mt-1" key={unit.uid}>
        {units.length > 1 && `${fullTitleOf(unit)}: `}
        {failedTestText(unit)}
      </p>
    ))
}
