import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { changedOrder } from '~/pages/modules-page.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid } from '~/services/errors.ts'
import { updateModulesOrder, updateModulesOrders } from '~/services/modules/order.server.ts'
import { listModulesOfChapters } from '~/services/modules/parts.server.ts'
import { listChaptersOfSections } from '~/services/sections/sections.server.ts'
import { deleteTags } from '~/services/tags/change-tags.server.ts'
import { ensureTags } from '~/services/tags/tags.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx

beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
})

async function sectionWithChapters(ctx: Ctx, position: number) {
  const section = await db
    .selectFrom('sections')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .orderBy('position')
    .offset(position)
    .limit(1)
    .executeTakeFirstOrThrow()
  const chapters = (await listChaptersOfSections(ctx, [section.uid])).get(section.uid) ?? []
  return { uid: section.uid, chapters: chapters.map(({ uid }) => uid) }
}

/** Three modules of a chapter in the order of creation, and one that is not on the modules page. */
async function modulesAt(chapter: string): Promise<string[]> {
  const modules = [await aModule(admin), await aModule(admin), await aModule(admin), await aModule(admin)]
  for (const [position, { id }] of modules.entries()) {
    await db
      .insertInto('module_chapters')
      .values((eb) => ({
        site_id: admin.site.id,
        module_id: id,
        chapter_id: eb.selectFrom('chapters').select('id').where('uid', '=', chapter),
        position,
      }))
      .execute()
  }
  const hidden = modules.pop()
  await db
    .updateTable('modules')
    .set({ in_self_study: false })
    .where('id', '=', hidden?.id ?? 0)
    .execute()
  return modules.map(({ uid }) => uid)
}

async function orderAt(chapter: string): Promise<string[]> {
  return ((await listModulesOfChapters(admin, [chapter])).get(chapter) ?? []).map(({ uid }) => uid)
}

describe('updateModulesOrder', () => {
  test('A-215 A-229 A-051 an admin orders modules of chapters and chapters of a section, in one call', async () => {
    const section = await sectionWithChapters(admin, 0)
    const [chapter = ''] = section.chapters
    const [one = '', two = '', three = ''] = await modulesAt(chapter)
    const turned = [...section.chapters].reverse()
    await updateModulesOrder(admin, {
      chapters: [{ uid: chapter, moduleUids: [three, one, two] }],
      section: { uid: section.uid, chapterUids: turned },
    })
    expect(await orderAt(chapter)).toEqual([three, one, two])
    expect((await sectionWithChapters(admin, 0)).chapters).toEqual(turned)
  })

  test('A-049 orders of several sections are saved together or not at all, for admins, as often as they are sent', async () => {
    const [first, second] = [await sectionWithChapters(admin, 0), await sectionWithChapters(admin, 1)]
    const chaptersNow = async () => [
      (await sectionWithChapters(admin, 0)).chapters,
      (await sectionWithChapters(admin, 1)).chapters,
    ]
    const turned = [first, second].map(({ chapters }) => [...chapters].reverse())
    const orders = [first, second].map(({ uid }, index) => ({ section: { uid, chapterUids: turned[index] ?? [] } }))
    const broken = { section: { uid: second.uid, chapterUids: first.chapters } }
    await expect(updateModulesOrders(admin, { orders: [...orders.slice(0, 1), broken] })).rejects.toThrow(Conflict)
    expect(await chaptersNow()).toEqual([first.chapters, second.chapters])
    await expectGuarded(updateModulesOrders, { orders }, { by: ['admins'] })
    await Promise.all(Array.from({ length: 10 }, () => updateModulesOrders(admin, { orders })))
    expect(await chaptersNow()).toEqual(turned)
  })

  test('if two people open the same order, the second save is refused', async () => {
    const section = await sectionWithChapters(admin, 2)
    const [chapter = ''] = section.chapters
    const [one = '', two = '', three = ''] = await modulesAt(chapter)
    const opened = { openedModuleUids: [one, two, three] }
    await updateModulesOrder(admin, { chapters: [{ uid: chapter, moduleUids: [two, one, three], ...opened }] })
    const second = { chapters: [{ uid: chapter, moduleUids: [three, one, two], ...opened }] }
    const name = `${admin.viewer?.firstName} ${admin.viewer?.lastName}`
    await expect(updateModulesOrder(admin, second)).rejects.toThrow(`${name} has changed the modules in “`)
    const turned = [...section.chapters].reverse()
    const save = (openedChapterUids: string[]) =>
      updateModulesOrder(admin, { section: { uid: section.uid, chapterUids: turned, openedChapterUids } })
    await save(section.chapters)
    const [last = '', middle = '', ...others] = turned
    const chapterUids = [middle, last, ...others]
    const back = { section: { uid: section.uid, chapterUids, openedChapterUids: section.chapters } }
    await expect(updateModulesOrder(admin, back)).rejects.toThrow(`${name} has changed the chapters of `)
    await save(section.chapters)
    await updateModulesOrder(admin, { chapters: [{ uid: chapter, moduleUids: [two, one, three], ...opened }] })
    expect(await orderAt(chapter)).toEqual([two, one, three])
  })

  test('A-050 lists that do not match the current ones are refused, and nothing is written', async () => {
    const section = await sectionWithChapters(admin, 1)
    const [chapter = '', other = ''] = section.chapters
    const [one = '', two = '', three = ''] = await modulesAt(chapter)
    const refused = [
      { chapters: [{ uid: chapter, moduleUids: [two, one] }] },
      { chapters: [{ uid: other, moduleUids: [one, two, three] }] },
      {
        chapters: [{ uid: chapter, moduleUids: [three, two, one] }],
        section: { uid: section.uid, chapterUids: [chapter] },
      },
    ]
    for (const data of refused) await expect(updateModulesOrder(admin, data)).rejects.toThrow(Conflict)
    const twice = { chapters: [{ uid: chapter, moduleUids: [one, one, two] }] }
    await expect(updateModulesOrder(admin, twice)).rejects.toThrow(Invalid)
    expect(await orderAt(chapter)).toEqual([one, two, three])
  })

  test('is for admins of the site', async () => {
    const section = await sectionWithChapters(admin, 2)
    const data = { section: { uid: section.uid, chapterUids: section.chapters } }
    await expectGuarded(updateModulesOrder, data, { by: ['admins'] })
  })

  test('ten orders at once end with one of them', async () => {
    const section = await sectionWithChapters(admin, 2)
    const [chapter = ''] = section.chapters
    const [one = '', two = '', three = ''] = await modulesAt(chapter)
    const orders = [
      [one, two, three],
      [three, two, one],
      [two, three, one],
    ]
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        updateModulesOrder(admin, { chapters: [{ uid: chapter, moduleUids: orders[index % 3] ?? [] }] }),
      ),
    )
    expect(orders).toContainEqual(await orderAt(chapter))
  })
})

