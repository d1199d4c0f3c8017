/** The console's tables of users: tabs, orders, filters, search and changes. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { UserSort, UserTab } from '~/forms/user-tables.ts'
import type { GroupName } from '~/services/context.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import {
  countUsersOfTabs,
  describeUserList,
  listUserBatch,
  listUserFilterChoices,
  listUserPage,
  listUsersChangedSince,
  listUserUidsFound,
  type UserPageInput,
} from '~/services/users/table.server.ts'
import type { UserEntry } from '~/services/users/table-entries.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { ctx, db, expectGuarded } from '../support/test.ts'

const now = new Date('2026-06-01T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
const viewer = await aUser(db, { groups: ['admins'], firstName: 'Root', lastName: 'Admin', plan: null })
const admin = await aContext(db, { viewer, now })
const helvik = await ensureUniversity(admin, { name: 'Helvik University' })

type Person = {
  groups?: GroupName[]
  plan?: string | null
  isActive?: boolean
  login?: Date | null
  until?: Date
  institution?: boolean
}

async function aPerson(name: string, more: Person = {}) {
  const {
    groups = ['learners'],
    plan = 'Free Access',
    isActive = true,
    login = null,
    until,
    institution = false,
  } = more
  const [firstName = '', lastName = ''] = name.split(' ')
  const user = await aUser(db, { firstName, lastName, groups, plan, email: `${firstName.toLowerCase()}@table.example` })
  await sql`
    update users set is_active = ${isActive}, last_login_at = ${login}::timestamptz, joined_at = ${daysAgo(200)},
      updated_at = ${daysAgo(10)}, created_at = ${daysAgo(300)},
      university_id = case when ${institution} then (select id from universities where uid = ${helvik.uid}) end
    where id = ${user.id}`.execute(db)
  if (until) await sql`update subscriptions set valid_to = ${until} where user_id = ${user.id}`.execute(db)
  return user
}

const ada = await aPerson('Ada Lovelace', { login: daysAgo(89), institution: true, until: daysAgo(-20) })
await aPerson('Bo Diddley', { login: daysAgo(91), until: daysAgo(3) })
await aPerson('Cy Young', { plan: null, login: daysAgo(90), groups: ['learners', 'admins'] })
await aPerson('Di Sabled', { isActive: false })
await aPerson('In Vited', { isActive: false, groups: ['admins', 'pending_users'] })
await aUser(db, { site: 'ns', firstName: 'Not', lastName: 'Here' })
const module = await aModule(ctx, { name: 'Screening' })
await sql`
  insert into module_progress (site_id, user_id, module_id, started_at, last_visited_at, completed_at)
  select site_id, ${ada.id}, id, now(), now(), now() from modules where uid = ${module.uid}`.execute(db)

async function names(input: Partial<UserPageInput> = {}): Promise<string[]> {
  const { items } = await listUserPage(admin, { tab: 'learners', ...input })
  return items.map(({ firstName }) => firstName)
}

test('C-159 C-160 each tab has its users, and counts them', async () => {
  expect(await names()).toEqual(['Ada', 'Bo', 'Cy'])
  expect(await names({ tab: 'admins' })).toEqual(['Cy', 'Root'])
  expect(await names({ tab: 'pending' })).toEqual(['Di', 'In'])
  expect(await countUsersOfTabs(admin)).toEqual({ learners: 3, admins: 2, pending: 2 })
})

test('C-157 C-158 the status of a user, on the day of the border too', async () => {
  const statuses = async (tab: UserTab) =>
    Object.fromEntries((await listUserPage(admin, { tab })).items.map(({ firstName, status }) => [firstName, status]))
  expect(await statuses('learners')).toEqual({ Ada: 'active', Bo: 'inactive', Cy: 'active' })
  expect(await statuses('pending')).toEqual({ Di: 'disabled', In: 'invited' })
  expect(await names({ filters: { status: ['inactive'] } })).toEqual(['Bo'])
  expect(await names({ tab: 'pending', filters: { status: ['disabled'] } })).toEqual(['Di'])
})

test('C-089 C-090 C-092 a row has its plan, dates and figures', async () => {
  const { items, total } = await listUserPage(admin, { tab: 'learners', size: 10 })
  expect(total, 'a whole tab is counted by countUsersOfTabs').toBeNull()
  expect((await listUserPage(admin, { tab: 'learners', search: 'a' })).total).toBe(3)
  expect(items[0]).toMatchObject({
    uid: ada.uid,
    institution: { name: 'Helvik University' },
    plan: { name: 'Free Access' },
    subscriptionType: 'paid',
    validTo: daysAgo(-20),
    joinedAt: daysAgo(200),
    completedModules: 1,
    completedCourses: 0,
  })
  const [disabled] = (await listUserPage(admin, { tab: 'pending' })).items
  expect(disabled?.invitedAt).toEqual(daysAgo(300))
})

test('C-082 a search finds part of a name or an address, whatever its characters', async () => {
  expect(await names({ search: 'lovel' })).toEqual(['Ada'])
  expect(await names({ search: 'BO@TABLE' })).toEqual(['Bo'])
  for (const search of ['ada lovelace', 'Lovelace, Ada', 'love ad']) expect(await names({ search })).toEqual(['Ada'])
  expect(await names({ search: 'bo lovelace' }), 'each word must be there').toEqual([])
  for (const search of ['%', '_', '\\', 'a\u0000b', 'nobody']) expect(await names({ search })).toEqual([])
})

test.each<[string, Record<string, string[]>, string[]]>([
  ['institution', { institution: [helvik.uid] }, ['Ada']],
  ['no institution', { institution: ['none'] }, ['Bo', 'Cy']],
  ['no plan', { plan: ['none'] }, ['Cy']],
  ['group', { group: ['admins'] }, ['Cy']],
  ['recent login', { login: ['90'] }, ['Ada', 'Cy']],
  ['older login', { login: ['older', 'never'] }, ['Bo']],
  ['ended access', { expiry: ['ended'] }, ['Bo']],
  ['access that ends soon', { expiry: ['30'] }, ['Ada']],
  ['nonsense', { plan: ['x'], institution: ['y'] }, []],
  ['something that it does not know', { later: ['x'] }, []],
])('a filter by %s', async (_, filters, found) => {
  expect(await names({ filters })).toEqual(found)
})

test('every order ends with the name, and the last page is not empty', async () => {
  const sorts: UserSort[] = ['email', 'joined', 'login', 'plan', 'type', 'until', 'modules', 'courses']
  for (const sort of sorts) expect((await names({ sort })).sort(), sort).toEqual(['Ada', 'Bo', 'Cy'])
  expect(await names({ sort: 'joined', isDescending: true })).toEqual(['Ada', 'Bo', 'Cy'])
  expect(await names({ sort: 'until' })).toEqual(['Bo', 'Ada', 'Cy'])
  expect(await names({ sort: 'modules', isDescending: true })).toEqual(['Ada', 'Bo', 'Cy'])
  expect(await names({ tab: 'pending', sort: 'invited' })).toEqual(['Di', 'In'])
  expect(await names({ page: 2, size: 2 })).toEqual(['Cy'])
  expect(await names({ page: 9, size: 2 })).toEqual([])
})

test('C-161 the whole tab can be read in batches and selected', async () => {
  const first = await listUserBatch(admin, { tab: 'learners', first: 2 })
  const next = await listUserBatch(admin, { tab: 'learners', first: 2, after: first.endCursor })
  expect([...first.items, ...next.items].map(({ firstName }) => firstName)).toEqual(['Ada', 'Bo', 'Cy'])
  await expect(listUserBatch(admin, { tab: 'admins', after: first.endCursor })).rejects.toThrow(/cursor/)
  expect(await listUserUidsFound(admin, { tab: 'learners', search: 'ada' })).toEqual([ada.uid])
  expect((await listUserFilterChoices(admin, { search: 'helv' })).institutions).toEqual([helvik])
})

test('a table that was read before learns what has changed, and who has left the tab', async () => {
  const { state, listed } = await describeUserList(admin, { tab: 'learners' })
  expect(listed).toBe(3)
  const person = await aPerson('Zoe New')
  await sql`update users set updated_at = ${now} where id = ${person.id}`.execute(db)
  expect((await describeUserList(admin, { tab: 'learners' })).state).not.toBe(state)
  const changes = await listUsersChangedSince(admin, { tab: 'learners', state })
  expect(changes?.items.map(({ firstName }) => firstName)).toContain('Zoe')
  await sql`update users set is_active = false where id = ${person.id}`.execute(db)
  expect((await listUsersChangedSince(admin, { tab: 'learners', state }))?.goneUids).toContain(person.uid)
  expect(await listUsersChangedSince(admin, { tab: 'learners', state: 'x' })).toBeNull()
})

test('only admins of the site read the tables', async () => {
  for (const read of [listUserPage, listUserBatch, listUserUidsFound, describeUserList]) {
    await expectGuarded<{ tab: UserTab }>(read, { tab: 'learners' }, { by: ['admins'], elsewhere: null })
  }
  const there = await aContext(db, {
    viewer: await aUser(db, { site: 'ns', groups: ['admins'], plan: null }),
    site: 'ns',
  })
  expect((await listUserPage(there, { tab: 'learners' })).items.map(({ firstName }) => firstName)).toEqual(['Not'])
})

test('C-160 somebody is on the tab of learners as long as the group says so, however it was written', async () => {
  const people = await Promise.all(Array.from({ length: 3 }, () => aUser(db, { groups: ['instructors'] })))
  const uids = people.map(({ uid }) => uid)
  const ids = sql`any(${people.map(({ id }) => id)})`
  const listed = async () => {
    const all = await listUserUidsFound(admin, { tab: 'learners' })
    return uids.filter((uid) => all.includes(uid)).length
  }
  const add = (name: string, more = sql``) =>
    sql`insert into user_groups (user_id, name) select id, ${name} from users where id = ${ids} ${more}`.execute(db)
  const rename = (before: string, after: string) =>
    sql`update user_groups set name = ${after} where user_id = ${ids} and name = ${before}`.execute(db)
  expect(await listed()).toBe(0)
  await add('learners')
  expect(await listed(), 'in one statement').toBe(3)
  await add('learners', sql`on conflict do nothing`)
  expect(await listed(), 'twice').toBe(3)
  await rename('learners', 'admins')
  expect(await listed()).toBe(0)
  await rename('admins', 'learners')
  expect(await listed()).toBe(3)
  await sql`delete from user_groups where user_id = ${ids} and name = 'instructors'`.execute(db)
  expect(await listed(), 'another group is left').toBe(3)
  await sql`delete from user_groups where user_id = ${people[0]?.id} and name = 'learners'`.execute(db)
  expect(await listed()).toBe(2)
  await sql`delete from users where id = ${people[1]?.id}`.execute(db)
  expect(await listed(), 'a deleted account takes its groups along').toBe(1)
})

test('C-160 groups that change at once leave a tab of learners that agrees with them', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, () => aUser(db, { groups: ['instructors'] })))
  await Promise.all(
    people.flatMap(({ id }, index) => [
      sql`insert into user_groups (user_id, name) values (${id}, 'learners')`.execute(db),
      sql`insert into user_groups (user_id, name) values (${id}, 'authors')`.execute(db),
      ...(index % 2 ? [sql`delete from user_groups where user_id = ${id}`.execute(db)] : []),
    ]),
  )
  const { rows } = await sql<{ uid: string }>`
    select uid from users join user_groups on user_id = users.id
    where user_groups.name = 'learners' and users.id = any(${people.map(({ id }) => id)})`.execute(db)
  const all = await listUserUidsFound(admin, { tab: 'learners' })
  expect(all.filter((uid) => people.some((one) => one.uid === uid)).sort()).toEqual(rows.map(({ uid }) => uid).sort())
})

test('a table sorts and filters by the subscription of a user as it is now, however it was written', async () => {
  const people = await Promise.all(Array.from({ length: 3 }, () => aUser(db, { plan: 'Free Access' })))
  const ids = sql`any(${people.map(({ id }) => id)})`
  const copies = async () => {
    const { rows } = await sql<{ isCopy: boolean; plan: string | null; type: string | null }>`
      select (subscribed_plan_id, subscribed_type, subscribed_until) is not distinct from
          (subscriptions.access_plan_id, subscriptions.type, subscriptions.valid_to) as "isCopy",
        plan.name as plan, subscribed_type as type
      from users left join subscriptions on subscriptions.user_id = users.id
        left join access_plans plan on plan.id = users.subscribed_plan_id
      where users.id = ${ids}`.execute(db)
    expect(rows.map(({ isCopy }) => isCopy)).toEqual([true, true, true])
    return rows.map(({ plan, type }) => (plan ? `${plan}, ${type}` : 'none')).sort()
  }
  const three = (value: string) => [value, value, value]
  expect(await copies()).toEqual(three('Free Access, paid'))
  await sql`update subscriptions set valid_to = ${daysAgo(-5)}, type = 'free' where user_id = ${ids}`.execute(db)
  expect(await copies(), 'in one statement').toEqual(three('Free Access, free'))
  await Promise.all(
    people.flatMap(({ id }) =>
      ['subsidized', 'free', 'paid'].map((type) =>
        sql`
          insert into subscriptions (site_id, user_id, type, access_plan_id)
          select site_id, user_id, ${type}, access_plan_id from subscriptions where user_id = ${id}
          on conflict (user_id) do update set type = excluded.type, valid_to = null`.execute(db),
      ),
    ),
  )
  await copies()
  await sql`delete from subscriptions where user_id = ${people[0]?.id}`.execute(db)
  await sql`delete from subscriptions where user_id = ${ids}`.execute(db)
  expect(await copies()).toEqual(three('none'))
})

test('every order is the same in pages as in one list: by value, people without one last, then by name', async () => {
  const plans = ['Free Access', 'Full Access', null]
  for (let n = 0; n < 12; n++) {
    const login = n % 4 === 0 ? null : daysAgo(n % 5)
    await aPerson(`Order${(n * 7) % 12} Person`, { plan: plans[n % 3], login, ...(n % 2 && { until: daysAgo(n % 3) }) })
  }
  await sql`
    update users set joined_at = null where first_name in ('Order3', 'Order8')`.execute(db)
  const byName = (await listUserPage(admin, { tab: 'learners', size: 100 })).items
  const sortedBy: Record<Exclude<UserSort, 'invited' | 'mail' | 'name'>, (user: UserEntry) => unknown> = {
    email: ({ email }) => email,
    joined: ({ joinedAt }) => joinedAt?.getTime() ?? null,
    login: ({ lastLoginAt }) => lastLoginAt?.getTime() ?? null,
    plan: ({ plan }) => plan?.name ?? null,
    type: ({ subscriptionType }) => subscriptionType,
    until: ({ validTo }) => validTo?.getTime() ?? null,
    modules: ({ completedModules }) => completedModules,
    courses: ({ completedCourses }) => completedCourses,
  }
  for (const [sort, value] of Object.entries(sortedBy)) {
    for (const isDescending of [false, true]) {
      const listed: UserEntry[] = []
      for (let page = 1; listed.length < byName.length; page++) {
        const { items } = await listUserPage(admin, { tab: 'learners', sort, isDescending, page, size: 5 })
        if (items.length === 0) break
        listed.push(...items)
      }
      const expected = byName.toSorted((a, b) => compared(value(a), value(b), isDescending))
      expect(
        listed.map(({ uid }) => uid),
        `${sort}${isDescending ? ', descending' : ''}`,
      ).toEqual(expected.map(({ uid }) => uid))
    }
  }
  const { items: backward } = await listUserPage(admin, { tab: 'learners', isDescending: true, size: 100 })
  expect(backward.map(({ firstName, lastName }) => `${lastName}, ${firstName}`)).toEqual(
    byName.map(({ firstName, lastName }) => `${lastName}, ${firstName}`).reverse(),
  )
})

function compared(one: unknown, other: unknown, isDescending: boolean): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? 1 : -1
  return ((one as string) < (other as string) ? -1 : 1) * (isDescending ? -1 : 1)
}
