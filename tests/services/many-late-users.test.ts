/** The filter "Late" where most people are late: a long list is found in another way than a short one. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listUserPage } from '~/services/users/table.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext } from '../support/context.ts'
import { ctx, db, site } from '../support/test.ts'

test('a page of a long list of late people is that of a short one, by name and by any other order', async () => {
  const admin = await aContext(db, { isOperator: true })
  const module = await aModule(ctx)
  // Every third one has completed it, and of the others every fifth one has another week.
  await sql`
    with people as (
      insert into users (site_id, email, email_key, first_name, last_name, is_active, joined_at)
      select ${site.id}, mail, mail, lpad(n::text, 5, '0'), '', true, now() - make_interval(mins => n)
      from generate_series(1, 10000) n, lateral (select 'late' || n || '@titrate.example' as mail) one
      returning id, first_name::int as n),
    learners as (insert into user_groups (user_id, name) select id, 'learners' from people),
    done as (
      insert into module_progress (site_id, user_id, module_id, completed_at)
      select ${site.id}, id, ${module.id}, now() from people where n % 3 = 0)
    insert into module_assignments (site_id, user_id, module_id, due_on)
    select ${site.id}, id, ${module.id}, case when n % 5 = 0 then current_date + 5 else current_date - 5 end
    from people`.execute(db)
  // As PostgreSQL does by itself about a minute after so many changes.
  await sql`analyze users, user_groups, module_assignments, module_progress`.execute(db)
  const numbers = Array.from({ length: 10_000 }, (_, index) => index + 1)
  const late = numbers.filter((n) => n % 3 !== 0 && n % 5 !== 0)
  expect(late.length).toBeGreaterThan(5000)
  const read = async (query: object) => {
    const { items, total } = await listUserPage(admin, { tab: 'learners', filters: { due: ['late'] }, ...query })
    return { total, shown: items.map(({ firstName }) => Number(firstName)) }
  }
  const total = late.length
  expect(await read({})).toEqual({ total, shown: late.slice(0, 10) })
  expect(await read({ sort: 'name', isDescending: true, page: 2 })).toEqual({
    total,
    shown: [...late].reverse().slice(10, 20),
  })
  expect(await read({ sort: 'joined', isDescending: true })).toEqual({ total, shown: late.slice(0, 10) })
})
