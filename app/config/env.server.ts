import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { contentHostProblem } from './content-hosts.ts'
import { dkimProblem } from './dkim.ts'
import { isRecordStoreAddress, recordStoreProblem } from './forwarding.ts'

/**
 * Every setting from the environment, parsed once. No other file reads `process.env`. docs/operations.md has the same
 * list.
 */
const empty = (value: unknown) => (value === '' ? undefined : value)
const text = (fallback: string) => z.preprocess(empty, z.string().default(fallback))
const optionalText = z.preprocess(empty, z.string().optional())
const count = (fallback: number, min: number, max: number) =>
  z.preprocess(
    empty,
    z.coerce.number({ invalid_type_error: 'must be a number' }).int().min(min).max(max).default(fallback),
  )
const flag = z.preprocess(empty, z.enum(['0', '1']).default('0')).transform((value) => value === '1')
const names = (fallback: string) =>
  text(fallback).transform((value) =>
    value
      .split(',')
      .map((name) => name.trim().toLowerCase().replace(/^\./, ''))
      .filter(Boolean),
  )
const origin = z
  .preprocess(empty, z.string().optional())
  .refine(
    (value) => value === undefined || isOrigin(value),
    'must be an origin such as https://learn.example.org, without a path',
  )
  .transform((value) => value?.replace(/\/$/, ''))
const contentOrigin = z
  .preprocess(empty, z.string().toLowerCase().optional())
  .refine(
    (value) => value === undefined || isOrigin(value.replace('://*.', '://module.')),
    'must be an origin such as https://*.content.example.net, without a path',
  )
  .transform((value) => value?.replace(/\/$/, ''))

