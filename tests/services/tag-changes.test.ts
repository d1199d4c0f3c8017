import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listPartsOf } from '~/services/access/parts.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid, NotFound } from '~/services/errors.ts'
import { updateModule } from '~/services/modules/save-module.server.ts'
import {
  deleteTags,
  getTagWithItems,
  listRemovedTags,
  listTagsWithUses,
  mergeTags,
  planMerge,
  purgeRemovedTags,
  renameTag,
  restoreTag,
} from '~/services/tags/change-tags.server.ts'
import { ensureTags, listTagTexts } from '~/services/tags/tags.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse, aFilm } from '../support/search.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx

beforeAll(async () => {
  const viewer = await aUser(db, { groups: ['admins'], plan: null, firstName: 'Ana', lastName: 'Moreau' })
  admin = await aContext(db, { viewer })
})

beforeEach(async () => {
  await db.deleteFrom('removed_tags').execute()
  await db.deleteFrom('tags').execute()
})

async function moduleWith(...tags: string[]): Promise<string> {
  const { uid } = await aModule(admin, { comingSoon: true })
  await updateModule(admin, { moduleUid: uid, tags })
  return uid
}

async function tagsOf(moduleUid: string): Promise<string[]> {
  const parts = await listPartsOf(admin, 'modules', [moduleUid], ['tags'])
  return (parts.get(moduleUid)?.tags ?? []).map(({ text }) => text)
}

async function uidOf(text: string): Promise<string> {
  const tag = (await listTagsWithUses(admin)).find((one) => one.text === text)
  if (!tag) throw new Error(`There is no tag ${text}`)
  return tag.uid
}

async function tagEverything(text: string): Promise<void> {
  const [tagUid = ''] = await ensureTags(admin, { texts: [text] })
  const course = await aCourse(admin, { name: 'Assays for all' })
  const lecture = await aFilm(admin, 'lecture', { name: 'On assays' })
  const video = await aFilm(admin, 'video', { name: 'An assay' })
  for (const [table, column, id] of [
    ['course_tags', 'course_id', course.id],
    ['lecture_tags', 'lecture_id', lecture.id],
    ['video_tags', 'video_id', video.id],
  ] as const) {
    await sql`
      insert into ${sql.table(table)} (site_id, ${sql.ref(column)}, tag_id)
      select site_id, ${id}, id from tags where uid = ${tagUid}`.execute(db)
  }
}

describe('uses', () => {
  test('are counted by kind without deleted content, and listed by name', async () => {
    await tagEverything('Assays')
    await moduleWith('Assays', 'Screening')
    const deleted = await moduleWith('Assays')
    await db.updateTable('modules').set({ deleted_at: new Date() }).where('uid', '=', deleted).execute()
    const rows = await listTagsWithUses(admin)
    expect(rows.map(({ text, uses }) => [text, uses])).toEqual([
      ['Assays', { modules: 1, courses: 1, lectures: 1, videos: 1 }],
      ['Screening', { modules: 1, courses: 0, lectures: 0, videos: 0 }],
    ])
    const { tag, items, total } = await getTagWithItems(admin, { tagUid: await uidOf('Assays'), most: 3 })
    expect([tag.text, items.length, total]).toEqual(['Assays', 3, 4])
    expect(items.map(({ kind, name }) => `${kind} ${name}`).slice(0, 2)).toEqual([
      'videos An assay',
      'courses Assays for all',
    ])
  })
})

