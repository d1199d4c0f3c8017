/** Recorded data is never lost if a process is killed in the middle. */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { prepareAssignment } from '~/services/assignments/assign-content.server.ts'
import { startAssignment } from '~/services/assignments/run-assignment.server.ts'
import { getBulkOperation } from '~/services/bulk/bulk.server.ts'
import { startInvitingList } from '~/services/invitations/invite-list.server.ts'
import { readEml } from '~/services/mail/eml.ts'
import { createSession } from '~/services/sessions/sessions.server.ts'
import { diskStorage } from '~/services/storage/disk.server.ts'
import { setStorage } from '~/services/storage/storage.server.ts'
import { prepareUpload, receiveUpload } from '~/services/uploads/uploads.server.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { fetchUnit } from '../../bench/unit.ts'
import { findEmbedded } from '../../server/embedded-pg.mjs'
import { aModule } from '../support/cmi5.ts'
import { eventually } from '../support/command.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { importPackage } from '../support/imports.ts'
import { expireKilledWorkers } from '../support/jobs.ts'
import { isLong } from '../support/long.ts'
import { courseXml, packageZip } from '../support/packages.ts'
import { aReadyStart, isServing, killPostgres, ownSettings, processesOf, type Settings } from '../support/start.ts'
import { aPicture } from '../support/uploads.ts'

vi.setConfig({ testTimeout: 300_000 })

const cmi5 = { id: 'https://w3id.org/xapi/cmi5/context/categories/cmi5' }
const moveOn = { id: 'https://w3id.org/xapi/cmi5/context/categories/moveon' }

async function databaseOf({ DATA_DIR = '' }: Settings) {
  const url = await findEmbedded(path.join(DATA_DIR, 'pg'))
  if (!url) throw new Error('The database is not there')
  return { url, ...createDatabase({ connectionString: url, poolSize: 2 }) }
}

/** Like a unit's client: sends again with the same id until it gets an answer. */
async function sendUntilStored(endpoint: string, headers: Record<string, string>, statement: object): Promise<void> {
  await eventually(async () => {
    const answer = await fetch(`${endpoint}/statements`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(statement),
      signal: AbortSignal.timeout(5000),
    }).catch(() => null)
    if (answer && answer.status >= 400 && answer.status < 500) throw new Error(await answer.text())
    return answer?.ok ?? false
  })
}

/** How a request ends that is sent after so many milliseconds, on a connection of its own. */
async function answerOrCut(settings: Settings, delayMs: number): Promise<'answer' | 'cut off' | 'no answer'> {
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  return new Promise((resolve) => {
    const sent = http
      .request({ host: '127.0.0.1', port: settings.PORT, path: '/login/', agent: false, timeout: 10_000 })
      .on('response', (response) => response.resume().once('close', () => resolve('answer')))
      .on('timeout', () => {
        resolve('no answer')
        sent.destroy()
      })
      .on('error', () => resolve('cut off'))
    sent.end()
  })
}

