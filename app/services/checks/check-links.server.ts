/**
 * The job that visits the links of content, after the content was saved. What it finds is kept for a day, for all
 * content of the site. A link is dead after two failures in a row, so that a hiccup of its server does not warn anybody.
 */
import { sql } from 'kysely'
import type { CheckedKind } from '~/forms/checks.ts'
import type { SystemCtx } from '../context.ts'
import { queueSystemJob } from '../queue/queue.server.ts'
import { linksIn } from './links.ts'
import { readTextsWithLinks } from './texts.server.ts'
import { HostTurns, type Network, publicNetwork, type Visit, visitLink } from './visit-link.server.ts'

type Items = { kind: CheckedKind; uids: string[] }

const day = 86_400_000
const untilSecondTry = 10 * 60_000
/** Items whose links one job visits; it queues a job for the others. */
const itemsAtOnce = 20
const hostsAtOnce = 5
/** What is left when the time is over is visited after the next save. */
const longestRunMs = 5 * 60_000

/** Queues a visit to the links of these items. Items without a link need none. */
export async function queueLinkChecks(ctx: SystemCtx, { kind, uids }: Items): Promise<void> {
  const texts = await readTextsWithLinks(ctx, { kind, uids })
  const found = texts.map(({ uid }) => uid)
  if (found.length > 0) await queueVisits(ctx, { kind, uids: found })
}

async function queueVisits(ctx: SystemCtx, items: Items, runAt?: Date): Promise<void> {
  const [first] = items.uids
  const again = runAt ? ':again' : ''
  await queueSystemJob(ctx, 'check-links', items, {
    // One after the other: the turns of hosts hold within one job.
    queueName: 'check-links',
    ...(items.uids.length === 1 && { key: `check-links:${items.kind}:${first}${again}` }),
    ...(runAt && { runAt }),
  })
}

type Link = { siteId: number; url: string }

/** The job. Visits the links that were not visited within a day, and those that failed once. */
export async function checkLinks(
  ctx: SystemCtx,
  { kind, uids }: Items,
  { signal, network = publicNetwork }: { signal?: AbortSignal; network?: Network } = {},
): Promise<{ visited: number }> {
  const [now, later] = [uids.slice(0, itemsAtOnce), uids.slice(itemsAtOnce)]
  const texts = await readTextsWithLinks(ctx, { kind, uids: now })
  const links = texts.flatMap(({ siteId, siteUrl, text }) =>
    linksIn(text, siteUrl).outside.map((url) => ({ siteId, url })),
  )
  const due = await withoutFresh(ctx, links)
  const visits = await visitAll(due, network, signal)
  const hasNewFailure = await store(ctx, visits)
  if (later.length > 0) await queueVisits(ctx, { kind, uids: later })
  if (hasNewFailure) await queueVisits(ctx, { kind, uids: now }, new Date(ctx.now.getTime() + untilSecondTry))
  return { visited: visits.length }
}

async function withoutFresh(ctx: SystemCtx, links: Link[]): Promise<Link[]> {
  if (links.length === 0) return []
  const since = new Date(ctx.now.getTime() - day)
  const secondTry = new Date(ctx.now.getTime() - untilSecondTry / 2)
  const { rows } = await sql<Link>`
    select distinct link.site_id as "siteId", link.url
    from unnest(${links.map(({ siteId }) => siteId)}::bigint[], ${links.map(({ url }) => url)}::text[])
      as link (site_id, url)
    where not exists (
      select from link_checks known where known.site_id = link.site_id and known.url = link.url
        and known.checked_at > case when known.outcome = 'failed' and known.failures = 1
          then ${secondTry}::timestamptz else ${since}::timestamptz end)
    order by link.url`.execute(ctx.db)
  return rows
}

type VisitedLink = Link & Visit

/** Several hosts at a time, and each of them one link after the other. */
async function visitAll(links: Link[], network: Network, signal: AbortSignal | undefined): Promise<VisitedLink[]> {
  const hosts = new Map<string, Link[]>()
  for (const link of links) {
    const { hostname } = new URL(link.url)
    hosts.set(hostname, [...(hosts.get(hostname) ?? []), link])
  }
  const byHost = [...hosts.values()]
  const turns = new HostTurns()
  const visited: VisitedLink[] = []
  const over = AbortSignal.timeout(longestRunMs)
  const ends = signal ? AbortSignal.any([signal, over]) : over
  const work = async () => {
    for (let group = byHost.shift(); group; group = byHost.shift()) {
      for (const link of group) {
        if (ends.aborted) return
        const visit = await visitLink(link.url, { network, turns, signal: ends }).catch(() => null)
        if (visit) visited.push({ ...link, ...visit })
      }
    }
  }
  await Promise.all(Array.from({ length: hostsAtOnce }, work))
  return visited
}

/** Returns whether a link failed that had not failed before. */
async function store(ctx: SystemCtx, visits: VisitedLink[]): Promise<boolean> {
  const known = visits.filter(({ outcome }) => outcome !== 'unchecked')
  if (known.length === 0) return false
  const rows = known.map(({ siteId, url, outcome, status }) => ({ site_id: siteId, url, outcome, status }))
  const stored = await sql<{ failures: number }>`
    insert into link_checks as known (site_id, url, outcome, status, failures, checked_at)
    select site_id, url, outcome, status, (outcome = 'failed')::int, ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as visit (site_id bigint, url text, outcome text, status integer)
    order by site_id, url
    on conflict (site_id, url) do update set
      outcome = excluded.outcome, status = excluded.status, checked_at = excluded.checked_at,
      failures = case when excluded.outcome = 'failed' then least(known.failures + 1, 1000) else 0 end
    returning failures`.execute(ctx.db)
  return stored.rows.some(({ failures }) => failures === 1)
}

/** The job: forgets links that no save has visited for a year. */
export async function deleteOldLinkChecks(ctx: SystemCtx): Promise<void> {
  await ctx.db
    .deleteFrom('link_checks')
    .where('checked_at', '<', new Date(ctx.now.getTime() - 365 * day))
    .execute()
}
