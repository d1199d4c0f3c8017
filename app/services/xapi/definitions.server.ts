import { sql } from 'kysely'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx, SystemCtx } from '../context.ts'
import { activitiesOf, iriKey, sha256 } from './identity.ts'
import { resolveTerms } from './terms.server.ts'
import { type ActivityDefinition, componentLists, type Statement } from './types.ts'
import { typesOfComponents } from './validate-definition.ts'

/*
 * Keeps one definition per activity and site (xAPI 1.0.3 communication 2.5). Packages and clients with keys define any
 * activity. A unit defines only activities of its own module; what it says about others stays in its statements.
 *
 * The process remembers the hash of the definition that each party sent last, so repeated statements about an activity
 * cost nothing.
 */
const merged = new Map<string, string>()
const maxRemembered = 50_000

/** A larger definition is not merged. It stays in its statement, and lookups return the earlier one. */
const maxDefinitionBytes = 100_000

/** The module whose unit sent the statements. `ownerOf` returns the module that an id belongs to by its form, or null. */
export type Definer = { ownerUid: string; ownerOf: (iri: string) => string | null }

/**
 * Merges what statements say about activities. `definer` is set for statements of a unit. The unit may define an
 * activity that its package declares, one with an id that we made for its module, or one that nobody has defined before,
 * which then belongs to its module.
 */
export async function mergeDefinitions(
  ctx: Ctx,
  statements: Pick<Statement, 'object' | 'context'>[],
  definer: Definer | null = null,
): Promise<void> {
  const received = new Map<string, ActivityDefinition>()
  const texts = new Map<string, string>()
  for (const { id, definition } of statements.flatMap(activitiesOf)) {
    if (!definition) continue
    const [key, text] = [iriKey(id), JSON.stringify(definition)]
    if (texts.get(key) === text) continue
    texts.set(key, text)
    received.set(key, mergeDefinition(received.get(key) ?? {}, definition))
  }
  const nameOf = (key: string) => `${ctx.site.id}|${definer?.ownerUid ?? ''}|${key}`
  const changed = [...received].filter(([key, definition]) => merged.get(nameOf(key)) !== fingerprint(definition))
  if (changed.length === 0) return
  await write(ctx, new Map(changed), definer)
  if (merged.size > maxRemembered) merged.clear()
  for (const [key, definition] of changed) merged.set(nameOf(key), fingerprint(definition))
}

/**
 * Records the activities of a package, in the transaction that imports it. The module whose package declared an activity
 * first keeps it until the module is deleted.
 */
export async function declareActivities(
  ctx: SystemCtx,
  input: { siteId: number; ownerUid: string; activities: { iri: string; definition: ActivityDefinition }[] },
): Promise<void> {
  const rows = input.activities
    .map(({ iri, definition }) => ({ iri: iriKey(iri), definition: JSON.stringify(definition) }))
    .filter(({ definition }) => Buffer.byteLength(definition) <= maxDefinitionBytes)
  await sql`
    insert into xapi_activities (site_id, iri, definition, owner_uid, is_declared, updated_at)
    select ${input.siteId}::bigint, activity.iri, activity.definition, ${input.ownerUid}::uuid, true, ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as activity (iri text, definition text)
    order by activity.iri
    on conflict (site_id, iri) do update set definition = excluded.definition, owner_uid = excluded.owner_uid,
      is_declared = true, updated_at = excluded.updated_at
    where not xapi_activities.is_declared or xapi_activities.owner_uid = excluded.owner_uid
      or not exists (
        select from modules where modules.uid = xapi_activities.owner_uid and modules.deleted_at is null)`.execute(
    ctx.db,
  )
}

async function write(ctx: Ctx, received: Map<string, ActivityDefinition>, definer: Definer | null): Promise<void> {
  await resolveTerms(ctx, { agents: [], verbs: [], activities: received.keys() })
  await inTransaction(ctx, async (ctx) => {
    const rows = await ctx.db
      .selectFrom('xapi_activities')
      .select(['id', 'iri', 'definition', 'owner_uid as ownerUid'])
      .where('site_id', '=', ctx.site.id)
      .where(sql<boolean>`iri = any(${[...received.keys()]}::text[])`)
      .orderBy('id')
      .forUpdate()
      .execute()
    const updates = rows
      .filter((row) => mayDefine(definer, row))
      .map((row) => {
        const before = row.definition ? (JSON.parse(row.definition) as ActivityDefinition) : {}
        return { ...row, next: JSON.stringify(mergeDefinition(before, received.get(row.iri) ?? {})) }
      })
      .filter((row) => row.next !== row.definition && Buffer.byteLength(row.next) <= maxDefinitionBytes)
    if (updates.length === 0) return
    await sql`
      update xapi_activities set definition = t.definition, updated_at = ${ctx.now},
        owner_uid = coalesce(owner_uid, ${definer?.ownerUid ?? null}::uuid)
      from unnest(${updates.map((row) => row.id)}::bigint[], ${updates.map((row) => row.next)}::text[]) as t(id, definition)
      where xapi_activities.id = t.id`.execute(ctx.db)
  })
}

/** An activity that only keys have defined belongs to nobody, and stays as they defined it. */
function mayDefine(
  definer: Definer | null,
  row: { iri: string; definition: string | null; ownerUid: string | null },
): boolean {
  if (definer === null) return true
  const owner = definer.ownerOf(row.iri) ?? row.ownerUid
  return owner === null ? row.definition === null : owner === definer.ownerUid
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
  return sha256(JSON.stringify(definition)).toString('base64')
}

/**
 * Returns the definitions of activities by IRI, without activities that have none. With `registration`, leaves out what
 * units of other modules have said about activities that no package declares.
 */
export async function definitionsOf(
  ctx: Ctx,
  iris: Iterable<string>,
  registration: string | null = null,
): Promise<Map<string, ActivityDefinition>> {
  const byKey = new Map([...new Set(iris)].map((iri) => [iriKey(iri), iri]))
  if (byKey.size === 0) return new Map()
  let query = ctx.db
    .selectFrom('xapi_activities')
    .select(['iri', 'definition'])
    .where('site_id', '=', ctx.site.id)
    .where('definition', 'is not', null)
    .where(sql<boolean>`iri = any(${[...byKey.keys()]}::text[])`)
  if (registration !== null) {
    query = query.where(
      sql<boolean>`(is_declared or owner_uid is null or owner_uid = (
        select modules.uid from registrations join modules on modules.id = registrations.module_id
        where registrations.uid = ${registration}))`,
    )
  }
  const rows = await query.execute()
  return new Map(rows.map((row) => [byKey.get(row.iri) as string, JSON.parse(row.definition as string)]))
}

/** Returns the module whose package declares an activity; null if none does. */
export async function findDeclaringModule(ctx: Ctx, iri: string): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('xapi_activities')
    .select('owner_uid as ownerUid')
    .where('site_id', '=', ctx.site.id)
    .where('iri', '=', iriKey(iri))
    .where('is_declared', '=', true)
    .executeTakeFirst()
  return row?.ownerUid ?? null
}
