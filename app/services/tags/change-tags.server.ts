/**
 * Removes, renames, merges and restores tags, for admins. A tag leaves or changes on all content at once; a form that
 * was opened earlier brings the old tag back when it is saved. What a removal or a merger took away is kept for thirty
 * days.
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import { deleteTagsForm } from '~/forms/delete-tags.ts'
import { mergeTagForm, renameTagForm } from '~/forms/tag-changes.ts'
import { caseKey, storedKeys } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { addTagToItems, removeTagFromItems } from '../access/parts-writes.server.ts'
import {
  type Carriers,
  countUsesOfTags,
  listCarriersOfTags,
  listItemsWithTag,
  type TaggedItem,
  type TagUses,
} from '../access/tagged.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin, type SystemCtx } from '../context.ts'
import { Conflict, Invalid, NameTaken, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import {
  addTagToOptions,
  listOptionsOfTags,
  removeTagFromOptions,
  renameTagOfOptions,
} from '../questionnaire/option-tags.server.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { queueIndexingOfTagged } from '../search/documents.server.ts'
import { findKeys, listAllTags, type Tag } from './tags.server.ts'

type TagRow = Tag & { id: number; key: string }

/**
 * Removes tags from the site and from all content, and returns the remaining ones. Ignores unknown tags, so that a
 * request may be repeated.
 */
export async function deleteTags(ctx: Ctx, input: { tagsToDelete: string[] }): Promise<Tag[]> {
  requireAdmin(ctx, 'write')
  const { tagsToDelete } = parseInput(deleteTagsForm, input)
  await inTransaction(ctx, async (ctx) => {
    const keyOf = await findKeys(ctx, tagsToDelete)
    const tags = await lockTags(ctx, { keys: tagsToDelete.map(keyOf) })
    await takeAway(ctx, tags, null)
    await recordAudit(
      ctx,
      ...tags.map(({ uid, text }) => ({
        action: 'tag.deleted',
        entity: 'tag',
        entityUid: uid,
        before: { text },
      })),
    )
  })
  return listAllTags(ctx)
}

function textIsTaken(text: string, otherUid: string | null): NameTaken {
  const problem = `There is already a tag “${text}”. You can merge the two.`
  return new NameTaken('tag.taken', problem, { field: 'text', otherUid })
}

/** Changes the text of a tag wherever it is used. The text of another tag is refused: those two can be merged. */
export async function renameTag(ctx: Ctx, input: z.input<typeof renameTagForm> & { tagUid: string }): Promise<Tag> {
  requireAdmin(ctx, 'write')
  const { text, openedText } = parseInput(renameTagForm, input)
  return inTransaction(ctx, async (ctx) => {
    const wanted = input.tagUid.toLowerCase()
    const locked = await lockTags(ctx, { uids: [wanted], keys: storedKeys(text) })
    const tag = locked.find(({ uid }) => uid === wanted)
    if (!tag) throw new NotFound()
    if (tag.text === text) return { uid: tag.uid, text }
    if (openedText && openedText !== tag.text) {
      const problem = `Somebody else has changed this tag to “${tag.text}”. Save again to use yours.`
      throw new Conflict('tag.changed', problem, { text: problem })
    }
    const taken = locked.find(({ uid }) => uid !== tag.uid)
    if (taken) throw textIsTaken(taken.text, taken.uid)
    await ctx.db
      .updateTable('tags')
      .set({ text, text_key: caseKey(text) })
      .where('id', '=', tag.id)
      .execute()
      .catch((error: { code?: string }) => {
        // Somebody has made a tag of this text at the same moment.
        throw error.code === '23505' ? textIsTaken(text, null) : error
      })
    await renameTagOfOptions(ctx, { from: tag.key, to: caseKey(text) })
    await queueIndexingOfTagged(ctx, { tagUids: [tag.uid] })
    await recordAudit(ctx, {
      action: 'tag.renamed',
      entity: 'tag',
      entityUid: tag.uid,
      before: { text: tag.text },
      after: { text },
    })
    return { uid: tag.uid, text }
  })
}

type MergeInput = z.input<typeof mergeTagForm> & { tagUid: string }