test.runIf(process.platform === 'linux')(
  'if web and PostgreSQL die in the middle of a module, nothing is lost or stored twice',
  async () => {
    const settings: Settings = { ...(await ownSettings()), WEB_PROCESSES: '2' }
    await aReadyStart(settings)
    const { db, pool } = await databaseOf(settings)
    await aModule(await aContext(db), { units: [{ moveOn: 'Completed' }, { moveOn: 'Completed' }] })
    const learner = await aUser(db)
    const { id: sessionId } = await createSession(await aContext(db), { userUid: learner.uid, agent: null })
    await pool.end()
    const { endpoint, headers, statement, run } = await fetchUnit({ port: Number(settings.PORT) }, { sessionId })
    const sent: string[] = []
    const send = async (verb: string, categories: object[] = [], result?: object) => {
      const id = randomUUID()
      sent.push(id)
      const one = statement(id, `http://adlnet.gov/expapi/verbs/${verb}`, categories)
      await sendUntilStored(endpoint, headers, { ...one, ...(result && { result }) })
    }
    const progress = (percent: number) => ({
      extensions: { 'https://w3id.org/xapi/cmi5/result/extensions/progress': percent },
    })

    await send('progressed', [], progress(20))
    const web = processesOf(settings, 'web')
    expect(web).toHaveLength(2)
    const burst = Array.from({ length: 100 }, (_, n) => answerOrCut(settings, n * 5))
    await new Promise((resolve) => setTimeout(resolve, 250))
    process.kill(web[0] ?? 0, 'SIGKILL')
    expect((await Promise.all(burst)).filter((end) => end === 'no answer')).toEqual([])
    // The other one continues. Nobody would answer these requests until the next one is ready.
    const answers = []
    for (let n = 0; n < 20; n++) answers.push(await isServing(settings))
    expect(answers.filter((isServed) => !isServed).length).toBeLessThan(3)
    await send('progressed', [], progress(40))
    await eventually(() => processesOf(settings, 'web').length === 2)
    for (const pid of processesOf(settings, 'web')) process.kill(pid, 'SIGKILL')
    killPostgres(settings)
    await send('progressed', [], progress(60))
    const again = sendUntilStored(
      endpoint,
      headers,
      statement(sent.at(-1) ?? '', 'http://adlnet.gov/expapi/verbs/progressed'),
    )
    await expect(again).rejects.toThrow() // the same id with other content is a conflict, not a second statement
    await send('completed', [cmi5, moveOn], { completion: true, duration: 'PT1M' })
    await send('terminated', [cmi5], { duration: 'PT2M' })

    const client = new pg.Client({
      connectionString: (await findEmbedded(path.join(settings.DATA_DIR ?? '', 'pg'))) ?? '',
    })
    await client.connect()
    const { rows } = await client.query(
      'select statement_id, count(*)::int as times from xapi_statements where statement_id = any($1) group by 1',
      [sent],
    )
    await client.end()
    expect(rows).toHaveLength(sent.length)
    expect(rows.every((row) => row.times === 1)).toBe(true)
    const { data } = await run('{ me { modulesProgress { progressPercent } } }')
    // One of two units is completed.
    expect(data.me.modulesProgress[0].progressPercent).toBe(50)
  },
)

type Running = { settings: Settings; db: Database }

test.runIf(process.platform === 'linux')(
  'if workers die while they read a package, invite a list or assign content, or a server dies during an upload, nothing is lost, done twice or half done',
  async () => {
    // One product for all four, since a start takes longer than what is done with it.
    const settings = await ownSettings()
    await aReadyStart(settings)
    const { db, pool } = await databaseOf(settings)
    setStorage(diskStorage(path.join(settings.DATA_DIR ?? '', 'files')))
    for (const run of [
      killWorkerWhileReading,
      killWorkersWhileInviting,
      killWorkersWhileAssigning,
      killServerDuringUpload,
    ]) {
      await run({ settings, db })
    }
    await pool.end()
  },
)

/** The next worker reads the package. */
async function killWorkerWhileReading({ settings, db }: Running): Promise<void> {
  const author = await aUser(db, { groups: ['authors'] })
  const ctx = await aContext(db, { viewer: author })
  const files = Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`files/${n}.txt`, `file ${n}`]))
  const { module, imported } = await importPackage(ctx, { bytes: packageZip(courseXml(), files), publish: true })
  const status = async () =>
    (
      await db
        .selectFrom('cmi5_packages')
        .select('status')
        .where('uid', '=', imported.packageUid)
        .executeTakeFirstOrThrow()
    ).status
  await eventually(async () => (await status()) === 'processing')
  // Who works on it is known to be alive. Otherwise another worker would take a long job away from it.
  const { rows } = await sql`
    select from graphile_worker._private_jobs job join job_workers on job_workers.worker_id = job.locked_by
    where job.payload->>'packageUid' = ${imported.packageUid}`.execute(db)
  expect(rows).toHaveLength(1)
  const [worker = 0] = processesOf(settings, 'worker')
  process.kill(worker, 'SIGKILL')
  expect(await status()).toBe('processing')
  if (!isLong) await expireKilledWorkers(db)
  await eventually(async () => (await status()) === 'parsed').catch(() =>
    eventually(async () => (await status()) === 'parsed'),
  )
  // Reading and publishing are two transactions of one job.
  const published = async () =>
    (
      await db
        .selectFrom('modules')
        .select('published_version_id')
        .where('uid', '=', module.uid)
        .executeTakeFirstOrThrow()
    ).published_version_id
  await eventually(async () => (await published()) !== null)
  expect(await isServing(settings)).toBe(true)
}

