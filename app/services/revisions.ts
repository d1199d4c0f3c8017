/**
 * Merges forms that two people can have open at the same time. A save names the revision at which its form was opened,
 * and is merged field by field with what others have saved since. A field that only one of them changed keeps that
 * change. If both changed a field to different values, the second save is refused with the name of the first person and
 * the current value (`ChangedMeanwhile`).
 *
 * This requires that every change of such a field raises the entity's revision and writes an audit entry, with the
 * earlier values in `before` and the new revision in `after`. The state at an earlier revision is computed from these
 * entries.
 */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Ctx } from './context.ts'
import { Conflict, type FieldErrors } from './errors.ts'

/** The stored fields of a form, and the revision of this state. Lists are in a fixed order. */
export type Revised<State> = { state: State; revision: number }

/** Somebody else has changed the same fields since the form was opened. Nothing was saved. */
export class ChangedMeanwhile<State extends object = object> extends Conflict {
  /** The current state, and the revision to send with the next save. */
  readonly now: Revised<State>
  /** Fields that others changed and the sender did not. The form adopts their values. */
  readonly takenOver: Field<State>[]
  constructor(problem: string, fieldErrors: FieldErrors, merged: { now: Revised<State>; takenOver: Field<State>[] }) {
    super('changed_meanwhile', `${problem} What you typed is still here.`, fieldErrors)
    this.now = merged.now
    this.takenOver = merged.takenOver
  }
}

export type Field<State> = keyof State & string

type AuditedChange = { action: string; before: unknown; after: unknown; actorId: number | null; actorName: string }

export type Save<State> = {
  entity: string
  entityUid: string
  /** What the refusal says has changed: "this module". */
  subject: string
  now: Revised<State>
  /** The revision at which the form was opened; undefined for a program, which overwrites what differs. */
  revision: number | undefined
  mine: Partial<State>
  /** Lists whose order matters. Other lists are the same in any order. */
  ordered?: readonly Field<State>[]
  /** Tells whether an audit entry concerns this form. Needed only if the entity has several forms. */
  isAbout?: (change: AuditedChange) => boolean
  /** Describes the current value of a field in a sentence. */
  describe: (field: Field<State>, state: State) => string | Promise<string>
}

type OpenedSave<State> = Save<State> & { revision: number }

/** The values to write, none of which is stored already, and the fields that others changed and this form did not. */
type Merged<State> = { changes: Partial<State>; keptOfOthers: Field<State>[] }

/**
 * Merges a save while the entity is locked. Throws ChangedMeanwhile if two people changed a field to different values.
 */
export async function mergeSave<State extends object>(ctx: Ctx, save: Save<State>): Promise<Merged<State>> {
  const { now, mine, revision, ordered = [] } = save
  if (revision === undefined) {
    return { changes: pickFields(mine, changedFields(now.state, mine, ordered)), keptOfOthers: [] }
  }
  const base = await stateAt(ctx, { ...save, revision })
  const { contested, changes, keptOfOthers } = merge({ base: base?.state ?? null, mine, now: now.state, ordered })
  if (contested.length === 0) return { changes, keptOfOthers }
  const fieldErrors: FieldErrors = {}
  const isOwn = (field: Field<State>) => ctx.viewer !== null && base?.changedBy.get(field)?.id === ctx.viewer.id
  for (const field of contested) {
    const who = base?.changedBy.get(field)?.name ?? 'Somebody'
    const what = isOwn(field) ? 'You changed this in another window.' : `${who} changed this while you were editing.`
    fieldErrors[field] = `${what} ${await save.describe(field, now.state)} Save again to use yours.`
  }
  const problem = contested.every(isOwn)
    ? `You changed ${save.subject} in another window.`
    : `Somebody else changed ${save.subject} while you were editing.`
  throw new ChangedMeanwhile(problem, fieldErrors, { now, takenOver: keptOfOthers })
}

/**
 * Does a three-way merge. Without a base, because the revision is too old, every field that differs from the stored
 * state counts as changed by both.
 */
export function merge<State extends object>(states: {
  base: State | null
  mine: Partial<State>
  now: State
  ordered?: readonly Field<State>[]
}): Merged<State> & { contested: Field<State>[] } {
  const { base, mine, now, ordered = [] } = states
  const changedByMe = changedFields(base ?? now, mine, ordered)
  const changedByOthers = base ? changedFields(base, now, ordered) : changedByMe
  const toWrite = changedByMe.filter((field) => !isSame(mine[field], now[field], ordered.includes(field)))
  return {
    changes: pickFields(mine, toWrite),
    contested: changedByOthers.filter((field) => toWrite.includes(field)),
    keptOfOthers: changedByOthers.filter((field) => !changedByMe.includes(field)),
  }
}

/** Returns the fields of `after` that differ from `before`. `ordered` names the lists whose order matters. */
export function changedFields<State extends object>(
  before: State,
  after: Partial<State>,
  ordered: readonly Field<State>[] = [],
): Field<State>[] {
  return fieldsOf(before).filter(
    (field) => field in after && !isSame(before[field], after[field], ordered.includes(field)),
  )
}

export function pickFields<State extends object>(state: Partial<State>, fields: Field<State>[]): Partial<State> {
  return Object.fromEntries(
    fields.filter((field) => field in state).map((field) => [field, state[field]]),
  ) as Partial<State>
}

type StateAt<State> = { state: State; changedBy: Map<Field<State>, Person> }

type Person = { id: number | null; name: string }

/**
 * Returns the state at an earlier revision and who has changed which fields since. Returns null if the revision is too
 * old.
 */
async function stateAt<State extends object>(ctx: Ctx, save: OpenedSave<State>): Promise<StateAt<State> | null> {
  const changes = await listChangesSince(ctx, save)
  if (!changes) return null
  let { state } = save.now
  const changedBy = new Map<Field<State>, Person>()
  for (const change of changes) {
    if (save.isAbout && !save.isAbout(change)) continue
    const before = (change.before ?? {}) as Partial<State>
    const fields = fieldsOf(state).filter((field) => field in before)
    state = { ...state, ...pickFields(before, fields) }
    // The changes are newest first, so this names the last person who changed the field.
    const person = { id: change.actorId, name: change.actorName }
    for (const field of fields) if (!changedBy.has(field)) changedBy.set(field, person)
  }
  return { state, changedBy }
}

const maxChanges = 200

/**
 * Lists the changes since the form was opened, newest first. Returns null if the audit log does not have all of them.
 */
async function listChangesSince<State>(
  ctx: Ctx,
  { entity, entityUid, now, revision }: OpenedSave<State>,
): Promise<AuditedChange[] | null> {
  if (revision === now.revision) return []
  if (!Number.isInteger(revision) || revision < 0 || revision > now.revision) return null
  const entries = await ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'before', 'after', 'actor_id as actorId', 'actor_name as actorName'])
    .where('entity', '=', entity)
    .where('entity_uid', '=', entityUid)
    .where(sql<boolean>`(after ->> 'revision')::int > ${revision}`)
    .orderBy('id', 'desc')
    .limit(maxChanges + 1)
    .execute()
  return entries.length === now.revision - revision ? entries : null
}

function fieldsOf<State extends object>(state: State): Field<State>[] {
  return Object.keys(state) as Field<State>[]
}

function isSame(one: unknown, other: unknown, isOrdered: boolean): boolean {
  // Not as JSON text: the audit log returns the keys of objects in another order.
  if (isOrdered) return isDeepStrictEqual(one, other)
  if (Array.isArray(one) && Array.isArray(other)) return [...one].sort().join('\n') === [...other].sort().join('\n')
  return one === other
}