/** Says what a merger would do: how many items have the tag, and how many of them have the other one already. */
export async function planMerge(
  ctx: Ctx,
  input: MergeInput & { most: number },
): Promise<{ into: Tag; items: number; alreadyThere: number; first: Awaited<ReturnType<typeof listItemsWithTag>> }> {
  requireAdmin(ctx)
  return inTransaction(ctx, async (ctx) => {
    const { from, into } = await lockPair(ctx, input)
    const carriers = await listCarriersOfTags(ctx, { tagIds: [from.id, into.id] })
    const had = carriers.get(from.id) ?? {}
    const items = countOf(had)
    const first = await listItemsWithTag(ctx, { tagUid: from.uid, most: input.most, otherUid: into.uid })
    return { into: tagOf(into), first, items, alreadyThere: items - countOf(without(had, carriers.get(into.id) ?? {})) }
  })
}

function countOf(carriers: Carriers): number {
  return Object.values(carriers).reduce((sum, ids) => sum + ids.length, 0)
}

/** Locks the tag to merge and the one to merge it into. */
async function lockPair(ctx: Ctx, input: MergeInput): Promise<{ from: TagRow; into: TagRow }> {
  const { into: intoUid } = parseInput(mergeTagForm, input)
  if (intoUid === input.tagUid.toLowerCase()) {
    const problem = 'A tag cannot be merged into itself.'
    throw new Invalid(problem, { into: problem })
  }
  const tags = await lockTags(ctx, { uids: [input.tagUid, intoUid] })
  const from = tags.find(({ uid }) => uid === input.tagUid.toLowerCase())
  const into = tags.find(({ uid }) => uid === intoUid)
  if (!from) throw new NotFound()
  if (!into) throw new Invalid('There is no such tag.', { into: 'There is no such tag.' })
  return { from, into }
}

/** Gives everything that has a tag another tag instead. Returns the uid of the removal, which can be undone. */
export async function mergeTags(ctx: Ctx, input: MergeInput): Promise<{ removalUid: string; from: Tag; into: Tag }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { from, into } = await lockPair(ctx, input)
    const [removal] = await takeAway(ctx, [from], into)
    if (!removal) throw new NotFound()
    await recordAudit(ctx, {
      action: 'tag.merged',
      entity: 'tag',
      entityUid: from.uid,
      before: { text: from.text },
      after: { into: into.text },
    })
    return { removalUid: removal.uid, from: tagOf(from), into: tagOf(into) }
  })
}

/**
 * Removes locked tags and notes what had them. With `into`, these items get that tag first. The note says which of them
 * did not have it before, so that undoing a merger takes it away from those only.
 */
async function takeAway(ctx: Ctx, tags: TagRow[], into: TagRow | null): Promise<{ uid: string }[]> {
  if (tags.length === 0) return []
  const tagUids = tags.map(({ uid }) => uid)
  // Before anything changes: the locks keep a running job from indexing what it has read before.
  await queueIndexingOfTagged(ctx, { tagUids: into ? [...tagUids, into.uid] : tagUids })
  const tagIds = tags.map(({ id }) => id)
  const carriers = await listCarriersOfTags(ctx, { tagIds: into ? [...tagIds, into.id] : tagIds })
  const options = into
    ? await listOptionsOfTags(ctx, { keys: [...tags, into].map(({ key }) => key) })
    : new Map<string, number[]>()
  const removals = await ctx.db
    .insertInto('removed_tags')
    .values(
      tags.map((tag) => {
        const had = { ...carriers.get(tag.id), options: options.get(tag.key) ?? [] }
        const got = into ? without(had, { ...carriers.get(into.id), options: options.get(into.key) ?? [] }) : {}
        return {
          site_id: ctx.site.id,
          tag_uid: tag.uid,
          text: tag.text,
          text_key: tag.key,
          merged_into_uid: into?.uid ?? null,
          carriers: JSON.stringify({ had, got }),
          deleted_by: ctx.viewer?.id ?? null,
          removed_at: ctx.now,
        }
      }),
    )
    .returning('uid')
    .execute()
  if (into) {
    for (const tag of tags) {
      await addTagToItems(ctx, { tagId: into.id, carriers: carriers.get(tag.id) ?? {} })
      await addTagToOptions(ctx, { key: into.key, optionIds: options.get(tag.key) ?? [] })
    }
  }
  await ctx.db.deleteFrom('tags').where('id', 'in', tagIds).execute()
  return removals
}

/** What has a tag: content, and answers of the questionnaire that stand for it. They keep their tag while it is removed. */
type Had = Carriers & { options?: number[] }

