/** What the steps of the demo's year share: the site, its accounts, and its clock. */
import { listLastSignIns } from '../../app/services/accounts/sign-ins.server.ts'
import type { Ctx, SiteKey, Viewer } from '../../app/services/context.ts'
import { findViewer } from '../../app/services/sessions/sessions.server.ts'
import { listUsersByEmail } from '../../app/services/users/batch.server.ts'
import type { ModuleSource } from '../build-package.ts'
import type { DemoPerson } from './people.ts'

const dayMs = 86_400_000
export const minuteMs = 60_000

export type DemoSite = {
  /** The context of the operator, now. */
  ctx: Ctx
  /** The midnight before the first seed, which everything counts back from. */
  today: Date
  sources: ReadonlyMap<string, ModuleSource>
  signal: { readonly aborted: boolean }
  people: DemoPerson[]
  /** The uids of the accounts, by the name of the person. */
  accounts: Map<string, string>
  /** When each account signed in last before the demo began, by uid. */
  lastSignIns: ReadonlyMap<string, Date>
}

/** Reads the accounts once. Those that are made later are added to the map. */
export async function openDemoSite(site: Omit<DemoSite, 'accounts' | 'lastSignIns'>): Promise<DemoSite> {
  const { ctx, today, people } = site
  const names = ['admin', 'learner', ...people.map(({ name }) => name)]
  const users = await listUsersByEmail(
    ctx,
    names.map((name) => emailOf(ctx, name)),
  )
  const accounts = new Map<string, string>()
  for (const name of names) {
    const user = users.get(emailOf(ctx, name))
    if (user) accounts.set(name, user.uid)
  }
  const lastSignIns = await listLastSignIns(ctx, { userUids: [...accounts.values()], before: today })
  return { ...site, accounts, lastSignIns }
}

export function emailOf({ site }: { site: { key: SiteKey } }, name: string): string {
  return `${name}@${site.key === 'ns' ? 'ns.' : ''}titrate.example`
}

export function dayBefore({ today }: Pick<DemoSite, 'today'>, days: number, hour = 9): Date {
  return new Date(today.getTime() - days * dayMs + hour * 60 * minuteMs)
}

/** Returns the context of a person at that moment, or null if the account is not open. */
export async function viewerAt(ctx: Ctx, userUid: string, at: Date): Promise<(Ctx & { viewer: Viewer }) | null> {
  const then = { ...ctx, now: at, isOperator: false }
  const viewer = await findViewer(then, { userUid })
  // An address for documentation (RFC 5737), so that limits count nobody else.
  return viewer && { ...then, viewer, address: `192.0.2.${viewer.id % 250}` }
}
