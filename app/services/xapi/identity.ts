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
  // Not `push(...)`, because a very long list of activities does not fit on the stack.
  return object.objectType === 'SubStatement' ? found.concat(activitiesOf(object)) : found
}

/**
 * Returns the hash of the content that identifies a statement. Leaves out what an LRS fills in and what may be
 * shortened (xAPI 1.0.3 data 2.3.1, 2.0 4.2: id, timestamp, stored, authority, version, attachments, definitions,
 * displays). Durations are compared as text, cut to hundredths of a second (4.6).
 */
export function contentHash(statement: Statement): Buffer {
  return sha256(canonicalJson(comparableCore(statement)))
}

/** Names each part, because copying all but some properties of an object is slow, and this runs for each statement. */
function comparableCore({ actor, verb, object, result, context }: Core) {
  return {
    actor: comparableActor(actor),
    verb: verb.id,
    object: comparableObject(object),
    result: result?.duration === undefined ? result : { ...result, duration: comparableDuration(result.duration) },
    context: context && comparableContext(context),
  }
}

type Core = Pick<Statement, 'actor' | 'verb' | 'object' | 'result' | 'context'>

function comparableDuration(duration: string): string {
  return duration.replace(/([.,]\d\d)\d+/, '$1').replace(/[.,]0+(?=\D)/, '')
}

function comparableContext(context: NonNullable<Statement['context']>) {
  const { instructor, team, contextAgents, contextGroups, contextActivities } = context
  const idsOf = (kind: (typeof contextActivityKinds)[number]) =>
    (contextActivities?.[kind] ?? []).map(({ id }) => id).sort()
  return {
    ...context,
    instructor: instructor && comparableActor(instructor),
    team: team && comparableActor(team),
    contextAgents: contextAgents?.map((one) => ({ ...one, agent: comparableActor(one.agent) })),
    contextGroups: contextGroups?.map((one) => ({ ...one, group: comparableActor(one.group) })),
    contextActivities: {
      category: idsOf('category'),
      grouping: idsOf('grouping'),
      other: idsOf('other'),
      parent: idsOf('parent'),
    },
  }
}

function comparableObject(object: Statement['object']): unknown {
  if (isActivity(object)) return { activity: object.id }
  if (isActor(object)) return { actor: comparableActor(object) }
  if (object.objectType === 'StatementRef') return { ref: object.id }
  const at = object.timestamp === undefined ? undefined : parseTimestamp(object.timestamp)
  return { sub: { ...comparableCore(object), at } }
}

function comparableActor(actor: Actor): unknown {
  if (actor.objectType !== 'Group') return identifierOf(actor)
  return { group: identifierOf(actor), members: (actor.member ?? []).map(identifierOf).sort() }
}

/**
 * Returns JSON with sorted keys, so that equal values give equal texts. Hashes of these texts are stored, so the texts
 * must stay the same. A third of the time of storing a batch would be spent here with a list of parts per object.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${text && ','}${canonicalJson(item)}`
    return `[${text}]`
  }
  const fields = value as Record<string, unknown>
  for (const key of Object.keys(fields).sort()) {
    const item = fields[key]
    if (item !== undefined) text += `${text && ','}${quoted(key)}:${canonicalJson(item)}`
  }
  return `{${text}}`
}

function quoted(text: string): string {
  return isPlain.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** Characters that JSON never escapes. */
const isPlain = /^[ !#-[\]-~]*$/
