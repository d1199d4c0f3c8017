/** Audiences: rules about people, who is in them, and why. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Condition } from '~/forms/audiences.ts'
import {
  countPeopleOfRule,
  findAudience,
  getAudience,
  getAudienceToEdit,
  listAudiences,
  listRemovedAudiences,
  listThingsToName,
} from '~/services/audiences/audiences.server.ts'
import {
  countAudience,
  explainMembership,
  findPeopleToExplain,
  listAudiencePeople,
  peopleOfAudience,
} from '~/services/audiences/people.server.ts'
import {
  createAudience,
  deleteAudience,
  purgeDeletedAudiences,
  restoreAudience,
  updateAudience,
} from '~/services/audiences/save-audience.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { deleteUniversity } from '~/services/users/replace-university.server.ts'
import { seedMessagesToSend } from '../../seed/announcements.ts'
import { seedAudiences } from '../../seed/audiences.ts'
import { anNsAdmin, aWorldOfPeople, isMetBy, type World } from '../support/audiences.ts'
import { aContext, asOperator, aUser, erase } from '../support/context.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx
let other: Ctx
let world: World

beforeAll(async () => {
  const anAdmin = (firstName: string) => aUser(db, { groups: ['admins'], plan: null, firstName, lastName: 'Moreau' })
  // Not an admin of the world below, whose people the rules are about.
  admin = await aContext(db, { viewer: await anAdmin('Ana') })
  other = await aContext(db, { viewer: await anAdmin('Otto') })
  world = await aWorldOfPeople(admin, 40)
})

beforeEach(async () => {
  await db.deleteFrom('audiences').execute()
})

const learners: Condition = { about: 'group', how: 'is', values: ['learners'] }
const unseen: Condition = { about: 'seen', how: 'not_within', days: 30 }

async function anAudience(conditions: Condition[] = [learners], name = 'An audience') {
  return createAudience(admin, { name, conditions })
}

async function peopleIn(conditions: Condition[]): Promise<string[]> {
  const { rows } = await sql<{ uid: string }>`
    select uid from users where id in (${peopleOfAudience(admin, { conditions })}) order by uid`.execute(db)
  return rows.map(({ uid }) => uid)
}

/** One or more rules about each thing, some of several conditions. */
function rulesOf({ institutions, plans, modules, courses, options }: World): Condition[][] {
  const [one = '', two = ''] = institutions
  const [module = '', second = ''] = modules
  const [course = ''] = courses
  const [plan = ''] = plans
  return [
    [{ about: 'institution', how: 'is', values: [one, 'none'] }],
    [{ about: 'institution', how: 'is_not', values: [one, two] }],
    [{ about: 'institution', how: 'is_not', values: ['none'] }],
    [{ about: 'plan', how: 'is', values: [plan] }],
    [{ about: 'plan', how: 'is', values: ['none', 'ended'] }],
    [{ about: 'plan', how: 'is_not', values: [plan, 'ended'] }],
    [learners],
    [{ about: 'group', how: 'is_not', values: ['learners', 'admins'] }],
    [{ about: 'position', how: 'is', values: options.position.slice(0, 3) }],
    [{ about: 'region', how: 'is_not', values: options.region.slice(0, 4) }],
    [{ about: 'research_type', how: 'is', values: ['none'] }],
    [{ about: 'modality', how: 'is_not', values: ['none'] }],
    [{ about: 'module', how: 'completed', values: [module] }],
    [{ about: 'module', how: 'completed', values: [module, second] }],
    [{ about: 'module', how: 'not_completed', values: [module, second] }],
    [{ about: 'module', how: 'started', values: [module] }],
    [{ about: 'module', how: 'not_started', values: [second] }],
    [{ about: 'course', how: 'completed', values: courses }],
    [{ about: 'course', how: 'not_completed', values: [course] }],
    [{ about: 'course', how: 'started', values: [course] }],
    [{ about: 'course', how: 'not_started', values: courses }],
    [unseen],
    [{ about: 'seen', how: 'within', days: 30 }],
    [{ about: 'seen', how: 'never', days: null }],
    [{ about: 'joined', how: 'within', days: 7 }],
    [{ about: 'joined', how: 'not_within', days: 7 }],
    [learners, { about: 'institution', how: 'is', values: [one, two] }, unseen],
    [
      { about: 'position', how: 'is', values: [...options.position.slice(0, 4), 'none'] },
      { about: 'region', how: 'is_not', values: options.region.slice(0, 2) },
      { about: 'modality', how: 'is_not', values: [...options.modality.slice(0, 1), 'none'] },
      { about: 'plan', how: 'is', values: [plan, 'none'] },
      { about: 'plan', how: 'is_not', values: ['ended'] },
    ],
    [
      { about: 'module', how: 'completed', values: [module] },
      { about: 'module', how: 'not_completed', values: [second] },
      { about: 'position', how: 'is_not', values: options.position.slice(0, 1) },
    ],
  ]
}

