/**
 * `npm run NAME -- …`: runs one command of the product, on the running database or on one that it starts temporarily.
 */
import './node-version.mjs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { embeddedOwner, findEmbedded, startEmbedded } from '../server/embedded-pg.mjs'
import { bootstrap, hasBuild } from './bootstrap.mjs'
import { checkDatabaseAddress } from './checks.mjs'
import { beforeEnd, exitOf, runCommand, startChild } from './lifecycle.mjs'

runCommand(async () => {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)))
  process.env.NODE_ENV ||= 'production'
  const databaseFolder = path.join(process.env.DATA_DIR || '.data', 'pg')
  const isRunning = !process.env.DATABASE_URL && embeddedOwner(databaseFolder) !== null
  if (process.env.DATABASE_URL) await checkDatabaseAddress(process.env.DATABASE_URL)
  if (!isRunning || !hasBuild()) await bootstrap() // never rebuild while the product is running
  process.env.DATABASE_URL ||= await embeddedUrl(databaseFolder)
  if (process.argv[2] !== 'preview') return run(['dist/commands.js', ...process.argv.slice(2)])
  process.env.SEED_DEMO ||= 'auto'
  // A running product has already set up its database.
  const setUp = isRunning ? 0 : await run(['dist/setup.js'])
  if (setUp !== 0) return setUp
  process.env.HOST ||= '127.0.0.1'
  return run(['node_modules/@remix-run/serve/dist/cli.js', 'dist/preview.js'])
})

/** @param {string[]} args @returns {Promise<number>} the exit code */
function run(args) {
  return exitOf(startChild(process.execPath, args, { stdio: 'inherit', detached: false }))
}

/** @param {string} dir */
async function embeddedUrl(dir) {
  const running = await findEmbedded(dir)
  if (running !== null) return running
  const starting = startEmbedded({ dir, name: `npm run ${process.argv[2]}`, say: console.log })
  beforeEnd(async () => (await starting.catch(() => null))?.stop())
  return (await starting).url
}
