/**
 * `npm run bench -- invitations`: uploads a list of 10,000 people with twelve faults through the form, on a site with 100,000
 * users, and measures its dry run. The limit is 5 s.
 */
import pg from 'pg'
import { staffCookie, timesOf } from './console.ts'
import type { Product } from './product.ts'
import { authorNumber, seedBench } from './seed.ts'

const size = { users: 100_000, modules: 1, statements: 1 }
const rows = 10_000
const faults = 12
const times = 7

export async function benchInvitations(product: Product): Promise<void> {
  console.log(`Writing ${size.users} users …`)
  await seedBench(product.databaseUrl, size)
  await makeAuthorAdmin(product.databaseUrl)
  const file = new Blob([listOfPeople()], { type: 'text/csv' })
  console.log(`${rows} rows, ${Math.round(file.size / 1024)} KB`)
  const address = `http://localhost:${product.port}/dashboard/users/invite/many/`
  const csrf = await csrfIn(address)
  const check = async () => {
    const form = new FormData()
    form.set('csrf', csrf)
    form.set('people-file', file, 'people.csv')
    form.set('intent', 'check')
    const response = await fetch(address, { method: 'POST', headers: { cookie: staffCookie }, body: form })
    const page = await response.text()
    const found = /[\d,]+ faults?[^<]*/.exec(page)?.[0]
    const wanted = `${faults} faults in ${faults} rows of ${rows.toLocaleString('en')}`
    if (!found?.startsWith(wanted)) throw new Error(`The dry run answered ${response.status}: ${found}`)
  }
  const { median, longest, queries } = await timesOf(product, check, { repeats: times })
  console.log(`dry run: ${median} ms, at most ${longest} ms of ${times} times, ${queries} queries`)
}

async function makeAuthorAdmin(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    insert into user_groups (user_id, name) select id, 'admins' from users where email = 'bench${authorNumber}@titrate.example'`)
  await client.end()
}

function listOfPeople(): string {
  const head = 'firstName,lastName,email,university,accessPlan,isAdmin,autoRenew,subscriptionDurationDays'
  const lines = Array.from({ length: rows }, (_, n) => {
    const address = n % Math.ceil(rows / faults) === 7 ? `nobody${n}` : `person${n}@dry-run.example`
    return `Person,Number ${n},${address},University ${n % 40},Full Access,false,true,`
  })
  return [head, ...lines].join('\r\n')
}

async function csrfIn(address: string): Promise<string> {
  const page = await (await fetch(address, { headers: { cookie: staffCookie } })).text()
  return /name="csrf" value="([^"]*)"/.exec(page)?.[1] ?? ''
}
