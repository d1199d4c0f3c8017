/** `npm run build`: the app (build/) and the processes around it (dist/). */
import { exitOf, runCommand, startChild } from './lifecycle.mjs'

runCommand(async () => {
  // Rollup uses one core, so both together take little longer than the longer one.
  const codes = await Promise.all([
    run('.bin/remix', 'vite:build'),
    run('.bin/vite', 'build', '-c', 'vite.server.config.ts'),
  ])
  const failed = codes.find((code) => code !== 0)
  if (failed !== undefined) return failed
  await import('./build-players.mjs')
  await import('./precompress.mjs')
  return 0
})

/** @param {string} tool @param {string[]} args @returns {Promise<number>} the exit code */
function run(tool, ...args) {
  return exitOf(startChild(process.execPath, [`node_modules/${tool}`, ...args]))
}
