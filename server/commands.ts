/** `npm run NAME -- …`: commands for the operator. They call the same services as pages do. */
import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { SiteKey } from '../app/config/brands.ts'
import { env, parseEnv } from '../app/config/env.server.ts'
import { recordStoreOf, siteKeys } from '../app/config/forwarding.ts'
import { logger } from '../app/config/log.server.ts'
import { verifyAudit } from '../app/services/audit/seals.server.ts'
import { rebuildProgress } from '../app/services/cmi5/cmi5.server.ts'
import { siteContext } from '../app/services/context.ts'
import { Invalid, ServiceError } from '../app/services/errors.ts'
import { rebuildFigures } from '../app/services/figures/figures.server.ts'
import { createInvitation, renewInvitation } from '../app/services/invitations/invitations.server.ts'
import { resendInvitations } from '../app/services/invitations/invite-users.server.ts'
import { checkMailDomain } from '../app/services/mail/check-domain.server.ts'
import { recordReturnedMail } from '../app/services/mail/record-returned.server.ts'
import { finishLatestPackage } from '../app/services/modules/finish-package.server.ts'
import { findCourseTitle, importModule } from '../app/services/modules/import-module.server.ts'
import { rotateKeys } from '../app/services/sites/keys.server.ts'
import { getSite } from '../app/services/sites/sites.server.ts'
import { receiveUpload } from '../app/services/uploads/uploads.server.ts'
import {
  backfillForwards,
  clientScopes,
  createClient,
  type Forwarding,
  getForwarding,
  listClients,
  retryForwards,
  revokeClient,
} from '../app/services/xapi/xapi.server.ts'
import { closeDatabase, database } from '../db/instance.server.ts'

class UsageError extends Error {}

/** Exit codes that mail servers understand (sysexits.h). With 75 they keep the mail and try again. */
const [wrongUse, wrongData, tryAgain] = [64, 65, 75]

/** `run` may return an exit code. `failed` is the code of errors, if whoever starts the command expects another than 1. */
type Command = { usage: string; run: (args: string[]) => Promise<unknown>; failed?: number }

const commands: Record<string, Command> = {
  admin: {
    usage: 'npm run admin -- create EMAIL --site institutional|ns [--first NAME] [--last NAME] [--mail]',
    run: admin,
  },
  'modules:import': {
    usage:
      'npm run modules:import -- FILE.zip --site institutional|ns --plan NAME [--publish] [--name NAME] [--chapter NAME]',
    run: importCommand,
  },
  'lrs:client': {
    usage: `npm run lrs:client -- create NAME --site institutional|ns --scope SCOPE [--scope SCOPE …]
       npm run lrs:client -- list --site institutional|ns
       npm run lrs:client -- revoke KEY --site institutional|ns
Scopes: ${clientScopes.join(', ')}.`,
    run: clientCommand,
  },
  'lrs:forward': {
    usage: `npm run lrs:forward -- status [--site institutional|ns]
       npm run lrs:forward -- retry [--site institutional|ns]
       npm run lrs:forward -- backfill [--site institutional|ns]
Without --site it is about each site that has a record store set.`,
    run: forwardCommand,
  },
  'keys:rotate': { usage: 'npm run keys:rotate [-- --at-once]', run: keysCommand },
  'audit:verify': { usage: 'npm run audit:verify', run: auditCommand },
  'mail:bounce': { usage: 'npm run mail:bounce < MAIL', run: bounceCommand, failed: tryAgain },
  'mail:check': { usage: 'npm run mail:check -- DOMAIN', run: mailCommand },
  'progress:rebuild': { usage: 'npm run progress:rebuild', run: rebuildCommand },
}

async function admin(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      site: { type: 'string' },
      first: { type: 'string' },
      last: { type: 'string' },
      mail: { type: 'boolean' },
    },
  })
  const [action, email] = positionals
  if (action !== 'create' || !email || !/^[^@\s]+@[^@\s]+$/.test(email)) throw new UsageError()
  const ctx = await commandContext(values.site)
  const input = { email, firstName: values.first ?? '', lastName: values.last ?? '', groups: ['admins' as const] }
  const { link, userUid } = await createInvitation(ctx, input).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'user.email_taken') return renewInvitation(ctx, { email })
    throw error
  })
  if (values.mail) {
    await resendInvitations(ctx, { userUids: [userUid] })
    console.log(`${email} gets an invitation by mail as soon as Titrate runs. It works once, within 30 days.`)
    return
  }
  console.log(`${email} can open the account within 30 days with this link, which works once:\n${link}`)
}

