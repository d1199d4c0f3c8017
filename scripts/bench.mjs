/** `npm run bench`: installs and builds what is out of date, then measures (bench/run.ts). */
import './node-version.mjs'
import { bootstrap } from './bootstrap.mjs'
import { exitOf, runCommand, startChild } from './lifecycle.mjs'

runCommand(async () => {
  await bootstrap()
  return exitOf(startChild(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...process.argv.slice(2)]))
})