describe('membership', () => {
  test('SQL, an independent reading of the rule, and the explanation agree about everybody', async () => {
    const rules = rulesOf(world)
    const here = world.people.filter((_, index) => index !== 1)
    const uids = new Set(here.map(({ uid }) => uid))
    let some = 0
    for (const conditions of rules) {
      const expected = here.filter((person) => person.isActive && conditions.every((one) => isMetBy(person, one)))
      const found = (await peopleIn(conditions)).filter((uid) => uids.has(uid))
      expect(found, JSON.stringify(conditions)).toEqual(expected.map(({ uid }) => uid).sort())
      if (found.length > 0 && found.length < here.length) some++
    }
    expect(some, 'rules that tell people apart').toBe(rules.length)
    // All conditions of one kind after the other, so that each person is explained in few requests.
    const single = rules.filter(({ length }) => length === 1).map(([condition]) => condition as Condition)
    for (const conditions of [single.slice(0, 10), single.slice(10, 20), single.slice(20)]) {
      const { uid } = await anAudience(conditions, randomUUID())
      for (const person of here) {
        const { isIn, conditions: explained } = await explainMembership(admin, {
          audienceUid: uid,
          userUid: person.uid,
        })
        expect(explained.map(({ isMet }) => isMet)).toEqual(conditions.map((one) => isMetBy(person, one)))
        expect(isIn).toBe(person.isActive && explained.every(({ isMet }) => isMet))
      }
    }
  })

  test('nobody of the other site, disabled or erased is in an audience of everybody', async () => {
    const everybody: Condition[] = [{ about: 'joined', how: 'not_within', days: 1 }]
    const gone = await aUser(db)
    await erase(db, gone)
    const found = await peopleIn(everybody)
    expect(found).not.toContain(gone.uid)
    expect(found).not.toContain(world.people[1]?.uid)
    for (const { uid, isActive } of world.people) if (!isActive) expect(found).not.toContain(uid)
    expect(await peopleIn([])).toEqual([])
  })

  test('a condition about something that is gone matches nobody, also when it excludes', async () => {
    const [there = ''] = world.institutions
    const gone = randomUUID()
    for (const values of [[gone], [gone, there]]) {
      expect(await peopleIn([{ about: 'institution', how: 'is_not', values }])).toEqual([])
      expect(await peopleIn([{ about: 'module', how: 'not_completed', values: [gone] }])).toEqual([])
      expect(await peopleIn([{ about: 'course', how: 'not_started', values: [gone] }])).toEqual([])
      expect(await peopleIn([{ about: 'position', how: 'is_not', values: [gone] }])).toEqual([])
      expect(await peopleIn([{ about: 'plan', how: 'is_not', values: [gone] }])).toEqual([])
    }
    expect(await peopleIn([{ about: 'institution', how: 'is', values: [gone] }])).toEqual([])
    expect(await peopleIn([{ about: 'institution', how: 'is', values: [gone, there] }])).toEqual(
      await peopleIn([{ about: 'institution', how: 'is', values: [there] }]),
    )
  })

  test('a rule cannot name what is not there, and keeps what it names when that goes', async () => {
    const [there = ''] = world.institutions
    const unknown: Condition[] = [{ about: 'institution', how: 'is_not', values: [randomUUID()] }]
    await expect(anAudience(unknown)).rejects.toMatchObject({
      fieldErrors: { conditions: 'Something that a condition names is not there any more. Please choose again.' },
    })
    const { uid: going } = await db
      .insertInto('universities')
      .values({ site_id: admin.site.id, name: 'Going', name_key: 'going', search_key: 'going' })
      .returning('uid')
      .executeTakeFirstOrThrow()
    const conditions: Condition[] = [{ about: 'institution', how: 'is_not', values: [going] }]
    const { uid: audienceUid } = await anAudience(conditions)
    await deleteUniversity(admin, { institution: going, replacement: there })
    const name = `Without what is gone ${audienceUid}`
    await updateAudience(admin, { audienceUid, name, conditions })
    expect(await getAudience(admin, { audienceUid })).toMatchObject({
      name,
      people: 0,
      hasGone: true,
      words: ['Institution is not something that no longer exists'],
    })
    await expect(updateAudience(admin, { audienceUid, name, conditions: unknown })).rejects.toThrow(/not there/)
  })

  test('an institution that was merged, and a module that was deleted, are gone', async () => {
    const person = await aUser(db)
    const [into = ''] = world.institutions
    const { uid: merged } = await db
      .insertInto('universities')
      .values({ site_id: admin.site.id, name: 'Merged', name_key: 'merged', search_key: 'merged' })
      .returning('uid')
      .executeTakeFirstOrThrow()
    const institution = db.selectFrom('universities').select('id').where('uid', '=', merged)
    await db.updateTable('users').set({ university_id: institution }).where('id', '=', person.id).execute()
    const rule: Condition[] = [{ about: 'institution', how: 'is', values: [merged] }]
    expect(await peopleIn(rule)).toEqual([person.uid])
    await deleteUniversity(admin, { institution: merged, replacement: into })
    expect(await peopleIn(rule)).toEqual([])
    const [module = ''] = world.modules
    const notCompleted: Condition[] = [{ about: 'module', how: 'not_completed', values: [module] }]
    expect(await peopleIn(notCompleted)).not.toEqual([])
    const setDeleted = (deleted_at: Date | null) =>
      db.updateTable('modules').set({ deleted_at }).where('uid', '=', module).execute()
    await setDeleted(new Date())
    expect(await peopleIn(notCompleted)).toEqual([])
    await setDeleted(null)
  })

  test('things of the other site are not found by their uids', async () => {
    const ns = await anNsAdmin(admin)
    const conditions: Condition[] = [{ about: 'institution', how: 'is', values: world.institutions }]
    await expect(createAudience(ns, { name: 'Of others', conditions })).rejects.toThrow(/not there/)
  })
})