/** Everybody on the list gets one account, and a mail. */
async function killWorkersWhileInviting({ settings, db }: Running): Promise<void> {
  const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  const addresses = Array.from({ length: isLong ? 3000 : 400 }, (_, n) => `person${n}@class.example`)
  const text = `firstName,lastName,email,university,accessPlan\n${addresses
    .map((address, n) => `Ann,No ${n},${address},Helvik,Full Access`)
    .join('\n')}`
  const file = await receiveUpload(admin, { kind: 'csv', fileName: 'people.csv', source: Readable.from([text]) })
  const list = { csvPath: file.name, listUid: randomUUID(), fileName: 'people.csv', onlyValid: false }
  let kills = 0
  const killWorkers = async () => {
    for (const pid of processesOf(settings, 'worker')) process.kill(pid, 'SIGKILL')
    kills++
    await expireKilledWorkers(db)
  }
  const { operationUid } = await startInvitingList(admin, list)
  const operation = () => getBulkOperation(admin, { operationUid })
  for (const part of isLong ? [0, 0.25, 0.5] : [0.25]) {
    await eventually(async () => (await operation()).done >= addresses.length * part)
    await killWorkers()
  }
  await eventually(async () => (await operation()).status === 'done')
  const mails = () =>
    readdirSync(path.join(settings.DATA_DIR ?? '', 'outbox'))
      .filter((name) => !name.startsWith('.'))
      .map((name) => readFileSync(path.join(settings.DATA_DIR ?? '', 'outbox', name), 'utf8'))
  await eventually(() => mails().length > addresses.length / 2)
  await killWorkers()
  const users = await db.selectFrom('users').select('email').where('email', 'like', '%@class.example').execute()
  expect(users.map(({ email }) => email).sort()).toEqual([...addresses].sort())
  expect(await operation()).toMatchObject({ done: addresses.length, failed: 0 })
  const recipients = () => mails().map((mail) => /<([^>]+)>/.exec(readEml(mail).headers.get('to') ?? '')?.[1] ?? '')
  await eventually(() => new Set(recipients()).size === addresses.length)
  // A mail that was sent in the moment of a kill goes out again, since its link may not have been stored.
  expect(recipients().length - addresses.length).toBeLessThanOrEqual(kills * 3)
}

/** Everybody has every item, and nobody has one twice. */
async function killWorkersWhileAssigning({ settings, db }: Running): Promise<void> {
  const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  const [people, count] = [isLong ? 10_000 : 3000, 20]
  const items: { kind: 'course'; uid: string }[] = []
  for (let n = 0; n < count; n++) items.push({ kind: 'course', uid: (await aCourse(db, { name: `Class ${n}` })).uid })
  await sql`
    insert into users (site_id, email, email_key, first_name, last_name, search_key, is_active, joined_at)
    select ${admin.site.id}, address, address, 'Ann', number, '', true, now()
    from generate_series(1, ${people}::int) number, concat(number, '@course.example') address`.execute(db)
  const { operationUid } = await prepareAssignment(admin, {
    people: sql`select id from users where email like '%@course.example'`,
  })
  await startAssignment(admin, { operationUid, items })
  const operation = () => getBulkOperation(admin, { operationUid })
  for (const part of isLong ? [0, 0.3, 0.6] : [0, 0.5]) {
    await eventually(async () => (await operation()).done >= people * part)
    for (const pid of processesOf(settings, 'worker')) process.kill(pid, 'SIGKILL')
    await expireKilledWorkers(db)
  }
  await eventually(async () => (await operation()).status === 'done')
  expect(await operation()).toMatchObject({ done: people, failed: 0 })
  const { rows } = await sql<{ everybody: number; each: number }>`
    select count(*)::int as everybody, min(items)::int as each from (
      select count(*) as items, count(distinct course_id) as courses from course_assignments
      join users on users.id = user_id where users.email like '%@course.example'
      group by user_id) person
    where items = courses`.execute(db)
  expect(rows).toEqual([{ everybody: people, each: count }])
}

