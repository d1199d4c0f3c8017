import { sql } from 'kysely'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx } from '../context.ts'
import { activitiesOf, canonicalJson, iriKey, sha256 } from './identity.ts'
import { resolveTerms } from './terms.server.ts'
import { type ActivityDefinition, componentLists, type Statement } from './types.ts'
import { typesOfComponents } from './validate-definition.ts'

/*
 * Keeps one definition per activity and site, merged from all statements (xAPI 1.0.3 communication 2.5). The process
 * remembers the hash of the definition it merged last, so repeated statements about an activity cost nothing.
 */
const merged = new Map<string, string>()
const maxRemembered = 50_000

export async function mergeDefinitions(ctx: Ctx, statements: Pick<Statement, 'object' | 'context'>[]): Promise<void> {
  const received = new Map<string, ActivityDefinition>()
  for (const { id, definition } of statements.flatMap(activitiesOf)) {
    if (!definition) continue
    const key = iriKey(id)
    received.set(key, mergeDefinition(received.get(key) ?? {}, definition))
  }
  const changed = [...received].filter(
    ([key, definition]) => merged.get(`${ctx.site.id}|${key}`) !== fingerprint(definition),
  )
  if (changed.length === 0) return
  await write(ctx, new Map(changed))
  if (merged.size > maxRemembered) merged.clear()
  for (const [key, definition] of changed) merged.set(`${ctx.site.id}|${key}`, fingerprint(definition))
}

async function write(ctx: Ctx, received: Map<string, ActivityDefinition>): Promise<void> {
  await resolveTerms(ctx, { agents: [], verbs: [], activities: received.keys() })
  await inTransaction(ctx, async (ctx) => {
    const rows = await ctx.db
      .selectFrom('xapi_activities')
      .select(['id', 'iri', 'definition'])
      .where('site_id', '=', ctx.site.id)
      .where(sql<boolean>`iri = any(${[...received.keys()]}::text[])`)
      .orderBy('id')
      .forUpdate()
      .execute()
    const updates = rows
      .map((row) => {
        const before = row.definition ? (JSON.parse(row.definition) as ActivityDefinition) : {}
        return { ...row, next: JSON.stringify(mergeDefinition(before, received.get(row.iri) ?? {})) }
      })
      .filter((row) => row.next !== row.definition)
    if (updates.length === 0) return
    await sql`
      update xapi_activities set definition = t.definition, updated_at = ${ctx.now}
      from unnest(${updates.map((row) => row.id)}::bigint[], ${updates.map((row) => row.next)}::text[]) as t(id, definition)
      where xapi_activities.id = t.id`.execute(ctx.db)
  })
}

/**
 * Merges two definitions. Newer values win, language by language. Older values are kept, except those that belong to
 * another type of interaction.
 */
function mergeDefinition(before: ActivityDefinition, next: ActivityDefinition): ActivityDefinition {
  return {
    ...withoutForeign(before, next.interactionType),
    ...next,
    ...((before.name || next.name) && { name: { ...before.name, ...next.name } }),
    ...((before.description || next.description) && { description: { ...before.description, ...next.description } }),
    ...((before.extensions || next.extensions) && { extensions: { ...before.extensions, ...next.extensions } }),
  }
}

/**
 * Removes what does not fit the interaction type: correct responses of another type, and lists of components that this
 * type does not have.
 */
function withoutForeign(definition: ActivityDefinition, type: string | undefined): ActivityDefinition {
  if (type === undefined) return definition
  const { correctResponsesPattern, ...rest } = definition
  for (const list of componentLists) if (!typesOfComponents[list].includes(type)) delete rest[list]
  return { ...rest, ...(type === definition.interactionType && correctResponsesPattern && { correctResponsesPattern }) }
}

function fingerprint(definition: ActivityDefinition): string {
  return sha256(canonicalJson(definition)).toString('base64')
}

/** Returns the definitions of activities by IRI, without activities that have none. */
export async function definitionsOf(ctx: Ctx, iris: Iterable<string>): Promise<Map<string, ActivityDefinition>> {
  const byKey = new Map([...new Set(iris)].map((iri) => [iriKey(iri), iri]))
  const rows = await ctx.db
    .selectFrom('xapi_activities')
    .select(['iri', 'definition'])
    .where('site_id', '=', ctx.site.id)
    .where('definition', 'is not', null)
    .where(sql<boolean>`iri = any(${[...byKey.keys()]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [byKey.get(row.iri) as string, JSON.parse(row.definition as string)]))
}