describe('renameTag', () => {
  test('changes the text everywhere, also only its case, and is done once', async () => {
    const module = await moduleWith('assay')
    const tagUid = await uidOf('assay')
    await renameTag(admin, { tagUid, text: 'Assay' })
    await Promise.all([1, 2, 3].map(() => renameTag(admin, { tagUid, text: 'Assays' })))
    expect(await tagsOf(module)).toEqual(['Assays'])
    const entries = await listAuditEntries(admin, { entity: 'tag', entityUid: tagUid })
    expect(entries.map(({ after }) => after?.text)).toEqual(['Assay', 'Assays'])
  })

  test('of two tags renamed to one text at once, one gets it and the other is told', async () => {
    await moduleWith('One', 'Two')
    const uids = [await uidOf('One'), await uidOf('Two')]
    for (let round = 0; round < 5; round++) {
      const text = `Both ${round}`
      const done = await Promise.allSettled(uids.map((tagUid) => renameTag(admin, { tagUid, text })))
      const refused = done.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
      expect(refused.map(({ message }) => message)).toEqual([
        `There is already a tag “${text}”. You can merge the two.`,
      ])
    }
  })

  test('tags that are renamed to each other at once are refused, however many do it', async () => {
    await ensureTags(admin, { texts: ['A', 'B'] })
    const [a, b] = [await uidOf('A'), await uidOf('B')]
    const renames = Array.from({ length: 12 }, (_, index) =>
      renameTag(admin, index % 2 === 0 ? { tagUid: a, text: 'B' } : { tagUid: b, text: 'A' }),
    )
    for (const result of await Promise.allSettled(renames)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'tag.taken' } })
    }
  })

  test('a form that was opened before somebody else renamed the tag is told', async () => {
    await moduleWith('Assay')
    const tagUid = await uidOf('Assay')
    await renameTag(admin, { tagUid, text: 'Assays', openedText: 'Assay' })
    await expect(renameTag(admin, { tagUid, text: 'Assay', openedText: 'Assay' })).rejects.toThrow(
      'Somebody else has changed this tag to “Assays”. Save again to use yours.',
    )
    expect(await renameTag(admin, { tagUid, text: 'Assays', openedText: 'Assay' })).toMatchObject({ text: 'Assays' })
  })

  test('refuses an empty text, the text of another tag, and a tag that is gone', async () => {
    await moduleWith('Assays', 'Screening')
    const tagUid = await uidOf('Assays')
    await expect(renameTag(admin, { tagUid, text: ' ' })).rejects.toThrow('Tag is required')
    await expect(renameTag(admin, { tagUid, text: 'screening' })).rejects.toThrow(
      'There is already a tag “Screening”. You can merge the two.',
    )
    await deleteTags(admin, { tagsToDelete: ['Assays'] })
    await expect(renameTag(admin, { tagUid, text: 'Tests' })).rejects.toThrow(NotFound)
  })

  test('is for admins, each of their own site', async () => {
    await moduleWith('Assays')
    await expectGuarded(renameTag, { tagUid: await uidOf('Assays'), text: 'Tests' }, { by: ['admins'] })
  })
})

