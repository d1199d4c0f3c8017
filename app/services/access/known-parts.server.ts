/**
 * What earlier states of content refer to: plans, tags, chapters, modules and files. For the history of content, which
 * shows their names and brings back only those that still exist.
 */
import { type RawBuilder, sql } from 'kysely'
import { storedKeys } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'

/** Plans, chapters and modules by uid, files by their stored names, tags by their texts. */
type PartKind = 'plans' | 'chapters' | 'modules' | 'files' | 'tags'
export type PartKeys = Partial<Record<PartKind, readonly string[]>>

/** A module that was deleted keeps its name for thirty days. */
type KnownPart = { name: string; isThere: boolean }
export type KnownParts = Record<PartKind, Map<string, KnownPart>>

/** Finds those of the parts that the site still has, by their keys, with one query. */
export async function findKnownParts(ctx: Ctx, keys: PartKeys): Promise<KnownParts> {
  const known: KnownParts = {
    plans: new Map(),
    chapters: new Map(),
    modules: new Map(),
    files: new Map(),
    tags: new Map(),
  }
  const { plans = [], chapters = [], modules = [], files = [], tags = [] } = keys
  const selects = [
    ...select(ctx, { kind: 'plans', table: 'access_plans', uids: plans }),
    ...select(ctx, { kind: 'chapters', table: 'chapters', uids: chapters }),
    ...select(ctx, { kind: 'modules', table: 'modules', uids: modules, isThere: sql`deleted_at is null` }),
  ]
  if (files.length > 0) {
    selects.push(sql`select 'files' as kind, name as key, original_file_name as name, true as "isThere"
      from stored_files where site_id = ${ctx.site.id} and name = any(${[...files]}::text[])`)
  }
  if (tags.length > 0) {
    selects.push(sql`select 'tags' as kind, text_key as key, text as name, true as "isThere"
      from tags where site_id = ${ctx.site.id} and text_key = any(${tags.flatMap(storedKeys)}::text[])`)
  }
  if (selects.length === 0) return known
  const { rows } = await sql<{ kind: PartKind; key: string } & KnownPart>`
    ${sql.join(selects, sql` union all `)}`.execute(ctx.db)
  for (const { kind, key, name, isThere } of rows) known[kind].set(key, { name, isThere })
  const tagsByKey = known.tags
  known.tags = new Map()
  for (const text of tags) {
    const tag = storedKeys(text).flatMap((key) => tagsByKey.get(key) ?? [])[0]
    if (tag) known.tags.set(text, tag)
  }
  return known
}

type Named = {
  kind: PartKind
  table: 'access_plans' | 'chapters' | 'modules'
  uids: readonly string[]
  isThere?: RawBuilder<unknown>
}

function select(ctx: Ctx, { kind, table, uids, isThere = sql`true` }: Named): RawBuilder<unknown>[] {
  const asked = uids.filter(isUid)
  if (asked.length === 0) return []
  return [
    sql`select ${kind} as kind, uid::text as key, name, ${isThere} as "isThere"
      from ${sql.table(table)} where site_id = ${ctx.site.id} and uid = any(${asked}::uuid[])`,
  ]
}

/** The fields that all kinds of content share. */
type Shared = { accessPlanUids: string[]; tags: string[] }
type FileFields<State> = { [Field in keyof State]?: string }

/**
 * Takes out of an earlier state the plans and tags that no longer exist, and keeps the present file where the earlier
 * one is no longer stored. `files` names the fields that hold the name of a file. `leftOut`: a sentence for each of
 * these.
 */
export async function withoutGoneParts<State extends Shared>(
  ctx: Ctx,
  input: { earlier: State; now: State; files: FileFields<State> },
): Promise<{ state: State; leftOut: string[] }> {
  const { earlier, now } = input
  const fileFields = (Object.keys(input.files) as (keyof State)[]).filter((field) => earlier[field] !== now[field])
  const fileOf = (field: keyof State) => (typeof earlier[field] === 'string' ? [earlier[field] as string] : [])
  const known = await findKnownParts(ctx, {
    plans: earlier.accessPlanUids,
    tags: earlier.tags,
    files: fileFields.flatMap(fileOf),
  })
  const leftOut: string[] = []
  const gonePlans = earlier.accessPlanUids.filter((uid) => !known.plans.has(uid))
  if (gonePlans.length > 0) leftOut.push(goneSentence(gonePlans.length, 'group', 'groups'))
  const goneTags = earlier.tags.filter((text) => !known.tags.has(text))
  if (goneTags.length > 0) leftOut.push(goneSentence(goneTags.length, 'tag', 'tags', goneTags))
  const state = {
    ...earlier,
    accessPlanUids: earlier.accessPlanUids.filter((uid) => known.plans.has(uid)),
    tags: earlier.tags.filter((text) => known.tags.has(text)),
  }
  for (const field of fileFields) {
    if (fileOf(field).every((name) => known.files.has(name))) continue
    state[field] = now[field]
    leftOut.push(`The ${input.files[field]} from that revision is no longer stored, so the current one was kept.`)
  }
  return { state, leftOut }
}

/** "2 tags no longer exist and were left out: “a”, “b”." */
export function goneSentence(count: number, one: string, many: string, names: string[] = []): string {
  const what =
    count === 1 ? `1 ${one} no longer exists and was left out` : `${count} ${many} no longer exist and were left out`
  const shown = names.slice(0, 5).map((name) => `“${name}”`)
  const more = names.length > shown.length ? ' and others' : ''
  return `${what}${shown.length > 0 ? `: ${shown.join(', ')}${more}` : ''}.`
}
