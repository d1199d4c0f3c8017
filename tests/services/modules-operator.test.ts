/** Whole modules from who owns the installation: what the seed makes is what an author could save as it is. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { getModuleToEdit, isModuleSaved } from '~/services/modules/edit.server.ts'
import { getModule } from '~/services/modules/modules.server.ts'
import { createModuleAsOperator, type OperatorModule } from '~/services/modules/operator.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { aStorage, auXml, courseXml, packageZip } from '../support/packages.ts'
import { db } from '../support/test.ts'

let picture: Buffer
aStorage()

beforeAll(async () => {
  picture = await sharp({ create: { width: 700, height: 394, channels: 3, background: '#0b6b69' } })
    .png()
    .toBuffer()
})

async function plansOf(siteId: number): Promise<string[]> {
  const rows = await db.selectFrom('access_plans').select('uid').where('site_id', '=', siteId).execute()
  return rows.map((row) => row.uid)
}

async function aModule(siteId: number, values: Partial<OperatorModule> = {}): Promise<OperatorModule> {
  return {
    uid: randomUUID(),
    name: `Module ${randomUUID()}`,
    description: 'What it is about',
    coverImgDesc: 'A green ground',
    tags: ['assays', 'safety'],
    chapterName: 'Screening',
    accessPlanUids: await plansOf(siteId),
    comingSoon: false,
    publish: true,
    cover: Readable.from([picture]),
    zip: { file: Readable.from([packageZip()]), fileName: 'module.zip' },
    ...values,
  }
}

async function countOf(uid: string) {
  const modules = await db.selectFrom('modules').select('id').where('uid', '=', uid).execute()
  const versions = await db
    .selectFrom('module_versions')
    .innerJoin('modules', 'modules.id', 'module_versions.module_id')
    .select('module_versions.id')
    .where('modules.uid', '=', uid)
    .execute()
  return [modules.length, versions.length]
}

test('a module is published with everything that the dialog asks for, and can be saved there as it is', async () => {
  const ctx = await aContext(db)
  const input = await aModule(ctx.site.id)
  const made = await createModuleAsOperator(ctx, input)
  expect(made.package?.status).toBe('parsed')
  const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
  const { module, state } = await getModuleToEdit(author, { moduleUid: input.uid })
  expect(module.publishedVersionUid).not.toBeNull()
  expect(state).toMatchObject({ name: input.name, coverImgDesc: 'A green ground', tags: ['assays', 'safety'] })
  expect(state.chapterUid).not.toBeNull()
  const { coverImg } = state
  if (!coverImg) throw new Error('the module has no cover')
  expect(await isModuleSaved(author, { ...state, coverImg, moduleUid: input.uid })).toBe(true)
  const covers = await db
    .selectFrom('stored_files as derivative')
    .innerJoin('stored_files as original', 'original.id', 'derivative.original_id')
    .innerJoin('modules', 'modules.cover_file_id', 'original.id')
    .select(['derivative.content_type as type', 'derivative.width'])
    .where('modules.uid', '=', input.uid)
    .execute()
  expect(covers).toEqual([{ type: 'image/webp', width: 700 }])
})

test('a module that is coming soon may be without a package, and no other', async () => {
  const ctx = await aContext(db)
  const soon = await aModule(ctx.site.id, { comingSoon: true, publish: false, zip: null })
  expect((await createModuleAsOperator(ctx, soon)).package).toBeNull()
  const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
  expect(await getModule(author, { moduleUid: soon.uid })).toMatchObject({
    comingSoon: true,
    publishedVersionUid: null,
  })
  const bare = await aModule(ctx.site.id, { zip: null })
  await expect(createModuleAsOperator(ctx, bare)).rejects.toThrow('Please upload a CMI5 zip file')
  expect(await countOf(bare.uid)).toEqual([0, 0])
  const both = await aModule(ctx.site.id, { comingSoon: true })
  await expect(createModuleAsOperator(ctx, both)).rejects.toThrow(/can't be published/)
})

test('what is wrong leaves nothing behind', async () => {
  const ctx = await aContext(db)
  const foreign = await aContext(db, { site: 'ns' })
  for (const wrong of [
    { chapterName: 'No Such Chapter' },
    { description: 'x'.repeat(251) },
    { name: 'x'.repeat(66) },
    { accessPlanUids: [...(await plansOf(ctx.site.id)), ...(await plansOf(foreign.site.id))] },
  ]) {
    const input = await aModule(ctx.site.id, wrong)
    await expect(createModuleAsOperator(ctx, input), Object.keys(wrong)[0]).rejects.toThrow()
    expect(await countOf(input.uid)).toEqual([0, 0])
  }
})

test('a package that cannot be read stays a draft and says why', async () => {
  const ctx = await aContext(db)
  const bad = packageZip(courseXml(auXml({ url: 'missing.html' })))
  const input = await aModule(ctx.site.id, { zip: { file: Readable.from([bad]), fileName: 'bad.zip' } })
  const made = await createModuleAsOperator(ctx, input)
  expect(made.package).toMatchObject({ status: 'error' })
  expect(made.package?.lastMsg).toContain('missing.html')
})

test('asked again, one after the other or ten at once, there is one module of it', async () => {
  const ctx = await aContext(db)
  const input = await aModule(ctx.site.id)
  const again = () =>
    createModuleAsOperator(ctx, {
      ...input,
      cover: Readable.from([picture]),
      zip: { file: Readable.from([packageZip()]), fileName: 'module.zip' },
    })
  await Promise.all(Array.from({ length: 10 }, again))
  expect((await again()).package?.status).toBe('parsed')
  expect(await countOf(input.uid)).toEqual([1, 1])
})

test('a uid of the other site is not touched', async () => {
  const ctx = await aContext(db)
  const input = await aModule(ctx.site.id)
  await createModuleAsOperator(ctx, input)
  const other = await aContext(db, { site: 'ns' })
  await expect(createModuleAsOperator(other, await aModule(other.site.id, { uid: input.uid }))).rejects.toThrow()
  expect(await countOf(input.uid)).toEqual([1, 1])
})