/** Returns the items of `all` that are not among `others`. */
function without(all: Had, others: Had): Had {
  return Object.fromEntries(
    Object.entries(all).map(([kind, ids]) => {
      const known = new Set(others[kind as keyof Had])
      return [kind, ids.filter((id) => !known.has(id))]
    }),
  )
}

function together(one: Had, other: Had): Had {
  const kinds = [...new Set([...Object.keys(one), ...Object.keys(other)])] as (keyof Had)[]
  return Object.fromEntries(kinds.map((kind) => [kind, [...new Set([...(one[kind] ?? []), ...(other[kind] ?? [])])]]))
}

/** A tag that was removed or merged in the last thirty days. */
export type RemovedTag = { uid: string; text: string; mergedInto: string | null; removedAt: Date; removedBy: string }

const mostRemoved = 100

/** Lists what `restoreTag` can bring back, some only after a later one, newest first, up to a hundred. */
export async function listRemovedTags(ctx: Ctx): Promise<RemovedTag[]> {
  requireAdmin(ctx)
  return await ctx.db
    .selectFrom('removed_tags as removed')
    .leftJoin('tags as target', (join) =>
      join.onRef('target.uid', '=', 'removed.merged_into_uid').onRef('target.site_id', '=', 'removed.site_id'),
    )
    .leftJoin('users', 'users.id', 'removed.deleted_by')
    .select(['removed.uid', 'removed.text', 'target.text as mergedInto', 'removed.removed_at as removedAt'])
    .select(sql<string>`concat_ws(' ', users.first_name, users.last_name)`.as('removedBy'))
    .where('removed.site_id', '=', ctx.site.id)
    .where('removed.removed_at', '>', daysAgo(ctx, restorableDays))
    .orderBy('removed.removed_at', 'desc')
    .orderBy('removed.id', 'desc')
    .limit(mostRemoved)
    .execute()
}

/**
 * Brings a tag back to everything that had it and still exists. After a merger, the other tag leaves the items that got
 * it by the merger. If somebody has made a tag of this text in the meantime, that tag is used. Conflict if the other tag was
 * removed later, or has the text now.
 */
export async function restoreTag(ctx: Ctx, input: { removalUid: string }): Promise<Tag> {
  requireAdmin(ctx, 'write')
  if (!isUid(input.removalUid)) throw new NotFound()
  return inTransaction(ctx, async (ctx) => {
    const removal = await ctx.db
      .deleteFrom('removed_tags')
      .where('site_id', '=', ctx.site.id)
      .where('uid', '=', input.removalUid)
      .where('removed_at', '>', daysAgo(ctx, restorableDays))
      .returning(['tag_uid as tagUid', 'text', 'text_key as key', 'merged_into_uid as intoUid', 'carriers'])
      .executeTakeFirst()
    if (!removal) throw new NotFound('This tag has already been brought back, or it was removed too long ago.')
    const { had, got } = removal.carriers as { had: Had; got: Had }
    // It may be about to be removed.
    if (removal.intoUid !== null) await lockTags(ctx, { uids: [removal.intoUid] })
    const later = await ctx.db
      .selectFrom('removed_tags')
      .select('text')
      .where('site_id', '=', ctx.site.id)
      .where('tag_uid', '=', removal.intoUid)
      .where('removed_at', '>', daysAgo(ctx, restorableDays))
      .executeTakeFirst()
    if (later) {
      const problem = `It was merged into “${later.text}”, which was removed later. Bring that one back first.`
      throw new Conflict('tag.removed_later', problem)
    }
    const tag = await ctx.db
      .insertInto('tags')
      .values({ site_id: ctx.site.id, uid: removal.tagUid, text: removal.text, text_key: removal.key })
      .onConflict((oc) => oc.columns(['site_id', 'text_key']).doUpdateSet((eb) => ({ text: eb.ref('tags.text') })))
      .returning(['id', 'uid', 'text'])
      .executeTakeFirstOrThrow()
    if (tag.uid === removal.intoUid) {
      throw new Conflict(
        'tag.other_has_text',
        `The tag that it was merged into is called “${tag.text}” now. Rename that one first.`,
      )
    }
    // Those that were merged into it before find it under its new uid.
    await ctx.db
      .updateTable('removed_tags')
      .set({ merged_into_uid: tag.uid })
      .where('site_id', '=', ctx.site.id)
      .where('merged_into_uid', '=', removal.tagUid)
      .execute()
    await addTagToItems(ctx, { tagId: tag.id, carriers: had })
    if (removal.intoUid !== null) await takeBack(ctx, removal.intoUid, got)
    await queueIndexingOfTagged(ctx, { tagUids: [tag.uid] })
    await recordAudit(ctx, {
      action: 'tag.restored',
      entity: 'tag',
      entityUid: tag.uid,
      after: { text: tag.text },
    })
    return { uid: tag.uid, text: tag.text }
  })
}

