/** `npm run NAME -- …`: one command of the product, on the database that runs here, or on one started for as long as it takes. */
import './node-version.mjs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbedded, visitEmbedded, whoRunsEmbedded } from '../server/embedded-pg.mjs'
import { bootstrap, hasBuild } from './bootstrap.mjs'
import { checkDatabaseAddress } from './checks.mjs'
import { beforeEnd, exitOf, runCommand, startChild } from './lifecycle.mjs'

runCommand(async () => {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)))
  process.env.NODE_ENV ||= 'production'
  const databaseFolder = path.join(process.env.DATA_DIR || '.data', 'pg')
  const isRunning = !process.env.DATABASE_URL && whoRunsEmbedded(databaseFolder) !== null
  if (process.env.DATABASE_URL) await checkDatabaseAddress(process.env.DATABASE_URL)
  if (!isRunning || !hasBuild()) await bootstrap() // never rebuild under a running product
  process.env.DATABASE_URL ||= await embeddedUrl(databaseFolder)
  const args = ['--enable-source-maps', 'dist/commands.js', ...process.argv.slice(2)]
  return exitOf(startChild(process.execPath, args, { stdio: 'inherit', detached: false }))
})

/** @param {string} dir */
async function embeddedUrl(dir) {
  const running = await visitEmbedded(dir)
  if (running !== null) return running
  const starting = startEmbedded({ dir, name: `npm run ${process.argv[2]}`, say: console.log })
  beforeEnd(async () => (await starting.catch(() => null))?.stop())
  return (await starting).url
}