describe('the people of an audience', () => {
  test('are counted, listed by name in pages, and searched', async () => {
    const { uid: audienceUid } = await anAudience()
    const expected = await peopleIn([learners])
    const count = await countAudience(admin, { audienceUid })
    expect(count).toBe(expected.length)
    expect(await countPeopleOfRule(admin, { conditions: [learners] })).toBe(count)
    const first = await listAudiencePeople(admin, { audienceUid, size: 10 })
    const second = await listAudiencePeople(admin, { audienceUid, size: 10, page: 2 })
    expect([first.total, first.items.length, second.items.length]).toEqual([count, 10, 10])
    const names = [...first.items, ...second.items].map(({ uid }) => uid)
    expect(new Set(names).size).toBe(20)
    const one = world.people.find(({ uid }) => expected.includes(uid))
    const index = world.people.findIndex(({ uid }) => uid === one?.uid)
    const found = await listAudiencePeople(admin, { audienceUid, search: `number ${index} ` })
    expect(found.items.map(({ uid }) => uid)).toContain(one?.uid)
    for (const search of ['%', '_', '\\', 'nobody like this']) {
      expect(await listAudiencePeople(admin, { audienceUid, search })).toEqual({ items: [], total: 0 })
    }
    expect(await listAudiencePeople(admin, { audienceUid, search: '\u0000' })).toEqual({ items: [], total: 0 })
    expect((await listAudiencePeople(admin, { audienceUid, page: 99 })).items).toEqual([])
  })

  test('somebody is explained with what the person has, and anybody of the site can be found for it', async () => {
    const [institution = ''] = world.institutions
    const [module = ''] = world.modules
    const { uid: audienceUid } = await anAudience([
      { about: 'institution', how: 'is', values: [institution] },
      { about: 'plan', how: 'is', values: ['none'] },
      { about: 'module', how: 'not_completed', values: [module] },
      { about: 'seen', how: 'not_within', days: 30 },
    ])
    const person = await aUser(db, { firstName: 'Zora', lastName: 'Explained' })
    const why = await explainMembership(admin, { audienceUid, userUid: person.uid.toUpperCase() })
    expect(why).toMatchObject({ isIn: false, account: null, person: { name: 'Zora Explained' } })
    expect(why.conditions).toEqual([
      { condition: 'Institution is “Basel University”', isMet: false, own: 'No institution' },
      { condition: 'Access plan is missing', isMet: false, own: 'Full Access' },
      { condition: 'Has not completed “Assays”', isMet: true, own: 'Not started' },
      { condition: 'Not seen in the last 30 days', isMet: true, own: 'Never seen' },
    ])
    const search = { audienceUid, search: 'zora expl', most: 10 }
    expect(await findPeopleToExplain(admin, search)).toMatchObject([{ uid: person.uid, isIn: false }])
    await db.updateTable('users').set({ is_active: false }).where('id', '=', person.id).execute()
    expect(await explainMembership(admin, { audienceUid, userUid: person.uid })).toMatchObject({ account: 'disabled' })
    const elsewhere = world.people[1]?.uid ?? ''
    for (const userUid of [elsewhere, randomUUID(), 'x'])
      await expect(explainMembership(admin, { audienceUid, userUid })).rejects.toThrow('Not found.')
    await expectGuarded(explainMembership, { audienceUid, userUid: person.uid }, { by: ['admins'] })
    await expectGuarded(findPeopleToExplain, search, { by: ['admins'] })
    await expectGuarded(listAudiencePeople, { audienceUid }, { by: ['admins'] })
    await expectGuarded(countAudience, { audienceUid }, { by: ['admins'] })
  })
})

