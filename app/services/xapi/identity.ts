import { createHash } from 'node:crypto'
import type { Activity, Actor, Statement, SubStatement } from './types.ts'
import { contextActivityKinds } from './types.ts'
import { parseTimestamp } from './values.ts'

/** The agents, activities and verbs that a statement names, and the comparison of statements. Pure. */

/*
 * Activities that nearly every statement of a unit has as a category. They get no index row, because a quarter of all
 * rows would be for two keys that select nearly everything. A query for them searches the bodies instead, which quickly
 * finds a full page.
 */
export const ubiquitousActivities = new Set([
  'https://w3id.org/xapi/cmi5/context/categories/cmi5',
  'https://w3id.org/xapi/cmi5/context/categories/moveon',
])

export function sha256(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest()
}

/** Returns the value or, if it is too long for an index, its hash. */
function keyOf(value: string): string {
  return Buffer.byteLength(value) <= 1000 ? value : `sha256|${sha256(value).toString('hex')}`
}

/** Returns the key of an activity or verb in the database. */
export function iriKey(iri: string): string {
  return keyOf(iri)
}

/**
 * Returns the inverse functional identifier as one text. An anonymous Group is identified by its members (xAPI 1.0.3
 * data 2.4.2.3).
 */
export function identifierOf(actor: Actor): string {
  // The domain of an email address is not case-sensitive (xAPI 1.0.3 data 2.3.1).
  if (actor.mbox !== undefined) return keyOf(`mbox|${actor.mbox.replace(/@.*$/, (domain) => domain.toLowerCase())}`)
  if (actor.mbox_sha1sum !== undefined) return keyOf(`mbox_sha1sum|${actor.mbox_sha1sum.toLowerCase()}`)
  if (actor.openid !== undefined) return keyOf(`openid|${actor.openid}`)
  if (actor.account !== undefined) return keyOf(`account|${actor.account.homePage}|${actor.account.name}`)
  const members = actor.objectType === 'Group' ? (actor.member ?? []).map(identifierOf).sort() : []
  return `group|${sha256(JSON.stringify(members)).toString('hex')}`
}

export type StatementTerms = {
  actor: string
  verb: string
  objectActivity: string | null
  refTarget: string | null
  /** Agents that a query by `agent` finds besides the actor: the object, and members of groups in actor or object. */
  agents: Set<string>
  /** Agents that only a query with related_agents finds (xAPI 1.0.3 communication 2.1.3). */
  relatedAgents: Set<string>
  /** Activities that only a query with related_activities finds; without the object itself. */
  relatedActivities: Set<string>
}

export function termsOf(statement: Statement): StatementTerms {
  const { object } = statement
  const terms: StatementTerms = {
    actor: identifierOf(statement.actor),
    verb: iriKey(statement.verb.id),
    objectActivity: isActivity(object) ? iriKey(object.id) : null,
    refTarget: object.objectType === 'StatementRef' ? object.id : null,
    agents: new Set(),
    relatedAgents: new Set(),
    relatedActivities: new Set(),
  }
  addMembers(statement.actor, terms.agents)
  if (isActor(object)) addActor(object, terms.agents)
  addContext(statement, terms)
  if (object.objectType === 'SubStatement') addSubStatement(object, terms)
  terms.agents.delete(terms.actor)
  for (const agent of [terms.actor, ...terms.agents]) terms.relatedAgents.delete(agent)
  if (terms.objectActivity) terms.relatedActivities.delete(terms.objectActivity)
  return terms
}

function addSubStatement(sub: SubStatement, terms: StatementTerms): void {
  addActor(sub.actor, terms.relatedAgents)
  if (isActivity(sub.object)) addActivity(sub.object, terms)
  if (isActor(sub.object)) addActor(sub.object, terms.relatedAgents)
  addContext(sub, terms)
}

