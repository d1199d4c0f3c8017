/** The measured requests and their senders. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import type { Target } from './measure.ts'
import type { Product } from './product.ts'
import { authorNumber, sessionIdOf, unansweredNumber } from './seed.ts'
import { fetchUnit } from './unit.ts'

const host = (port: number) => `localhost:${port}`

/**
 * Every page of the learner area, the most frequent requests of the console and of programs, and the write that content
 * makes.
 */
export async function targetsOf(product: Product): Promise<Target[]> {
  const session = { host: host(product.port), cookie: `titrate_session=${sessionIdOf(1)}` }
  const author = { host: host(product.port), cookie: `titrate_session=${sessionIdOf(authorNumber)}` }
  const page = (name: string, path: string, headers: Record<string, string>): Target => ({
    name,
    port: product.port,
    method: 'GET',
    path,
    headers,
  })
  const token = await csrfTokenOf(product)
  const operation = (name: string, query: string): Target => ({
    name: `${name} (GraphQL)`,
    port: product.port,
    method: 'POST',
    path: '/graphql/',
    headers: { ...session, 'content-type': 'application/json', 'x-csrftoken': token },
    body: () => JSON.stringify({ query }),
  })
  const unit = await fetchUnit(product, { sessionId: sessionIdOf(2) })
  return [
    ...publicPaths.map((path) => page(`${path} signed out`, path, { host: host(product.port) })),
    ...(await learnerPaths(product.databaseUrl)).map(([name, path]) => page(name, path, session)),
    page('/questionnaire/', '/questionnaire/', {
      ...session,
      cookie: `titrate_session=${sessionIdOf(unansweredNumber)}`,
    }),
    page('Modules table, console', '/dashboard/modules/', author),
    page('Modules table, searched and sorted', '/dashboard/modules/?search=module+19&sort=-completions&page=2', author),
    page('Modules table, 100 more rows', '/dashboard/modules-rows/', author),
    operation('Me', meQuery),
    operation('Modules', modulesQuery),
    {
      name: 'Statement write (xAPI)',
      port: product.contentPort,
      method: 'POST',
      path: '/xapi/statements',
      headers: { host: host(product.contentPort), ...unit.headers, 'content-type': 'application/json' },
      body: () => JSON.stringify(unit.statement(randomUUID())),
    },
  ]
}

/** Searches in the documents of bench/search.ts, which are written after the pages have been measured. */
export function searchTargets({ port }: Product): Target[] {
  const headers = { host: host(port), cookie: `titrate_session=${sessionIdOf(1)}` }
  return ['/search/?query=module', '/search/?query=word48', '/search/?query=pharmecovigilance'].map((path) => ({
    name: path,
    port,
    method: 'GET',
    path,
    headers,
  }))
}

const publicPaths = [
  '/login/',
  '/request-password-reset/',
  '/terms/',
  '/faq/',
  '/about-us/',
  '/contact-us/',
  '/glossary/',
]

/** Pages as a very active learner sees them. */
async function learnerPaths(url: string): Promise<[name: string, path: string][]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const uidOf = async (kind: string) => {
    const { rows } = await client.query(`select uid from ${kind}s where name = 'Bench ${kind} 7'`)
    return String(rows[0].uid)
  }
  try {
    const message = await client.query(`select uid from announcements where name = 'Bench message 7'`)
    return [
      ...['/home/', '/modules/', '/modules/?page=30', '/courses/', '/courses/?page=20', '/lectures/', '/videos/'].map(
        same,
      ),
      ...['/videos/?page=50', '/all-content/', '/glossary/'].map(same),
      ...['assigned', 'saved', 'in-progress', 'completed', 'my-messages', 'my-profile', 'my-account'].map((part) =>
        same(`/my-learning/${part}/`),
      ),
      ...['/my-progress/', '/change-password/', '/terms/'].map(same),
      ['/modules/{uid}/', `/modules/${await uidOf('module')}/`],
      ['/courses/{uid}/', `/courses/${await uidOf('course')}/`],
      ['/lectures/{uid}/', `/lectures/${await uidOf('lecture')}/`],
      ['/videos/{uid}/', `/videos/${await uidOf('video')}/`],
      ['/my-learning/my-messages/{uid}/', `/my-learning/my-messages/${message.rows[0].uid}/`],
    ]
  } finally {
    await client.end()
  }
}

function same(path: string): [name: string, path: string] {
  return [path, path]
}

const meQuery = contractOperation('02-me', 'Me')
const modulesQuery = contractOperation('05-modules', 'Modules')

/** The text of one operation with the fragments of its file. */
function contractOperation(file: string, name: string): string {
  const text = readFileSync(`tests/graphql/contract/${file}.graphql`, 'utf8')
  const fragments = name === 'Modules' ? (text.match(/^fragment [\s\S]*?^\}/gm) ?? []).join('\n') : ''
  const operation = new RegExp(`^query ${name}\\b[\\s\\S]*?^\\}`, 'm').exec(text)?.[0] ?? ''
  return `${fragments}\n${operation}`
}

async function csrfTokenOf(product: Product): Promise<string> {
  const answer = await fetch(`http://localhost:${product.port}/graphql/csrf/`, {
    headers: { cookie: `titrate_session=${sessionIdOf(1)}` },
  })
  return answer.headers.get('x-csrftoken') ?? ''
}