describe('createAudience', () => {
  test('makes one audience, done once or ten times at once, and says so in the audit log', async () => {
    const input = { uid: randomUUID(), name: ' Quiet  learners ', conditions: [learners, unseen] }
    const made = await Promise.all(Array.from({ length: 10 }, () => createAudience(admin, input)))
    expect(new Set(made.map(({ uid }) => uid))).toEqual(new Set([input.uid]))
    expect((await listAudiences(admin)).items).toMatchObject([
      { name: 'Quiet learners', words: ['Group is Learners', 'Not seen in the last 30 days'], hasGone: false },
    ])
    const log = await listAuditEntries(admin, { entity: 'audience', entityUid: input.uid })
    expect(log).toMatchObject([{ action: 'audience.created', after: { name: 'Quiet learners', revision: 0 } }])
    await expectGuarded(createAudience, { ...input, uid: randomUUID() }, { by: ['admins'], elsewhere: null })
  })

  test('a name is used once on a site, however it is written, and by one of two people at once', async () => {
    const make = (name: string, ctx = admin) => createAudience(ctx, { name, conditions: [learners] })
    const results = await Promise.allSettled([make('Same'), make('SAME', other), make('same')])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(make('Same')).rejects.toThrow('There is already an audience “Same”.')
    expect(await make('Same', await anNsAdmin(admin))).toMatchObject({ name: 'Same' })
  })

  test('refuses odd names and conditions with sentences', async () => {
    const refused = async (conditions: unknown[], name = 'Odd') => {
      const error = await createAudience(admin, { name, conditions }).catch((problem: unknown) => problem)
      return (error as { fieldErrors: Record<string, string> }).fieldErrors
    }
    expect(await refused([learners], ' ')).toEqual({ name: 'Name is required' })
    expect(await refused([learners], 'a\u0000b')).toEqual({ name: 'This text holds characters that cannot be stored' })
    expect(await refused([learners], 'x'.repeat(101))).toEqual({ name: 'At most 100 characters' })
    expect(await refused([])).toEqual({ conditions: 'Add one or more conditions' })
    expect(await refused(Array.from({ length: 11 }, () => learners))).toEqual({ conditions: 'At most 10 conditions' })
    expect(await refused(['x', null, { about: 'name' }])).toEqual({
      'conditions.0': 'Choose what the condition is about',
      'conditions.1': 'Choose what the condition is about',
      'conditions.2': 'Choose what the condition is about',
    })
    expect(await refused([{ about: 'module', how: 'is', values: [] }])).toEqual({
      'conditions.0.how': 'Choose what must be the case',
      'conditions.0.values': 'Choose one or more modules',
    })
    expect(await refused([{ about: 'institution', how: 'is', values: ['\ud800', 7, ['x']] }])).toMatchObject({
      'conditions.0.values.0': 'Please choose again',
    })
    const many = Array.from({ length: 51 }, () => randomUUID())
    expect(await refused([{ about: 'course', how: 'started', values: many }])).toEqual({
      'conditions.0.values': 'At most 50 can be chosen',
    })
    for (const days of ['', '0', '3651', '1.5', 'NaN', ['1'], null]) {
      const errors = await refused([{ about: 'seen', how: 'within', days }])
      expect(errors, String(days)).toEqual({
        'conditions.0.days': 'Please enter a whole number of days from 1 to 3,650.',
      })
    }
    expect((await listAudiences(admin)).total).toBe(0)
  })
})