/** Nothing is half stored, and a retry works, also if the server dies between the upload and its completion. */
async function killServerDuringUpload({ settings, db }: Running): Promise<void> {
  const author = await aUser(db, { groups: ['authors'] })
  const ctx = await aContext(db, { viewer: author })
  const { id: sessionId } = await createSession(await aContext(db), { userUid: author.uid, agent: null })
  const origin = `http://localhost:${settings.PORT}`
  const picture = await aPicture('png', 1200, 800)
  const prepared = await prepareUpload(ctx, { fileName: 'a.png', fileType: 'cover_img' })
  const address = `/uploads/${prepared.id}/`
  const folder = path.join(settings.DATA_DIR ?? '', 'files')
  const incoming = () => existsSync(path.join(folder, 'incoming', prepared.id))
  const killWeb = async () => {
    process.kill(processesOf(settings, 'web')[0] ?? 0, 'SIGKILL')
    await eventually(async () => !(await isServing(settings)))
    await eventually(() => isServing(settings))
  }
  const form = () => {
    const form = new FormData()
    for (const [name, value] of Object.entries(prepared.fields)) form.append(name, value)
    form.append('file', new Blob([new Uint8Array(picture)]), 'a.png')
    return form
  }

  // In the middle of the post.
  const whole = new Request(origin + address, { method: 'POST', body: form() })
  const bytes = Buffer.from(await whole.arrayBuffer())
  const half = http.request({
    host: '127.0.0.1',
    port: settings.PORT,
    method: 'POST',
    path: address,
    headers: {
      host: `localhost:${settings.PORT}`,
      'content-type': whole.headers.get('content-type') ?? '',
      'content-length': bytes.length,
    },
  })
  half.on('error', () => {})
  half.write(bytes.subarray(0, bytes.length - 200))
  await eventually(() => existsSync(path.join(folder, '.tmp')) && readdirSync(path.join(folder, '.tmp')).length > 0)
  await killWeb()
  half.destroy()
  expect(incoming()).toBe(false)

  // Between post and completion.
  const posted = await fetch(origin + address, { method: 'POST', body: form() })
  expect([posted.status, incoming()]).toEqual([200, true])
  await killWeb()
  const cookie = `titrate_session=${sessionId}`
  const token = (await fetch(`${origin}/graphql/csrf/`, { headers: { cookie } })).headers.get('x-csrftoken') ?? ''
  const complete = () =>
    fetch(`${origin}${address}complete/`, { method: 'POST', headers: { cookie, 'x-csrftoken': token }, body: '{}' })
  // During completion: the answer may be lost, but the next process has the file.
  const lost = complete().catch(() => null)
  await killWeb()
  await lost
  const completed = await complete()
  const file = (await completed.json()) as { name: string; size: number }
  expect([completed.status, file.size, incoming()]).toEqual([200, picture.length, false])
  const kept = await fetch(`${origin}/files/${file.name}`, { headers: { cookie } })
  expect(Buffer.from(await kept.arrayBuffer()).equals(picture)).toBe(true)
  const rows = await db.selectFrom('stored_files').select('uid').where('original_file_name', '=', 'a.png').execute()
  expect(rows).toHaveLength(1)
}