describe('mergeTags', () => {
  test('gives everything the other tag once, and undoing it leaves each item as it was', async () => {
    const [both, one, other] = [
      await moduleWith('Assay', 'Assays'),
      await moduleWith('Assay'),
      await moduleWith('Assays'),
    ]
    const [tagUid, into] = [await uidOf('Assay'), await uidOf('Assays')]
    expect(await planMerge(admin, { tagUid, into, most: 1 })).toMatchObject({
      items: 2,
      alreadyThere: 1,
      first: [{ kind: 'modules', hasOther: expect.any(Boolean) }],
    })
    const { first } = await planMerge(admin, { tagUid, into, most: 10 })
    expect(new Map(first.map(({ uid, hasOther }) => [uid, hasOther]))).toEqual(
      new Map([
        [both, true],
        [one, false],
      ]),
    )
    const { removalUid } = await mergeTags(admin, { tagUid, into })
    expect([await tagsOf(both), await tagsOf(one), await tagsOf(other)]).toEqual([['Assays'], ['Assays'], ['Assays']])
    expect(await listTagTexts(admin)).toEqual(['Assays'])
    expect(await listRemovedTags(admin)).toMatchObject([
      { uid: removalUid, text: 'Assay', mergedInto: 'Assays', removedBy: 'Ana Moreau' },
    ])
    await restoreTag(admin, { removalUid })
    expect([await tagsOf(both), await tagsOf(one), await tagsOf(other)]).toEqual([
      ['Assay', 'Assays'],
      ['Assay'],
      ['Assays'],
    ])
    expect(await uidOf('Assay')).toBe(tagUid)
  })

  test('reaches all kinds of content', async () => {
    await tagEverything('Assay')
    await ensureTags(admin, { texts: ['Tests'] })
    const { removalUid } = await mergeTags(admin, { tagUid: await uidOf('Assay'), into: await uidOf('Tests') })
    const usesOf = async (text: string) => (await listTagsWithUses(admin)).find((tag) => tag.text === text)?.uses
    expect(await usesOf('Tests')).toEqual({ modules: 0, courses: 1, lectures: 1, videos: 1 })
    await restoreTag(admin, { removalUid })
    expect(await usesOf('Tests')).toEqual({ modules: 0, courses: 0, lectures: 0, videos: 0 })
    expect(await usesOf('Assay')).toEqual({ modules: 0, courses: 1, lectures: 1, videos: 1 })
  })

  test('mergers after each other are undone from the last one to the first', async () => {
    const [a, b] = [await moduleWith('A'), await moduleWith('B')]
    await ensureTags(admin, { texts: ['C'] })
    const first = await mergeTags(admin, { tagUid: await uidOf('A'), into: await uidOf('B') })
    const second = await mergeTags(admin, { tagUid: await uidOf('B'), into: await uidOf('C') })
    expect([await tagsOf(a), await tagsOf(b)]).toEqual([['C'], ['C']])
    await expect(restoreTag(admin, { removalUid: first.removalUid })).rejects.toThrow(
      'It was merged into “B”, which was removed later. Bring that one back first.',
    )
    expect([await tagsOf(a), await tagsOf(b)]).toEqual([['C'], ['C']])
    await restoreTag(admin, { removalUid: second.removalUid })
    await restoreTag(admin, { removalUid: first.removalUid })
    expect([await tagsOf(a), await tagsOf(b)]).toEqual([['A'], ['B']])
  })

  test('a tag finds the one that it was merged into under the uid that it came back with', async () => {
    const [a, b] = [await moduleWith('A'), await moduleWith('B')]
    await ensureTags(admin, { texts: ['C'] })
    const first = await mergeTags(admin, { tagUid: await uidOf('A'), into: await uidOf('B') })
    const second = await mergeTags(admin, { tagUid: await uidOf('B'), into: await uidOf('C') })
    await ensureTags(admin, { texts: ['B'] })
    await restoreTag(admin, { removalUid: second.removalUid })
    await restoreTag(admin, { removalUid: first.removalUid })
    expect([await tagsOf(a), await tagsOf(b)]).toEqual([['A'], ['B']])
  })

  test('an undo while the other tag is merged takes that one away, or waits for the other undo', async () => {
    await ensureTags(admin, { texts: ['Last'] })
    for (let turn = 0; turn < 8; turn += 1) {
      const module = await moduleWith(`A${turn}`)
      await ensureTags(admin, { texts: [`B${turn}`] })
      const { removalUid } = await mergeTags(admin, { tagUid: await uidOf(`A${turn}`), into: await uidOf(`B${turn}`) })
      const [undone] = await Promise.allSettled([
        restoreTag(admin, { removalUid }),
        mergeTags(admin, { tagUid: await uidOf(`B${turn}`), into: await uidOf('Last') }),
      ])
      expect([await tagsOf(module), undone.status === 'fulfilled' || undone.reason.code]).toEqual(
        undone.status === 'fulfilled' ? [[`A${turn}`], true] : [['Last'], 'tag.removed_later'],
      )
    }
  })

  test('a merger is not undone while the tag that was left has the old text', async () => {
    const [a, b] = [await moduleWith('A'), await moduleWith('B')]
    const into = await uidOf('B')
    const { removalUid } = await mergeTags(admin, { tagUid: await uidOf('A'), into })
    await renameTag(admin, { tagUid: into, text: 'A' })
    await expect(restoreTag(admin, { removalUid })).rejects.toThrow('is called “A” now. Rename that one first.')
    expect([await tagsOf(a), await tagsOf(b)]).toEqual([['A'], ['A']])
    await renameTag(admin, { tagUid: into, text: 'B' })
    await restoreTag(admin, { removalUid })
    expect([await tagsOf(a), await tagsOf(b)]).toEqual([['A'], ['B']])
  })

  test('what two mergers gave one tag keeps it until both are undone', async () => {
    const both = await moduleWith('A', 'C')
    await ensureTags(admin, { texts: ['B'] })
    const first = await mergeTags(admin, { tagUid: await uidOf('A'), into: await uidOf('B') })
    const second = await mergeTags(admin, { tagUid: await uidOf('C'), into: await uidOf('B') })
    await restoreTag(admin, { removalUid: first.removalUid })
    expect(await tagsOf(both)).toEqual(['A', 'B'])
    await restoreTag(admin, { removalUid: second.removalUid })
    expect(await tagsOf(both)).toEqual(['A', 'C'])
  })

  test('refuses a tag that is merged into itself or into nothing', async () => {
    await moduleWith('Assay')
    const tagUid = await uidOf('Assay')
    await expect(mergeTags(admin, { tagUid, into: tagUid.toUpperCase() })).rejects.toThrow(Invalid)
    await expect(mergeTags(admin, { tagUid, into: '00000000-0000-4000-8000-000000000000' })).rejects.toThrow(
      'There is no such tag.',
    )
    expect(await listTagTexts(admin)).toEqual(['Assay'])
  })

  test('ten times at once happens once, and two opposite mergers leave one tag', async () => {
    const module = await moduleWith('Assay', 'Assays')
    const [tagUid, into] = [await uidOf('Assay'), await uidOf('Assays')]
    const done = await Promise.allSettled(Array.from({ length: 10 }, () => mergeTags(admin, { tagUid, into })))
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await ensureTags(admin, { texts: ['Tests'] })
    const tests = await uidOf('Tests')
    await Promise.allSettled([
      mergeTags(admin, { tagUid: into, into: tests }),
      mergeTags(admin, { tagUid: tests, into }),
    ])
    expect(await listTagTexts(admin)).toHaveLength(1)
    expect(await tagsOf(module)).toHaveLength(1)
  })

  test('is for admins, each of their own site', async () => {
    await moduleWith('Assay', 'Assays')
    const input = { tagUid: await uidOf('Assay'), into: await uidOf('Assays') }
    await expectGuarded(planMerge, { ...input, most: 10 }, { by: ['admins'] })
    await expectGuarded(mergeTags, input, { by: ['admins'] })
  })
})

