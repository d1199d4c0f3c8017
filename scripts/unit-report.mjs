/**
 * A Vitest reporter that writes what `npm test` counts and names at its end to the file UNIT_REPORT.
 *
 * Vitest's own JSON lists tests only: a hook that fails, a process that dies and an error outside of all tests end the
 * run with an exit code and no name.
 */
import fs from 'node:fs'

/** @typedef {{ passed: number, failures: string[] }} UnitReport `failures` has a name, and what went wrong, for each */

export default class UnitReporter {
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly import('vitest/node').SerializedError[]} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    const failures = [
      ...modules.flatMap((module) => failuresOf(module)),
      ...unhandled.map((error) => described('an error outside of all tests', error)),
    ]
    const passed = modules.flatMap((module) => [...module.children.allTests('passed')]).length
    /** @type {UnitReport} */
    const report = { passed, failures }
    fs.writeFileSync(process.env.UNIT_REPORT ?? '/dev/null', JSON.stringify(report))
  }
}

/** @param {import('vitest/node').TestModule} module @returns {string[]} */
function failuresOf(module) {
  const file = module.relativeModuleId
  const suites = [module, ...module.children.allSuites()]
  return [
    ...suites.flatMap((suite) =>
      suite.errors().map((error) => described(suite.type === 'module' ? file : `${file}: ${suite.fullName}`, error)),
    ),
    ...[...module.children.allTests('failed')].map((test) =>
      described(`${file}: ${test.fullName}`, test.result().errors?.[0]),
    ),
    ...[...module.children.allTests('pending')].map((test) => `${file}: ${test.fullName}\ndid not finish`),
  ]
}

/** @param {string} name @param {{ stack?: string, message: string } | undefined} error */
function described(name, error) {
  return `${name}\n${error?.stack || error?.message || ''}`
}
