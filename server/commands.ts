/** `npm run NAME -- …`: commands for the operator, another thin transport over the services. */
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { SiteKey } from '../app/config/brands.ts'
import { env, parseEnv } from '../app/config/env.server.ts'
import { logger } from '../app/config/log.server.ts'
import { rebuildProgress } from '../app/services/cmi5/cmi5.server.ts'
import { systemContext } from '../app/services/context.ts'
import { ServiceError } from '../app/services/errors.ts'
import {
  createInvitation,
  renewInvitation,
  sendInvitationAsOperator,
} from '../app/services/invitations/invitations.server.ts'
import { importModuleAsOperator } from '../app/services/modules/import.server.ts'
import { getSite } from '../app/services/sites/sites.server.ts'
import { closeDatabase, database } from '../db/instance.server.ts'

class UsageError extends Error {}

const commands: Record<string, { usage: string; run: (args: string[]) => Promise<void> }> = {
  admin: {
    usage: 'npm run admin -- create EMAIL --site institutional|ns [--first NAME] [--last NAME] [--mail]',
    run: admin,
  },
  'modules:import': {
    usage:
      'npm run modules:import -- FILE.zip --site institutional|ns --plan NAME [--publish] [--name NAME] [--chapter NAME]',
    run: importCommand,
  },
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
    await sendInvitationAsOperator(ctx, { userUid })
    console.log(`${email} gets an invitation by mail as soon as Titrate runs. It works once, within 30 days.`)
    return
  }
  console.log(`${email} can open the account within 30 days with this link, which works once:\n${link}`)
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
  const result = await importModuleAsOperator(ctx, {
    file,
    fileName,
    name: values.name ?? path.parse(fileName).name,
    planName: values.plan,
    publish: values.publish ?? false,
    ...(values.chapter && { chapterName: values.chapter }),
  })
  const { name, version, outcome } = result.imported
  if (result.package.status !== 'parsed') throw new Error(result.package.lastMsg ?? 'The package could not be read.')
  const published = values.publish ? ' and published' : ''
  console.log(`"${name}" version ${version} is imported${published} (${outcome.replace('_', ' ')}).`)
}

async function rebuildCommand(args: string[]): Promise<void> {
  if (args.length > 0) throw new UsageError()
  const count = await rebuildProgress(await commandContext('institutional'))
  console.log(`Progress is computed anew from the stored statements: ${count} attempts.`)
}

async function commandContext(siteName: string | undefined) {
  if (siteName !== 'institutional' && siteName !== 'ns') throw new UsageError()
  const { db } = database()
  return systemContext({ db, site: await getSite(db, siteName satisfies SiteKey), log: logger() })
}

async function main(): Promise<number> {
  const [name = '', ...args] = process.argv.slice(2)
  const command = commands[name]
  if (!command) {
    process.stderr.write(`Unknown command "${name}". There are: ${Object.keys(commands).join(', ')}.\n`)
    return 2
  }
  try {
    parseEnv(process.env)
    env()
    await command.run(args)
    return 0
  } catch (error) {
    const isUsage = error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
    process.stderr.write(isUsage ? `Usage: ${command.usage}\n` : `${(error as Error).message}\n`)
    return isUsage ? 2 : 1
  } finally {
    await closeDatabase()
  }
}

process.exitCode = await main()
