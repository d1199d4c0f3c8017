/** In the background after the start of a new demo: a year of its people. What a start that was cut off has left undone, the next one does. */
import { parseEnv } from '../app/config/env.server.ts'
import { createDatabase } from '../db/client.server.ts'
import { isActivityDue, seedActivity } from '../seed/activity/activity.ts'

const aborter = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => aborter.abort())
// The process that started this one was killed. Its next start begins another filler, and two would disturb each other.
process.on('disconnect', () => process.exit(1))

async function main(): Promise<void> {
  const { db, pool } = createDatabase({ connectionString: parseEnv(process.env).DATABASE_URL, poolSize: 2 })
  try {
    if (!(await isActivityDue(db))) return
    const begunAt = Date.now()
    console.log('Demo      filling the site with a year of activity; everything can be used meanwhile')
    const isWhole = await seedActivity(db, { signal: aborter.signal })
    const seconds = Math.round((Date.now() - begunAt) / 1000)
    console.log(
      isWhole ? `Demo      a year of activity is there (${seconds} s)` : 'Demo      the next start goes on with it',
    )
  } finally {
    await pool.end()
  }
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(`Demo      the year of activity is not whole, the next start goes on with it: ${error.stack}`)
    process.exit(1)
  },
)
