import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { runSql, startTestPostgres } from '../../support/test-postgres.ts'
import { productEnv } from './product-env.ts'

/**
 * Starts one PostgreSQL for the run, with the template that `npm start` would make: migrated, with reference data, demo
 * data and files, and with the jobs of all this done. A copy whose content is not indexed yet would find nothing.
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
    await finishJobs(template)
  } catch (error) {
    await end()
    throw error
  }
  process.env.TEST_TEMPLATE_URL = template.databaseUrl // workers are forked later and read these variables
  process.env.TEST_TEMPLATE_FILES = template.dataDir
  return end
}

/** Runs a worker until every queued job is done. */
async function finishJobs(template: { databaseUrl: string; dataDir: string }): Promise<void> {
  const client = new pg.Client({ connectionString: template.databaseUrl })
  await client.connect()
  const worker = spawn(process.execPath, ['dist/server.js'], {
    env: { ...productEnv(template), PROCESS_ROLE: 'worker' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(worker, 'exit')
  try {
    for (const deadline = Date.now() + 60_000; ; ) {
      const { rows } = await client.query(
        'select task_identifier, last_error from graphile_worker.jobs where run_at <= now() or last_error is not null',
      )
      if (rows.length === 0) break
      const failed = rows.find(({ last_error }) => last_error !== null)
      if (failed) throw new Error(`The job ${failed.task_identifier} failed: ${failed.last_error}`)
      if (Date.now() > deadline) throw new Error(`These jobs take too long: ${rows.map((job) => job.task_identifier)}`)
      if (worker.exitCode !== null) throw new Error('dist/server.js ended before its jobs were done')
      await sleep(50)
    }
  } finally {
    // The database can be copied only while nobody is connected to it.
    worker.kill('SIGTERM')
    await ended
    await client.end()
  }
}
