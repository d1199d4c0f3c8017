/**
 * A year on the demo sites: people who learn, search, watch films and read messages, written through the services with
 * the clock of the day on which it happens. It is the same at every seed, except for the day. If it is cut off anywhere,
 * the next start continues and writes nothing twice: an account is one transaction, and so is a stay on the site, whose
 * sign-in shows afterwards that it was written.
 */
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { SiteKey } from '../../app/config/brands.ts'
import { env } from '../../app/config/env.server.ts'
import { logger } from '../../app/config/log.server.ts'
import { hashPassword } from '../../app/services/accounts/passwords.server.ts'
import { siteContext } from '../../app/services/context.ts'
import { ensureEventPartitions } from '../../app/services/events/events.server.ts'
import { findDemoMark, getSite, markDemo } from '../../app/services/sites/sites.server.ts'
import type { Database } from '../../db/client.server.ts'
import { type ModuleSource, readModuleSource } from '../build-package.ts'
import { isOnSite } from '../demo-parts.ts'
import { type DemoSite, openDemoSite } from './demo-site.ts'
import { yearMessages } from './messages.ts'
import { type DemoPerson, people } from './people.ts'
import { assignToAda, assignToOthers } from './write-assignments.ts'
import { sendToAll } from './write-messages.ts'
import { makePeople } from './write-people.ts'
import { keepReports } from './write-reports.ts'
import { writeSittingsOfAda, writeSittingsOfPeople } from './write-sittings.ts'

const modulesFolder = 'seed/modules'

export type ActivityOptions = {
  /** Stops between two steps once it is aborted. */
  signal?: { readonly aborted: boolean }
  /** Both sites and everybody, unless a test asks for less. */
  sites?: SiteKey[]
  takesPart?: (person: DemoPerson) => boolean
}

/** True if a demo was begun and some of its people or of their activity is missing. */
export async function isActivityDue(db: Database): Promise<boolean> {
  return (await findDemoMark(db, 'demo_day')) !== null && (await findDemoMark(db, 'demo_complete')) === null
}

/** Returns false if it was stopped before everything was written. The demo learner comes first. */
export async function seedActivity(db: Database, options: ActivityOptions = {}): Promise<boolean> {
  const today = await findDemoMark(db, 'demo_day')
  if (!today || !(await isActivityDue(db))) return true
  const { signal = { aborted: false }, sites = ['institutional', 'ns'], takesPart = () => true } = options
  await makePartitions(db, today)
  const all: DemoSite[] = []
  for (const key of sites) {
    const ctx = siteContext({ db, site: await getSite(db, key), log: logger(), isOperator: true })
    const sources = await readSources(key)
    all.push(await openDemoSite({ ctx, today, sources, signal, people: people[key].filter(takesPart) }))
  }
  for (const demo of all) {
    await assignToAda(demo)
    if (!(await writeSittingsOfAda(demo))) return false
  }
  const passwordHash = await hashPassword(randomBytes(24).toString('hex'))
  for (const demo of all) if (!(await makePeople(demo, passwordHash))) return false
  for (const demo of all) {
    await assignToOthers(demo)
    for (const message of yearMessages) {
      if (signal.aborted) return false
      await sendToAll(demo, message)
    }
    if (!(await writeSittingsOfPeople(demo))) return false
    await keepReports(demo)
  }
  await markDemo(db, { key: 'demo_complete', at: new Date() })
  return true
}

/** The modules of a site, by their folder. */
export async function readSources(site: SiteKey): Promise<Map<string, ModuleSource>> {
  const folders = await readdir(modulesFolder)
  const all = await Promise.all(
    folders.map(async (folder) => [folder, await readModuleSource(path.join(modulesFolder, folder))] as const),
  )
  return new Map(all.filter(([, source]) => isOnSite(source, site)))
}

/** Makes the partitions of the events. Each call makes those of four months. Events that would be too old are not written. */
async function makePartitions(db: Database, today: Date): Promise<void> {
  for (let months = Math.min(13, env().EVENT_MONTHS - 1); months > -3; months -= 3) {
    const now = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months, 1))
    await ensureEventPartitions({ db, now, log: logger() })
  }
}
