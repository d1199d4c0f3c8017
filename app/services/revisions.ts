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
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from './context.ts'
import { Conflict, type FieldErrors, Invalid, NotFound } from './errors.ts'
import { parseInput } from './input.ts'

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

/** Names a revision before the stored state. */
type Earlier<State> = {
  entity: string
  entityUid: string
  now: Revised<State>
  revision: number
  /** SQL that tells whether an audit entry concerns this form. Needed only if the entity has several forms. */
  isAbout?: RawBuilder<SqlBool>
}

export type Save<State> = Omit<Earlier<State>, 'revision'> & {
  /** What the refusal says has changed: "this module". */
  subject: string
  /** The revision at which the form was opened; undefined for a program, which overwrites what differs. */
  revision: number | undefined
  mine: Partial<State>
  /** Lists whose order matters. Other lists are the same in any order. */
  ordered?: readonly Field<State>[]
  /** Describes the current value of a field in a sentence. `base`: the values of the opened form, if they are known. */
  describe: (field: Field<State>, state: State, base: State | null) => string | Promise<string>
  /** The save also sends, so it is refused if others have changed a field that the form does not show. */
  isSending?: boolean
  /** A sentence about what others have changed besides the fields of the state. The save is then refused. */
  otherProblem?: string
}

/** The values to write, none of which is stored already, and the fields that others changed and this form did not. */
type Merged<State> = { changes: Partial<State>; keptOfOthers: Field<State>[] }

/**
 * Merges a save while the entity is locked. Throws ChangedMeanwhile if two people changed a field to different values, with
 * `isSending` if others changed anything, and with `otherProblem`.
 */
export async function mergeSave<State extends object>(ctx: Ctx, save: Save<State>): Promise<Merged<State>> {
  const { now, mine, revision, ordered = [] } = save
  if (revision === undefined) {
    return { changes: pickFields(mine, changedFields(now.state, mine, ordered)), keptOfOthers: [] }
  }
  const base = await stateAt(ctx, { ...save, revision })
  const { contested, changes, keptOfOthers } = merge({ base: base?.state ?? null, mine, now: now.state, ordered })
  const { isSending = false, otherProblem } = save
  const refused = isSending ? [...contested, ...keptOfOthers] : contested
  if (refused.length === 0 && otherProblem === undefined) return { changes, keptOfOthers }
  const fieldErrors: FieldErrors = {}
  const isOwn = (field: Field<State>) => ctx.viewer !== null && base?.changedBy.get(field)?.id === ctx.viewer.id
  for (const field of refused) {
    const who = base?.changedBy.get(field)?.name ?? 'Somebody'
    const what = isOwn(field) ? 'You changed this in another window.' : `${who} changed this while you were editing.`
    const use = isSending ? 'Send again to use yours.' : 'Save again to use yours.'
    const then = contested.includes(field) ? use : 'Check it, and send again.'
    fieldErrors[field] = `${what} ${await save.describe(field, now.state, base?.state ?? null)} ${then}`
  }
  const usualProblem = refused.every(isOwn)
    ? `You changed ${save.subject} in another window.`
    : `Somebody else changed ${save.subject} while you were editing.`
  throw new ChangedMeanwhile(otherProblem ?? usualProblem, fieldErrors, { now, takenOver: keptOfOthers })
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
 * Returns the state at an earlier revision, which has of each field the value before its first change since then, and
 * who has changed each field last. Null if the audit log does not have all changes since then.
 */
async function stateAt<State extends object>(
  ctx: Ctx,
  { entity, entityUid, now, revision, isAbout = sql<SqlBool>`true` }: Earlier<State>,
): Promise<StateAt<State> | null> {
  if (revision === now.revision) return { state: now.state, changedBy: new Map() }
  if (!Number.isInteger(revision) || revision < 0 || revision > now.revision) return null
  const { rows } = await sql<{ count: number; values: Partial<State>; people: Record<string, Person> }>`
    with later as (
      select (after ->> 'revision')::int as revision, case when ${isAbout} then before end as before,
        jsonb_build_object('id', actor_id, 'name', actor_name) as person
      from audit_entries
      where entity = ${entity} and entity_uid = ${entityUid} and site_id = ${ctx.site.id}
        and (after ->> 'revision')::int > ${revision}),
    changes as (
      select field.key, field.value, revision, person from later, jsonb_each(later.before) field),
    earliest as (select distinct on (key) key, value from changes order by key, revision),
    latest as (select distinct on (key) key, person from changes order by key, revision desc)
    select (select count(*)::int from later) as count,
      (select coalesce(jsonb_object_agg(key, value), '{}') from earliest) as values,
      (select coalesce(jsonb_object_agg(key, person), '{}') from latest) as people`.execute(ctx.db)
  const [row] = rows
  if (!row || row.count !== now.revision - revision) return null
  const fields = fieldsOf(now.state).filter((field) => field in row.values)
  return {
    state: { ...now.state, ...pickFields(row.values, fields) },
    changedBy: new Map(
      fields.flatMap((field) => {
        const person = row.people[field]
        return person ? [[field, person]] : []
      }),
    ),
  }
}

/** What bringing back an earlier revision would change, and a sentence for each thing that cannot come back. */
export type RestorePlan<State extends object = object> = {
  now: Revised<State>
  changes: Partial<State>
  leftOut: string[]
}

/**
 * The input of the doors that bring a revision back. `opened`: the revision at which the person was asked. `shownTimes`: the
 * key of when a message was to go out then.
 */
export type RestoreInput = { uid: string; revision: number; opened?: number; shownTimes?: string }

/** `isChanged` is false if everything already was as at that revision. */
export type RestoredRevision = { name: string; isChanged: boolean; leftOut: string[] }

type RestoreOf<State extends object> = Omit<Earlier<State>, 'isAbout'> & {
  opened?: number
  ordered?: readonly Field<State>[]
  /** Takes out of the earlier state what no longer exists. */
  adapt: (then: State) => Promise<{ state: State; leftOut: string[] }>
}

/**
 * Compares the stored state with that of an earlier revision. Throws NotFound if the audit log does not reach back to
 * it, and Conflict if somebody has saved since the person was asked. If nothing would change, it does not matter who
 * has saved, so a request may be repeated.
 */
export async function planRestore<State extends object>(
  ctx: Ctx,
  restore: RestoreOf<State>,
): Promise<RestorePlan<State>> {
  const { now, opened, ordered, adapt } = restore
  const then = await stateAt(ctx, restore)
  if (!then) throw new NotFound('This revision does not exist.')
  const { state, leftOut } = await adapt(then.state)
  const changes = pickFields<State>(state, changedFields(now.state, state, ordered))
  if (opened !== undefined && opened !== now.revision && Object.keys(changes).length > 0) {
    throw new Conflict(
      'revision.changed_meanwhile',
      'Somebody has saved changes since this page was opened. Look at what would change now, then restore again.',
    )
  }
  return { now, changes, leftOut }
}

/** Checks the values of an earlier revision by today's rules. Throws Conflict with what they do not meet. */
export function parseRestored<S extends z.ZodTypeAny>(
  schema: S,
  changes: Record<string, unknown>,
  labels: Record<string, string>,
): z.output<S> {
  try {
    return parseInput(schema, changes)
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    const [[field = '', problem] = []] = Object.entries(error.fieldErrors)
    const label = labels[field.split(/[.[]/)[0] ?? '']
    const sentence = problem ?? error.message
    throw new Conflict(
      'revision.refused',
      `This revision does not meet today’s rules, so it cannot be restored. ${label ? `${label}: ` : ''}${sentence}`,
    )
  }
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