const recordStore = z.preprocess(
  empty,
  z
    .string()
    .refine(
      isRecordStoreAddress,
      'must be the address of a record store such as https://lrs.example.org/xapi/: https, or http on this machine, without user, query or #',
    )
    .transform((value) => value.replace(/\/*$/, '/'))
    .optional(),
)
// Used as user and password of HTTP Basic, where a colon ends the user.
const recordStoreKey = z.preprocess(
  empty,
  z
    .string()
    .regex(/^[^:\p{Cc}]+$/u, 'must have no colon and no control characters')
    .optional(),
)
const recordStoreSecret = z.preprocess(
  empty,
  z
    .string()
    .regex(/^\P{Cc}+$/u, 'must have no control characters')
    .optional(),
)

/**
 * Connections beyond those that the cores can serve wait for each other, and each takes about 20 MB of PostgreSQL's memory
 * (docs/decisions/025-pages-twice-as-fast.md).
 */
const usualPoolSize = Math.min(Math.max(2 * availableParallelism() + 2, 4), 10)

const schema = z.object({
  NODE_ENV: text('production'),
  PROCESS_ROLE: z.preprocess(empty, z.enum(['web', 'worker', 'both']).default('both')),
  WEB_PROCESSES: count(1, 1, 64),
  PORT: count(3000, 1, 65535),
  HOST: text('127.0.0.1'),
  DATABASE_URL: z.string({ required_error: 'is missing' }).regex(/^postgres(ql)?:\/\//, 'must begin with postgres://'),
  DATABASE_POOL_SIZE: count(usualPoolSize, 1, 100),
  SITE_ORIGIN: origin,
  NS_SITE_ORIGIN: origin,
  NS_HOST_SUFFIXES: names('ns.localhost'),
  ALLOWED_HOSTS: names(''),
  ASSET_ORIGIN: origin,
  CONTENT_ORIGIN: contentOrigin,
  CONTENT_PORT: z.preprocess(empty, z.coerce.number().int().min(1).max(65535).optional()),
  CONTENT_ISOLATION: z.preprocess(empty, z.enum(['origin', 'sandbox']).default('origin')),
  TRUST_PROXY: text('').refine(
    (value) => value === '' || value.split(',').every((part) => isProxy(part.trim())),
    'must hold addresses or ranges such as 10.0.0.0/8, or loopback',
  ),
  SMTP_URL: z.preprocess(
    empty,
    z
      .string()
      .regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
      .optional(),
  ),
  MAIL_FROM: text('Titrate <no-reply@titrate.example>'),
  MAIL_CONNECTIONS: count(5, 1, 100),
  MAIL_PER_SECOND: count(0, 0, 10_000),
  MAIL_DAYS: count(400, 7, 36_500),
  MAIL_RETURN_ADDRESS: z.preprocess(
    empty,
    z
      .string()
      .regex(/^[a-z0-9._+-]*\{token\}[a-z0-9._+-]*@[a-z0-9.-]+$/i, 'must look like bounce+{token}@mail.example.org')
      .optional(),
  ),
  MAIL_EVENTS_SECRET: z.preprocess(
    empty,
    z
      .string()
      .min(32, 'must have 32 characters or more')
      .regex(/^\P{Cc}+$/u, 'must have no control characters')
      .optional(),
  ),
  DKIM_DOMAIN: optionalText,
  DKIM_SELECTOR: optionalText,
  DKIM_KEY_FILE: optionalText,
  NS_DKIM_DOMAIN: optionalText,
  NS_DKIM_SELECTOR: optionalText,
  NS_DKIM_KEY_FILE: optionalText,
  DATA_DIR: text('.data'),
  SEED_DEMO: z.preprocess(empty, z.enum(['0', '1', 'auto']).default('0')),
  SHUTDOWN_DELAY: count(0, 0, 300),
  LOG_LEVEL: z.preprocess(empty, z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info')),
  BUILD_NUMBER: optionalText,
  CONSOLE_PARTS: flag,
  CMI5_STRICT_PREFERENCES: flag,
  CMI5_FIXED_PREFERENCES: flag,
  SESSION_DAYS: count(14, 1, 365),
  SESSION_MAX_DAYS: count(90, 1, 3650),
  LAUNCH_IDLE_HOURS: count(12, 1, 168),
  LOGIN_ATTEMPTS_PER_15_MIN: count(10, 1, 1_000_000),
  EVENT_PATH: text('/event/').refine(
    (value) => /^\/[a-z0-9-]{1,60}\/$/.test(value),
    'must be one name between slashes, such as /event/',
  ),
  EVENTS_PER_MIN: count(240, 1, 1_000_000),
  EVENT_MONTHS: count(36, 1, 1200),
  SEARCHES_PER_MINUTE: count(120, 1, 1_000_000),
  XAPI_MAX_MB: count(10, 1, 200),
  XAPI_ATTEMPT_MB: count(50, 1, 100_000),
  LRS_FORWARD_URL: recordStore,
  LRS_FORWARD_KEY: recordStoreKey,
  LRS_FORWARD_SECRET: recordStoreSecret,
  NS_LRS_FORWARD_URL: recordStore,
  NS_LRS_FORWARD_KEY: recordStoreKey,
  NS_LRS_FORWARD_SECRET: recordStoreSecret,
  LRS_FORWARD_TIMEOUT: count(30, 1, 600),
  REPORT_DOWNLOAD_ROWS: count(1_000_000, 1, 1_000_000_000),
  REPORT_DOWNLOAD_SECONDS: count(60, 1, 86_400),
  VIDEO_MAX_MB: count(1024, 1, 100_000),
  VIMEO_OEMBED_URL: text('https://vimeo.com/api/oembed.json').refine(
    (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && !/[?#@]/.test(value),
    'must be an address such as https://vimeo.com/api/oembed.json, without user, query or #',
  ),
  GRAPHQL_MAX_COST: count(100_000, 100, 10_000_000),
})

type Env = Omit<z.infer<typeof schema>, 'SITE_ORIGIN' | 'NS_SITE_ORIGIN' | 'CONTENT_PORT'> & {
  SITE_ORIGIN: string
  NS_SITE_ORIGIN: string
  CONTENT_PORT: number
}

/** Throws an error with one sentence that names the variable. */
export function parseEnv(variables: Record<string, string | undefined>): Env {
  const result = schema.safeParse(variables)
  if (!result.success) {
    const issue = result.error.issues[0]
    throw new Error(`${issue?.path.join('.')} ${issue?.message}.`)
  }
  const env = result.data
  const problem = recordStoreProblem(env) ?? dkimProblem(env)
  if (problem) throw new Error(problem)
  const complete = {
    ...env,
    SITE_ORIGIN: env.SITE_ORIGIN ?? `http://localhost:${env.PORT}`,
    NS_SITE_ORIGIN: env.NS_SITE_ORIGIN ?? `http://ns.localhost:${env.PORT}`,
    CONTENT_PORT: env.CONTENT_PORT ?? env.PORT + 1,
  }
  const hosts = contentHostProblem(complete)
  if (hosts) throw new Error(hosts)
  return complete
}

let parsed: Env | undefined

/** The settings of this process. */
export function env(): Env {
  parsed ??= parseEnv(process.env)
  return parsed
}

function isProxy(value: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(value)) return true
  const [address = '', bits, ...more] = value.split('/')
  const most = isIP(address) === 4 ? 32 : 128
  return (
    isIP(address) !== 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  )
}

function isOrigin(value: string): boolean {
  try {
    const url = new URL(value)
    return (
      /^https?:$/.test(url.protocol) &&
      url.pathname === '/' &&
      !url.search &&
      !url.hash &&
      !url.username &&
      !/[*]/.test(url.host)
    )
  } catch {
    return false
  }
}