describe('updateAudience', () => {
  test('merges what two people change, and refuses what both change', async () => {
    const { uid: audienceUid } = await anAudience()
    const save = (ctx: Ctx, name: string, conditions: Condition[], revision: number) =>
      updateAudience(ctx, { audienceUid, name, conditions, revision })
    await save(admin, 'Renamed', [learners], 0)
    const { audience, keptOfOthers } = await save(other, 'An audience', [learners, unseen], 0)
    expect(audience).toMatchObject({ name: 'Renamed', conditions: [learners, unseen], revision: 2 })
    expect(keptOfOthers).toEqual(['name'])
    const refused = await save(admin, 'Renamed', [unseen], 1).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ChangedMeanwhile)
    expect((refused as ChangedMeanwhile).fieldErrors.conditions).toBe(
      'Otto Moreau changed this while you were editing. It is now: Group is Learners; Not seen in the last 30 days. Save again to use yours.',
    )
    expect(await getAudienceToEdit(admin, { audienceUid })).toMatchObject({ revision: 2 })
    await save(admin, 'Renamed', [unseen, learners], 2)
    expect((await getAudienceToEdit(admin, { audienceUid })).conditions).toEqual([unseen, learners])
  })

  test('saving the same again changes nothing, and guards and names hold', async () => {
    const { uid: audienceUid } = await anAudience()
    const input = { audienceUid, name: 'New name', conditions: [unseen], revision: 0 }
    await Promise.all(Array.from({ length: 10 }, () => updateAudience(admin, input)))
    expect(await getAudienceToEdit(admin, { audienceUid })).toMatchObject({ name: 'New name', revision: 1 })
    expect(await listAuditEntries(admin, { entity: 'audience', entityUid: audienceUid })).toHaveLength(2)
    await anAudience([learners], 'Taken')
    await expect(updateAudience(admin, { ...input, name: 'TAKEN', revision: 1 })).rejects.toThrow(
      'There is already an audience “TAKEN”.',
    )
    await expectGuarded(updateAudience, input, { by: ['admins'] })
    await expect(updateAudience(admin, { ...input, audienceUid: 'x' })).rejects.toThrow('Not found.')
  })
})

