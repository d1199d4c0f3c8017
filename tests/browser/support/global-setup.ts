import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { runSql, startTestPostgres } from '../../support/test-postgres.ts'
import { productEnv } from './product-env.ts'

/**
 * Starts one PostgreSQL for the run, with the template that `npm start` would make: migrated, with reference data, demo
 * data and files.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const { urlOf, home, end } = await startTestPostgres('npm test')
  const template = { databaseUrl: urlOf('template'), dataDir: path.join(home, 'template-files') }
  try {
    mkdirSync(template.dataDir)
    await runSql(template.databaseUrl, 'create database template')
    const made = spawnSync(process.execPath, ['dist/setup.js'], {
      env: productEnv({ ...template, SEED_DEMO: '1' }),
      encoding: 'utf8',
    })
    if (made.status !== 0) throw new Error(`dist/setup.js failed:\n${made.stdout}${made.stderr}`)
    process.env.TEST_DEMO_PASSWORD = /with the password (\S+)/.exec(made.stdout)?.[1]
  } catch (error) {
    await end()
    throw error
  }
  process.env.TEST_TEMPLATE_URL = template.databaseUrl // workers are forked later and read these variables
  process.env.TEST_TEMPLATE_FILES = template.dataDir
  return end
}