describe('restoreTag', () => {
  test('brings a removed tag back to what had it and still exists, within thirty days, once', async () => {
    const [kept, gone] = [await moduleWith('Assays'), await moduleWith('Assays')]
    await deleteTags(admin, { tagsToDelete: ['Assays'] })
    expect(await tagsOf(kept)).toEqual([])
    await db.deleteFrom('modules').where('uid', '=', gone).execute()
    const [removed] = await listRemovedTags(admin)
    const removalUid = removed?.uid ?? ''
    const all = await Promise.allSettled([1, 2, 3].map(() => restoreTag(admin, { removalUid })))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await tagsOf(kept)).toEqual(['Assays'])
    expect(await listRemovedTags(admin)).toEqual([])
  })

  test('uses a tag of the same text that somebody has made since', async () => {
    const before = await moduleWith('Assays')
    await deleteTags(admin, { tagsToDelete: ['Assays'] })
    const since = await moduleWith('ASSAYS')
    const [removed] = await listRemovedTags(admin)
    await restoreTag(admin, { removalUid: removed?.uid ?? '' })
    expect([await tagsOf(before), await tagsOf(since)]).toEqual([['ASSAYS'], ['ASSAYS']])
  })

  test('is too late after thirty days, when a job has dropped the note', async () => {
    await moduleWith('Assays')
    await deleteTags(admin, { tagsToDelete: ['Assays'] })
    const [removed] = await listRemovedTags(admin)
    const later = { ...admin, now: new Date(admin.now.getTime() + 30 * 86_400_000) }
    await expect(restoreTag(later, { removalUid: removed?.uid ?? '' })).rejects.toThrow(NotFound)
    await purgeRemovedTags({ ...admin, now: new Date(later.now.getTime() - 1) })
    expect(await listRemovedTags(admin)).toHaveLength(1)
    await purgeRemovedTags(later)
    expect(await listRemovedTags(admin)).toEqual([])
  })

  test('is for admins, each of their own site', async () => {
    await moduleWith('Assays')
    await deleteTags(admin, { tagsToDelete: ['Assays'] })
    const [removed] = await listRemovedTags(admin)
    await expectGuarded(restoreTag, { removalUid: removed?.uid ?? '' }, { by: ['admins'] })
    await expectGuarded(listRemovedTags, undefined as never, { by: ['admins'], elsewhere: null })
    expect(await listRemovedTags(admin)).toHaveLength(1)
  })

  test('the tag of an open form that was merged away comes back when the form is saved', async () => {
    // Accepted: the form says what its author saw. A merger cannot know of forms that are open.
    const module = await moduleWith('Assay')
    await ensureTags(admin, { texts: ['Assays'] })
    await mergeTags(admin, { tagUid: await uidOf('Assay'), into: await uidOf('Assays') })
    await updateModule(admin, { moduleUid: module, tags: ['Assay'] })
    expect(await tagsOf(module)).toEqual(['Assay'])
  })
})