describe('deleteAudience and restoreAudience', () => {
  test('delete once, bring back once, and forget after thirty days', async () => {
    const { uid: audienceUid } = await anAudience()
    await expectGuarded(deleteAudience, { audienceUid }, { by: ['admins'] })
    const deletions = await Promise.allSettled(Array.from({ length: 10 }, () => deleteAudience(admin, { audienceUid })))
    expect(deletions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await findAudience(admin, { audienceUid })).toBeNull()
    await expect(countAudience(admin, { audienceUid })).rejects.toThrow('Not found.')
    expect(await listRemovedAudiences(admin)).toMatchObject([{ uid: audienceUid, removedBy: 'Ana Moreau' }])
    await expectGuarded(restoreAudience, { audienceUid }, { by: ['admins'] })
    await Promise.all(Array.from({ length: 10 }, () => restoreAudience(admin, { audienceUid })))
    expect(await findAudience(admin, { audienceUid })).toMatchObject({ conditions: [learners] })
    const log = await listAuditEntries(admin, { entity: 'audience', entityUid: audienceUid })
    expect(log.map(({ action }) => action)).toEqual(['audience.created', 'audience.deleted', 'audience.restored'])
    await deleteAudience(admin, { audienceUid })
    const later = { ...admin, now: new Date(Date.now() + 31 * 86_400_000) }
    await expect(restoreAudience(later, { audienceUid })).rejects.toThrow('This audience was deleted too long ago.')
    await purgeDeletedAudiences(admin)
    expect(await listRemovedAudiences(admin)).toHaveLength(1)
    await purgeDeletedAudiences(later)
    expect(await listRemovedAudiences(admin)).toEqual([])
  })

  test('one whose name is used by now stays deleted', async () => {
    const { uid: audienceUid } = await anAudience()
    await deleteAudience(admin, { audienceUid })
    await anAudience()
    await expect(restoreAudience(admin, { audienceUid })).rejects.toThrow('There is already an audience')
    expect((await listAudiences(admin)).total).toBe(1)
  })
})

test('the list has pages, a search and two orders', async () => {
  for (const name of ['Alpha', 'Beta', 'Gämma']) await anAudience([learners, unseen], name)
  const names = async (input: Parameters<typeof listAudiences>[1]) =>
    (await listAudiences(admin, input)).items.map(({ name }) => name)
  expect(await names({})).toEqual(['Alpha', 'Beta', 'Gämma'])
  expect(await names({ isDescending: true, size: 2 })).toEqual(['Gämma', 'Beta'])
  expect(await names({ size: 2, page: 2 })).toEqual(['Gämma'])
  expect(await names({ search: 'gam' })).toEqual(['Gämma'])
  expect(await names({ search: '%' })).toEqual([])
  const later = { ...admin, now: new Date(Date.now() + 60_000) }
  const { items } = await listAudiences(admin, { search: 'alpha' })
  const [first] = items
  await updateAudience(later, { audienceUid: first?.uid ?? '', name: 'Alpha', conditions: [unseen] })
  expect((await names({ sort: 'updated', isDescending: true }))[0]).toBe('Alpha')
  await expectGuarded(listAudiences, {}, { by: ['admins'], elsewhere: null })
  await expectGuarded(getAudience, { audienceUid: first?.uid ?? '' }, { by: ['admins'] })
})

test('what conditions can name is found by name, on the own site', async () => {
  const find = async (about: 'institution' | 'module' | 'course', search: string, ctx = admin) =>
    (await listThingsToName(ctx, { about, search })).items.map(({ name }) => name)
  expect(await find('institution', 'bern c')).toEqual(['Bern College'])
  expect(await find('module', 'assay')).toEqual(['Assays'])
  expect(await find('course', '')).toEqual(['Course', 'Course'])
  expect(await find('module', '\u0000')).toEqual([])
  expect(await find('module', 'assay', await anNsAdmin(admin))).toEqual([])
  await expectGuarded(listThingsToName, { about: 'module', search: '' }, { by: ['admins'], elsewhere: null })
})

test('the demo shows audiences with different rules, a draft for one and a scheduled message for another, once', async () => {
  const operator = asOperator(admin)
  for (let time = 0; time < 2; time++) {
    await seedAudiences(operator)
    await seedMessagesToSend(operator)
  }
  const messages = await db
    .selectFrom('announcements')
    .innerJoin('announcement_audiences', 'announcement_id', 'announcements.id')
    .select(['announcements.name', 'delivery_type', 'sending'])
    .where('announcements.name', 'in', ['Come back', 'Journal club'])
    .orderBy('announcements.name')
    .execute()
  expect(messages).toEqual([
    { name: 'Come back', delivery_type: 'email', sending: null },
    { name: 'Journal club', delivery_type: 'dashboard', sending: 'scheduled' },
  ])
  expect((await listAudiences(admin)).items.map(({ words }) => words[1])).toEqual([
    'Current position is “Student”, “Postdoctoral scholar” or “Principal investigator”',
    'Not seen in the last 30 days',
    'Has not completed “Assays”',
  ])
})
