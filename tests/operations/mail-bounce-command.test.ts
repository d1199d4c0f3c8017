/** `npm run mail:bounce`: a mail server pipes a mail and understands the exit code. */
import { spawnSync } from 'node:child_process'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'

function pipe(databaseUrl: string, input: string, ...args: string[]) {
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'production' as const,
    DATABASE_URL: databaseUrl,
    MAIL_RETURN_ADDRESS: 'bounce+{token}@mail.example.org',
    LOG_LEVEL: 'silent',
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/commands.js', 'mail:bounce', ...args], {
    env,
    input,
    encoding: 'utf8',
  })
  return { status, text: stdout + stderr }
}

test('a report is recorded; other mail is taken, nonsense is refused, and without a database it is tried again', async () => {
  const databaseUrl = await freshDatabase()
  const { db, close } = await openTestDatabase(databaseUrl)
  onTestFinished(close)
  const { rows } = await sql<{ token: string }>`
    insert into mails (site_id, kind, subject, state, address, address_key)
    select id, 'message', 'News', 'accepted', 'ada@titrate.example', 'ada@titrate.example'
    from sites where key = 'ns' returning token`.execute(db)
  const report = `X-Original-To: bounce+${rows[0]?.token}@mail.example.org
From: MAILER-DAEMON@mx.example.org
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; ada@titrate.example
Action: failed
Status: 5.1.1

--b--
${'z'.repeat(5_000_000)}
`
  expect(pipe('postgres://nobody@127.0.0.1:1/none', report).status).toBe(75)
  expect(pipe(databaseUrl, report)).toEqual({ status: 0, text: 'The mail has come back.\n' })
  const again = pipe(databaseUrl, report)
  expect(again.status).toBe(0)
  expect(again.text).toContain('Nothing new')
  expect(pipe(databaseUrl, 'From: ada@titrate.example\n\nI am away.\n').status).toBe(0)
  expect(pipe(databaseUrl, 'nonsense')).toEqual({ status: 65, text: 'This is not a mail.\n' })
  expect(pipe(databaseUrl, report, 'more').status).toBe(64)
  const { rows: states } = await sql<{ state: string }>`select state from mails`.execute(db)
  expect(states).toEqual([{ state: 'bounced' }])
})