/** Takes a mail as a mail server pipes it. What reports nothing is taken too: nobody should get an answer to it. */
async function bounceCommand(args: string[]): Promise<number> {
  if (args.length > 0) throw new UsageError()
  const source = await readInput()
  const ctx = { db: database().db, now: new Date(), log: logger() }
  try {
    const { sentence } = await recordReturnedMail(ctx, { source })
    console.log(sentence)
    return 0
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    process.stderr.write(`${error.message}\n`)
    return wrongData
  }
}

/** Reads all of the input, so that the program that writes it is not cut off, and keeps its first megabytes. */
async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    if (size < 4_000_000) chunks.push(chunk)
    size += chunk.length
  }
  return Buffer.concat(chunks)
}

async function mailCommand(args: string[]): Promise<number> {
  const [domain, ...more] = args
  if (!domain || more.length > 0 || !/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(domain)) throw new UsageError()
  const findings = await checkMailDomain({ domain }).catch((error: Error) => {
    throw new Error(`The records of ${domain} could not be read: ${error.message}`)
  })
  for (const { about, isGood, sentence } of findings)
    console.log(`${about}: ${isGood ? 'good' : 'missing'}. ${sentence}`)
  return findings.some(({ isGood }) => !isGood) ? 1 : 0
}

async function importCommand(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      site: { type: 'string' },
      plan: { type: 'string' },
      name: { type: 'string' },
      chapter: { type: 'string' },
      publish: { type: 'boolean' },
    },
  })
  const [file] = positionals
  if (!file || !values.plan || positionals.length > 1) throw new UsageError()
  const ctx = await commandContext(values.site)
  const fileName = path.basename(file)
  await access(file).catch(() => {
    throw new Error(`The file ${file} cannot be read.`)
  })
  const zip = await receiveUpload(ctx, { kind: 'cmi5_zip', fileName, source: createReadStream(file) })
  const { moduleUid, name, version, outcome } = await importModule(ctx, {
    cmi5Zip: zip.name,
    name: values.name ?? (await findCourseTitle(ctx, { cmi5Zip: zip.name })) ?? path.parse(fileName).name,
    planName: values.plan,
    chapterName: values.chapter,
    publish: values.publish,
  })
  const state = await finishLatestPackage(ctx, { moduleUid })
  if (state?.status !== 'parsed') throw new Error(state?.lastMsg ?? 'The package could not be read.')
  const published = values.publish ? ' and published' : ''
  console.log(`"${name}" version ${version} is imported${published} (${outcome.replace('_', ' ')}).`)
  if (state.lastMsg) console.log(state.lastMsg)
}

async function clientCommand(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { site: { type: 'string' }, scope: { type: 'string', multiple: true } },
  })
  const [action, subject, ...rest] = positionals
  const isComplete = action === 'list' ? !subject : subject && (action === 'revoke' || values.scope)
  if (!isComplete || rest.length > 0 || !['create', 'list', 'revoke'].includes(action ?? '')) throw new UsageError()
  const ctx = await commandContext(values.site)
  if (action === 'list') return printClients(await listClients(ctx))
  if (action === 'revoke') {
    const { name } = await revokeClient(ctx, { key: subject ?? '' })
    return console.log(`The key of "${name}" is revoked.`)
  }
  const { key, secret } = await createClient(ctx, { name: subject ?? '', scopes: values.scope ?? [] })
  console.log(`Key:      ${key}\nSecret:   ${secret}\nEndpoint: ${ctx.site.baseUrl}/xapi/`)
  console.log('The secret is shown only once. A program sends key and secret as user and password of HTTP Basic.')
}

function printClients(clients: Awaited<ReturnType<typeof listClients>>): void {
  if (clients.length === 0) console.log('There are no keys yet.')
  const day = (date: Date | null, none: string) => date?.toISOString().slice(0, 10) ?? none
  for (const { key, name, scopes, createdAt, lastUsedAt, revokedAt } of clients) {
    const state = revokedAt ? `revoked ${day(revokedAt, '')}` : `last used ${day(lastUsedAt, 'never')}`
    console.log(`${key}  ${scopes.join(',')}  created ${day(createdAt, '')}, ${state}  ${name}`)
  }
}

