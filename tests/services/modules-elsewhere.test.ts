/** cmi5 13.1.4: if no remaining unit of a module opens here, nobody is offered Start, Resume or Retake. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { viewsOfCards } from '~/pages/modules.server.ts'
import { findBegun } from '~/pages/search-hits.server.ts'
import { endLaunch, getLaunch, launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict } from '~/services/errors.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'
import { isForOtherProgram } from '~/services/packages/packages.server.ts'
import { otherProgramOf } from '~/services/packages/urls.ts'
import { listStartedModules } from '~/services/progress/started.server.ts'
import { aModule, aModuleVersion, type TestModule, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'

let ctx: Ctx

beforeAll(async () => {
  ctx = await aContext(db)
})

const steam = { url: 'steam://run/1' }
const aLearner = async () => aContext(db, { viewer: await aUser(db) })

async function viewOf(learner: Ctx, { uid }: TestModule) {
  const [view] = await viewsOfCards(learner, [...(await listCardsOfModules(learner, [uid])).values()])
  if (!view) throw new Error('The module has no card')
  return { versionUid: view.versionUid, isElsewhere: view.isElsewhere, percent: view.percent }
}

test('the query and the launch agree on which units open in another program', async () => {
  const urls = [
    'steam://run/1',
    'ZOOMMTG:join',
    'http-x:y',
    'https://a.example/b',
    'HTTP://a.example/',
    'index.html',
    'folder/a:b.html',
    '1a:b',
    'a%3Ab.html?x=mailto:y',
  ]
  const { rows } = await sql<{ url: string; isOther: boolean }>`
    select url, ${isForOtherProgram('url')} as "isOther" from unnest(${urls}::text[]) as url`.execute(db)
  expect(rows).toHaveLength(urls.length)
  for (const { url, isOther } of rows) expect([url, isOther]).toEqual([url, otherProgramOf(url) !== null])
})

test('a module with only such units is not offered, and one with a unit for browsers is', async () => {
  const [only, mixed, usual] = [
    await aModule(ctx, { units: [steam] }),
    await aModule(ctx, { units: [steam, {}] }),
    await aModule(ctx, { units: [{}, {}] }),
  ]
  const learner = await aLearner()
  expect(await viewOf(learner, only)).toEqual({ versionUid: null, isElsewhere: true, percent: null })
  await expect(launchUnit(learner, { moduleVersionUid: only.versionUid })).rejects.toThrow(Conflict)
  for (const { uid, versionUid } of [mixed, usual]) {
    expect(await viewOf(learner, { ...mixed, uid })).toEqual({ versionUid, isElsewhere: false, percent: null })
  }
})

test('once all units that open here are done, Resume is offered nowhere, to this learner only', async () => {
  const module = await aModule(ctx, { units: [{}, steam, {}] })
  const { uid, versionUid } = module
  const [learner, other] = [await aLearner(), await aLearner()]
  const launch = { moduleVersionUid: versionUid }
  const hit = { kind: 'module' as const, uid, isOpenable: true }
  await visit(learner, launch, 'completed')
  expect(await viewOf(learner, module)).toEqual({ versionUid, isElsewhere: false, percent: 33 })
  expect((await findBegun(learner, [hit])).get(uid)).toEqual({ versionUid, percent: 33 })
  expect((await visit(learner, launch, 'completed')).session.unitId).toBe(module.units[2]?.id)
  expect(await viewOf(learner, module)).toEqual({ versionUid: null, isElsewhere: true, percent: 66 })
  expect((await findBegun(learner, [hit])).get(uid)).toEqual({ versionUid: null, percent: 66 })
  expect((await listStartedModules(learner, {})).items).toMatchObject([{ uid, isElsewhere: true }])
  expect(await viewOf(other, module)).toEqual({ versionUid, isElsewhere: false, percent: null })
})

test('a completed module can be retaken if one of its units opens here', async () => {
  const module = await aModule(ctx, { units: [{}, steam] })
  const learner = await aLearner()
  const { session } = await visit(learner, { moduleVersionUid: module.versionUid }, 'completed')
  expect((await viewOf(learner, module)).isElsewhere).toBe(true)
  // The state after staff waive the unit that opens elsewhere.
  const done = { progress: 100, waived_at: ctx.now, waive_reason: 'Administrative' }
  const [unit] = module.units.slice(1)
  const registration = await db
    .updateTable('registrations')
    .set({ progress_percent: 100 })
    .where('uid', '=', session.registrationUid)
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('registration_units')
    .values({ registration_id: registration.id, unit_id: unit?.id ?? 0, move_on: 'Completed', ...done })
    .onConflict((oc) => oc.columns(['registration_id', 'unit_id']).doUpdateSet(done))
    .execute()
  expect(await viewOf(learner, module)).toMatchObject({ versionUid: module.versionUid, isElsewhere: false })
})

test('a begun attempt decides by its version; without one, the published version decides', async () => {
  const module = await aModule(ctx, { units: [{}, {}] })
  const learner = await aLearner()
  await visit(learner, { moduleVersionUid: module.versionUid }, 'completed')
  const { versionUid } = await aModuleVersion(ctx, module, { units: [steam] })
  expect(await viewOf(learner, module)).toEqual({ versionUid, isElsewhere: false, percent: 50 })
  expect((await viewOf(await aLearner(), module)).isElsewhere).toBe(true)
  // Opened but never begun: the next launch would move it to the published version.
  const late = await aModule(ctx, { units: [{}] })
  const visitor = await aLearner()
  const { auLaunchSessionUid } = await launchUnit(visitor, { moduleVersionUid: late.versionUid })
  await endLaunch(visitor, { auLaunchSessionUid })
  await aModuleVersion(ctx, late, { units: [steam] })
  expect((await viewOf(visitor, late)).isElsewhere).toBe(true)
  await expect(launchUnit(visitor, { moduleVersionUid: late.versionUid })).rejects.toThrow(Conflict)
})

test('the viewer continues with the next module that opens here', async () => {
  const [first, elsewhere, third] = [
    await aModule(ctx, { units: [{}] }),
    await aModule(ctx, { units: [steam] }),
    await aModule(ctx, { units: [{}] }),
  ]
  const chapter = await db
    .selectFrom('chapters')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .limit(1)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('module_chapters')
    .values(
      [first, elsewhere, third].map(({ id }, position) => ({
        site_id: ctx.site.id,
        module_id: id,
        chapter_id: chapter.id,
        position: 100 + position,
      })),
    )
    .execute()
  const learner = await aLearner()
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: first.versionUid })
  expect((await getLaunch(learner, { auLaunchSessionUid })).nextModule?.uid).toBe(third.uid)
})
