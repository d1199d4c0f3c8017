/**
 * A test that was failed and never passed. `required`: the unit or module is not done before it is passed. `optional`:
 * passing is not required. Null if there is no such test.
 */
export type FailedTest = 'required' | 'optional' | null

/**
 * Describes a failed test: "Not passed yet, 33%. Try again" or, where passing was not required, "Completed · test not
 * passed, 33%". Null if there is nothing to say, also before completion where passing is not required. `score` is the
 * best, in percent.
 */
export function failedTestText(result: {
  percent: number | null
  failedTest: FailedTest
  score: number | null
}): string | null {
  const score = result.score === null ? '' : `, ${result.score}%`
  if (result.failedTest === 'required') return `Not passed yet${score}. Try again`
  return result.failedTest === 'optional' && result.percent === 100 ? `Completed · test not passed${score}` : null
}

/** For so many days after failing a test that they must pass, learners count as failing, unless they pass it. */
export const failingDays = 30