async function forwardCommand(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { site: { type: 'string' } } })
  const [action = '', ...rest] = positionals
  if (!['status', 'retry', 'backfill'].includes(action) || rest.length > 0) throw new UsageError()
  const sites = values.site === undefined ? siteKeys.filter((site) => recordStoreOf(env(), site)) : [values.site]
  if (sites.length === 0) console.log('No site has an external record store: LRS_FORWARD_URL is not set.')
  for (const site of sites) {
    const ctx = await commandContext(site)
    if (action === 'retry') {
      const { waiting } = await retryForwards(ctx)
      console.log(`${site}: ${waiting} waiting; all will be sent again as soon as Titrate runs.`)
    } else if (action === 'backfill') {
      const { toQueue } = await backfillForwards(ctx)
      console.log(`${site}: ${toQueue} stored so far; they will be forwarded in order while Titrate runs.`)
    } else printForwarding(site, await getForwarding(ctx))
  }
}

function printForwarding(site: string, state: Forwarding): void {
  const time = (date: Date | null, none: string) => date?.toISOString().replace(/\.\d+Z$/, 'Z') ?? none
  const { waiting, setAside, oldestAt, toQueue } = state
  console.log(`${site}: ${state.url ?? 'no external record store, so its statements stay here'}`)
  const queue = oldestAt ? `${waiting} waiting, the oldest from ${time(oldestAt, '')}` : 'nothing is waiting'
  console.log(`  last sent ${time(state.sentAt, 'never')}; ${queue}`)
  if (setAside > 0) console.log(`  ${setAside} set aside: refused repeatedly, and retried once a day`)
  if (toQueue > 0) console.log(`  ${toQueue} earlier statements are not queued yet`)
  if (state.failures > 0) {
    console.log(`  failed ${state.failures} times in a row, last ${time(state.failedAt, '')}: ${state.error}`)
    console.log(`  next attempt: ${time(state.pausedUntil, 'now')}`)
  }
  for (const { statement, attempts, isSetAside, nextAt, error } of state.errors) {
    console.log(
      `  ${statement}${isSetAside ? ', set aside' : ''}: tried ${attempts} times, next ${time(nextAt, '')}: ${error}`,
    )
  }
}

async function keysCommand(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { 'at-once': { type: 'boolean' } } })
  const ctx = { db: database().db, now: new Date(), log: logger() }
  const { validUntil } = await rotateKeys(ctx, { isAtOnce: values['at-once'] ?? false })
  if (validUntil) {
    const day = validUntil.toISOString().slice(0, 10)
    return console.log(
      `The keys are replaced. What the earlier ones signed stays valid until ${day}, so nobody notices.`,
    )
  }
  console.log('The keys are replaced, and nothing that the earlier ones signed is valid any more.')
  console.log('Processes notice within a minute. Open modules have to be started again, and open forms sent again.')
}

async function auditCommand(args: string[]): Promise<void> {
  if (args.length > 0) throw new UsageError()
  const check = await verifyAudit({ db: database().db, now: new Date(), log: logger() })
  const { seals, entries, unsealed, head, problems } = check
  console.log(`${entries} entries under ${seals} seals; ${unsealed} entries are not sealed yet.`)
  if (head) console.log(`The last seal is ${head}. The log has it in the latest line “audit sealed”.`)
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) throw new Error('The audit log does not match its seals.')
  console.log('Every entry matches its seal.')
}

async function rebuildCommand(args: string[]): Promise<void> {
  if (args.length > 0) throw new UsageError()
  const count = await rebuildProgress({ db: database().db, now: new Date(), log: logger() })
  for (const site of siteKeys) await rebuildFigures(await commandContext(site))
  console.log(`Progress has been recomputed from the stored statements: ${count} attempts.`)
}

async function commandContext(siteName: string | undefined) {
  if (siteName !== 'institutional' && siteName !== 'ns') throw new UsageError()
  const { db } = database()
  return siteContext({ db, site: await getSite(db, siteName satisfies SiteKey), log: logger(), isOperator: true })
}

async function main(): Promise<number> {
  const [name = '', ...args] = process.argv.slice(2)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    process.stderr.write(`Unknown command "${name}". There are: ${Object.keys(commands).join(', ')}.\n`)
    return 2
  }
  try {
    parseEnv(process.env)
    database({ isForCommand: true })
    const code = await command.run(args)
    return typeof code === 'number' ? code : 0
  } catch (error) {
    const isUsage = error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
    process.stderr.write(isUsage ? `Usage: ${command.usage}\n` : `${(error as Error).message}\n`)
    if (isUsage) return command.failed === undefined ? 2 : wrongUse
    return command.failed ?? 1
  } finally {
    await closeDatabase()
  }
}

process.exitCode = await main()