/**
 * Takes a tag away from what got it by a merger. What another merger into the same tag had too keeps it, and belongs to
 * that merger from now on.
 */
async function takeBack(ctx: Ctx, tagUid: string, got: Had): Promise<void> {
  const [tag] = await lockTags(ctx, { uids: [tagUid] })
  if (!tag) return
  const others = await ctx.db
    .selectFrom('removed_tags')
    .select(['id', 'carriers'])
    .where('site_id', '=', ctx.site.id)
    .where('merged_into_uid', '=', tagUid)
    .orderBy('id')
    .forUpdate()
    .execute()
  let rest = got
  for (const { id, carriers } of others) {
    const other = carriers as { had: Had; got: Had }
    const left = without(rest, other.had)
    const shared = without(rest, left)
    rest = left
    if (countOf(shared) === 0) continue
    const both = { had: other.had, got: together(other.got, shared) }
    await ctx.db
      .updateTable('removed_tags')
      .set({ carriers: JSON.stringify(both) })
      .where('id', '=', id)
      .execute()
  }
  await removeTagFromItems(ctx, { tagId: tag.id, carriers: rest })
  await removeTagFromOptions(ctx, { key: tag.key, optionIds: rest.options ?? [] })
}

/** The job: drops the notes about tags that can no longer be brought back. */
export async function purgeRemovedTags(ctx: SystemCtx): Promise<void> {
  await ctx.db.deleteFrom('removed_tags').where('removed_at', '<=', daysAgo(ctx, restorableDays)).execute()
}

/** Lists all tags by text with how often each is used, up to a thousand. */
export async function listTagsWithUses(ctx: Ctx): Promise<(Tag & { uses: TagUses })[]> {
  requireAdmin(ctx)
  const tags = await listAllTags(ctx)
  const uses = await countUsesOfTags(ctx, { tagUids: tags.map(({ uid }) => uid) })
  const none: TagUses = { modules: 0, courses: 0, lectures: 0, videos: 0 }
  return tags.map((tag) => ({ ...tag, uses: uses.get(tag.uid) ?? none }))
}

type TagAndItems = { tag: Tag; items: TaggedItem[]; total: number }

/** Returns a tag, the first `most` items that carry it, by name, and how many there are. */
export async function getTagWithItems(ctx: Ctx, input: { tagUid: string; most: number }): Promise<TagAndItems> {
  requireAdmin(ctx)
  const { tagUid, most } = input
  if (!isUid(tagUid)) throw new NotFound()
  const tag = await ctx.db
    .selectFrom('tags')
    .select(['uid', 'text'])
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', tagUid)
    .executeTakeFirst()
  if (!tag) throw new NotFound()
  const [items, uses] = await Promise.all([
    listItemsWithTag(ctx, { tagUid: tag.uid, most }),
    countUsesOfTags(ctx, { tagUids: [tag.uid] }),
  ])
  const counts = Object.values(uses.get(tag.uid) ?? {})
  return { tag, items, total: counts.reduce((sum, count) => sum + count, 0) }
}

/**
 * Locks tags of the site, by their uids or the keys of their texts, in a fixed order. Those that a transaction needs are
 * locked at once: two that lock one after the other can wait for each other.
 */
async function lockTags(ctx: Ctx, { uids = [], keys = [] }: { uids?: string[]; keys?: string[] }): Promise<TagRow[]> {
  const { rows } = await sql<TagRow>`
    select id, uid, text, text_key as key from tags
    where site_id = ${ctx.site.id}
      and (uid = any(${uids.filter(isUid)}::uuid[]) or text_key = any(${keys}::text[]))
    order by id for update`.execute(ctx.db)
  return rows
}

function tagOf({ uid, text }: TagRow): Tag {
  return { uid, text }
}