function addContext({ context }: Pick<Statement, 'context'>, terms: StatementTerms): void {
  if (!context) return
  for (const actor of [context.instructor, context.team]) if (actor) addActor(actor, terms.relatedAgents)
  for (const { agent } of context.contextAgents ?? []) addActor(agent, terms.relatedAgents)
  for (const { group } of context.contextGroups ?? []) addActor(group, terms.relatedAgents)
  for (const kind of contextActivityKinds) {
    for (const activity of context.contextActivities?.[kind] ?? []) addActivity(activity, terms)
  }
}

function addActivity(activity: Activity, terms: StatementTerms): void {
  if (!ubiquitousActivities.has(activity.id)) terms.relatedActivities.add(iriKey(activity.id))
}

function addActor(actor: Actor, into: Set<string>): void {
  into.add(identifierOf(actor))
  addMembers(actor, into)
}

function addMembers(actor: Actor, into: Set<string>): void {
  if (actor.objectType !== 'Group') return
  for (const member of actor.member ?? []) into.add(identifierOf(member))
}

export function isActivity(object: Statement['object']): object is Activity {
  return (object.objectType ?? 'Activity') === 'Activity'
}

export function isActor(object: Statement['object']): object is Actor {
  return object.objectType === 'Agent' || object.objectType === 'Group'
}

/** Returns all activities of a statement with their definitions, so that the store can keep one definition of each. */
export function activitiesOf(statement: Pick<Statement, 'object' | 'context'>): Activity[] {
  const { object, context } = statement
  const found = contextActivityKinds.flatMap((kind) => context?.contextActivities?.[kind] ?? [])
  if (isActivity(object)) found.push(object)
  if (object.objectType === 'SubStatement') found.push(...activitiesOf(object))
  return found
}

/**
 * Returns the hash of the content that identifies a statement. Leaves out what an LRS fills in and what may be
 * shortened (xAPI 1.0.3 data 2.3.1, 2.0 4.2: id, timestamp, stored, authority, version, attachments, definitions,
 * displays). Durations are compared as text, cut to hundredths of a second (4.6).
 */
export function contentHash(statement: Statement): Buffer {
  const {
    id: _id,
    stored: _stored,
    authority: _authority,
    version: _version,
    timestamp: _timestamp,
    attachments: _attachments,
    ...rest
  } = statement
  return sha256(canonicalJson(comparableCore(rest)))
}

function comparableCore(part: Pick<Statement, 'actor' | 'verb' | 'object' | 'result' | 'context'>) {
  const { actor, verb, object, result, context, ...others } = part
  return {
    ...others,
    actor: comparableActor(actor),
    verb: verb.id,
    object: comparableObject(object),
    result: result && {
      ...result,
      duration: result.duration?.replace(/([.,]\d\d)\d+/, '$1').replace(/[.,]0+(?=\D)/, ''),
    },
    context: context && {
      ...context,
      instructor: context.instructor && comparableActor(context.instructor),
      team: context.team && comparableActor(context.team),
      contextAgents: context.contextAgents?.map((one) => ({ ...one, agent: comparableActor(one.agent) })),
      contextGroups: context.contextGroups?.map((one) => ({ ...one, group: comparableActor(one.group) })),
      contextActivities: Object.fromEntries(
        contextActivityKinds.map((kind) => [
          kind,
          (context.contextActivities?.[kind] ?? []).map(({ id }) => id).sort(),
        ]),
      ),
    },
  }
}

function comparableObject(object: Statement['object']): unknown {
  if (isActivity(object)) return { activity: object.id }
  if (isActor(object)) return { actor: comparableActor(object) }
  if (object.objectType === 'StatementRef') return { ref: object.id }
  const { timestamp, attachments: _attachments, objectType: _type, ...rest } = object
  const at = timestamp === undefined ? undefined : parseTimestamp(timestamp)
  return { sub: { ...comparableCore(rest), at } }
}

function comparableActor(actor: Actor): unknown {
  if (actor.objectType !== 'Group') return identifierOf(actor)
  return { group: identifierOf(actor), members: (actor.member ?? []).map(identifierOf).sort() }
}

/** Returns JSON with sorted keys, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const parts = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`)
  return `{${parts.join(',')}}`
}
