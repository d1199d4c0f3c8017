import { sql } from 'kysely'
import type { Database } from '~db/client.server.ts'
import type { Ctx } from '../context.ts'

/*
 * Maps agents, verbs and activities to their database ids. An id never changes, so each process caches the ids it has
 * seen. New ones are created only outside transactions, because an id that was rolled back must not be cached.
 */
type TermKeys = { agents: Iterable<string>; verbs: Iterable<string>; activities: Iterable<string> }
export type Terms = { agents: TermMap; verbs: TermMap; activities: TermMap }
type TermMap = { get(key: string): number }

type Kind = 'agents' | 'verbs' | 'activities'
type Row = { id: number; key: string }

const maxCached = 200_000
const caches: Record<Kind, Map<string, number>> = { agents: new Map(), verbs: new Map(), activities: new Map() }

/**
 * Returns the ids of all terms and creates those that are missing. Inserts are sorted, so that concurrent writers of
 * the same terms do not deadlock.
 */
export async function resolveTerms(ctx: Pick<Ctx, 'db' | 'site'>, keys: TermKeys): Promise<Terms> {
  return {
    agents: await resolve(ctx, 'agents', keys.agents),
    verbs: await resolve(ctx, 'verbs', keys.verbs),
    activities: await resolve(ctx, 'activities', keys.activities),
  }
}

/** Returns the id, or null if nobody has ever named the term; then no statement or document can match. Never writes. */
export async function findTerm(ctx: Pick<Ctx, 'db' | 'site'>, kind: Kind, key: string): Promise<number | null> {
  const known = caches[kind].get(cacheKey(ctx, kind, key))
  if (known !== undefined) return known
  const [row] = await select(ctx, kind, [key])
  if (row) remember(ctx, kind, row)
  return row?.id ?? null
}

/** The ids of those that somebody has named. Never writes. */
export async function findTerms(ctx: Pick<Ctx, 'db' | 'site'>, kind: Kind, keys: string[]): Promise<number[]> {
  return (await select(ctx, kind, [...new Set(keys)])).map(({ id }) => id)
}

async function resolve(ctx: Pick<Ctx, 'db' | 'site'>, kind: Kind, keys: Iterable<string>): Promise<TermMap> {
  const found = new Map<string, number>()
  const missing: string[] = []
  for (const key of new Set(keys)) {
    const id = caches[kind].get(cacheKey(ctx, kind, key))
    if (id === undefined) missing.push(key)
    else found.set(key, id)
  }
  if (missing.length > 0) await resolveMissing(ctx, kind, missing.sort(), found)
  return {
    get: (key) => {
      const id = found.get(key)
      if (id === undefined) throw new Error(`${kind}: ${key} was not resolved before the transaction`)
      return id
    },
  }
}

async function resolveMissing(
  ctx: Pick<Ctx, 'db' | 'site'>,
  kind: Kind,
  missing: string[],
  found: Map<string, number>,
): Promise<void> {
  const add = (rows: Row[]) => {
    for (const row of rows) {
      found.set(row.key, row.id)
      remember(ctx, kind, row)
    }
  }
  add(await select(ctx, kind, missing))
  const unknown = missing.filter((key) => !found.has(key))
  if (unknown.length === 0) return
  if (ctx.db.isTransaction) throw new Error(`New ${kind} must be created before the transaction: ${unknown[0]}`)
  add(await insert(ctx, kind, unknown))
  // Created by another writer in the meantime.
  const raced = unknown.filter((key) => !found.has(key))
  if (raced.length > 0) add(await select(ctx, kind, raced))
}

function remember(ctx: Pick<Ctx, 'db' | 'site'>, kind: Kind, { id, key }: Row): void {
  if (ctx.db.isTransaction) return
  if (caches[kind].size >= maxCached) caches[kind].clear()
  caches[kind].set(cacheKey(ctx, kind, key), id)
}

function cacheKey(ctx: Pick<Ctx, 'site'>, kind: Kind, key: string): string {
  return kind === 'activities' ? `${ctx.site.id}|${key}` : key
}

async function select(ctx: Pick<Ctx, 'db' | 'site'>, kind: Kind, keys: string[]): Promise<Row[]> {
  if (kind === 'agents') {
    return ctx.db
      .selectFrom('xapi_agents')
      .select(['id', 'identifier as key'])
      .where(sql<boolean>`identifier = any(${keys}::text[])`)
      .execute()
  }
  if (kind === 'verbs') {
    return ctx.db
      .selectFrom('xapi_verbs')
      .select(['id', 'iri as key'])
      .where(sql<boolean>`iri = any(${keys}::text[])`)
      .execute()
  }
  return ctx.db
    .selectFrom('xapi_activities')
    .select(['id', 'iri as key'])
    .where('site_id', '=', ctx.site.id)
    .where(sql<boolean>`iri = any(${keys}::text[])`)
    .execute()
}

async function insert(ctx: { db: Database; site: { id: number } }, kind: Kind, keys: string[]): Promise<Row[]> {
  if (kind === 'agents') {
    const { rows } = await sql<Row>`
      insert into xapi_agents (identifier) select key from unnest(${keys}::text[]) as t(key) order by key
      on conflict do nothing returning id, identifier as key`.execute(ctx.db)
    return rows
  }
  if (kind === 'verbs') {
    const { rows } = await sql<Row>`
      insert into xapi_verbs (iri) select key from unnest(${keys}::text[]) as t(key) order by key
      on conflict do nothing returning id, iri as key`.execute(ctx.db)
    return rows
  }
  const { rows } = await sql<Row>`
    insert into xapi_activities (site_id, iri) select ${ctx.site.id}, key from unnest(${keys}::text[]) as t(key) order by key
    on conflict do nothing returning id, iri as key`.execute(ctx.db)
  return rows
}