describe('deleteTags', () => {
  const texts = (tags: { text: string }[]) => tags.map(({ text }) => text)

  test('C-229 deletes tags from the site and from all content, and returns the rest', async () => {
    await ensureTags(admin, { texts: ['Kinetics', 'Potency'] })
    expect(texts(await deleteTags(admin, { tagsToDelete: ['KINETICS', 'never there'] }))).toEqual(['Potency'])
    expect(texts(await deleteTags(admin, { tagsToDelete: ['Kinetics'] }))).toEqual(['Potency'])
  })

  test('is for admins, and each site has its own tags', async () => {
    await ensureTags(admin, { texts: ['Shared'] })
    const ns = await aContext(db, {
      site: 'ns',
      viewer: await aUser(db, { site: 'ns', groups: ['admins'], plan: null }),
    })
    await deleteTags(ns, { tagsToDelete: ['Shared'] })
    expect(texts(await deleteTags(admin, { tagsToDelete: ['other'] }))).toContain('Shared')
    const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
    await expect(deleteTags(author, { tagsToDelete: ['Shared'] })).rejects.toThrow(Forbidden)
    await expect(deleteTags(await aContext(db), { tagsToDelete: ['Shared'] })).rejects.toThrow('Login required.')
    await expect(deleteTags(admin, { tagsToDelete: [] })).rejects.toThrow(Invalid)
  })

  test('ten overlapping deletions at once all succeed', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `Race ${index}`)
    await ensureTags(admin, { texts: names })
    const lists = names.map((_, index) => [...names.slice(index), ...names.slice(0, index)])
    await Promise.all(lists.map((tagsToDelete) => deleteTags(admin, { tagsToDelete })))
    expect(texts(await deleteTags(admin, { tagsToDelete: ['x'] })).filter((text) => text.startsWith('Race'))).toEqual(
      [],
    )
  })
})

test('an order that was sent as it was opened is no change, whatever it names', () => {
  const [section, chapter, module] = [randomUUID(), randomUUID(), randomUUID()]
  const list = [{ uid: chapter, inside: [{ uid: module }] }]
  expect(changedOrder(section, { order: [], opened: [] })).toBeNull()
  expect(changedOrder(section, { order: list, opened: list })).toBeNull()
  expect(changedOrder(section, { order: [{ uid: chapter, inside: [] }], opened: list })).toEqual({
    chapters: [{ uid: chapter, moduleUids: [], openedModuleUids: [module] }],
    section: null,
  })
})
