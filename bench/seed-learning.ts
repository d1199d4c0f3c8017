/**
 * The data of one very active learner: much to choose from, and many assignments, saved items, started modules and
 * messages.
 */

/** Runs one statement on the measured database. */
export type Run = (text: string, values?: unknown[]) => Promise<unknown>

export const learning = { courses: 500, videos: 2000, lectures: 200, assignments: 500, favorites: 200, messages: 100 }

/** Needs the bench modules, plans and people. Learner number 1 gets all of this. */
export async function seedLearning(run: Run): Promise<void> {
  await seedCourses(run)
  await seedFilms(run)
  const learner = `(select * from users where email = 'bench1@titrate.example') u`
  const half = learning.assignments / 2
  for (const [kind, count] of [
    ['course', half],
    ['module', half],
  ] as const) {
    await run(`
      insert into ${kind}_assignments (site_id, user_id, ${kind}_id)
      select u.site_id, u.id, e.id from ${learner}, (select id from ${kind}s where name like 'Bench%' order by id limit ${count}) e`)
  }
  for (const kind of ['course', 'module', 'video', 'lecture']) {
    await run(`
      insert into favorites (site_id, user_id, ${kind}_id)
      select u.site_id, u.id, e.id
      from ${learner}, (select id from ${kind}s where name like 'Bench%' order by id limit ${learning.favorites / 4}) e`)
  }
  await run(`
    insert into course_progress (user_id, course_id, site_id, started_at)
    select u.id, c.id, u.site_id, now() from ${learner}, (select id from courses where name like 'Bench%' order by id limit 100) c`)
  await run(`
    insert into video_progress (user_id, video_id, site_id, percent, position_seconds, started_at)
    select u.id, v.id, u.site_id, v.id % 100, 10, now() from ${learner}, (select id from videos where name like 'Bench%' order by id limit 100) v`)
  await run(`
    insert into announcements (site_id, name, subject, text, status, delivery_type, sent_at)
    select (select id from sites where key = 'institutional'), 'Bench message ' || n, 'Bench message ' || n, 'What **happened** this week.',
      'sent', 'dashboard', now() - make_interval(days => n)
    from generate_series(1, ${learning.messages}) n`)
  await run(`
    insert into announcement_recipients (site_id, announcement_id, user_id, channel, state, sent_at)
    select u.site_id, a.id, u.id, 'dashboard', 'sent', a.sent_at from ${learner}, announcements a where a.name like 'Bench%'`)
}

/** Each course has two sections with two chapters each, and each chapter has three modules. */
async function seedCourses(run: Run): Promise<void> {
  await run(`
    insert into courses (site_id, name, name_key, search_key, description)
    select (select id from sites where key = 'institutional'), name, lower(name), lower(name), 'What a course of this size says about itself.'
    from (select 'Bench course ' || n as name from generate_series(1, ${learning.courses}) n) named`)
  await run(`
    insert into course_versions (site_id, course_id, version, published_at)
    select site_id, id, 1, now() from courses where name like 'Bench%'`)
  await run(`
    update courses c set published_version_id = v.id, latest_version_id = v.id
    from course_versions v where v.course_id = c.id and c.name like 'Bench%'`)
  await run(`
    insert into course_access_plans (site_id, course_id, access_plan_id)
    select c.site_id, c.id, p.id from courses c join access_plans p on p.site_id = c.site_id where c.name like 'Bench%'`)
  await run(`
    insert into course_catalog_items (site_id, course_id, rank)
    select site_id, id, 1000 + row_number() over (order by id) from courses where name like 'Bench%'`)
  const versions = `(select v.* from course_versions v join courses c on c.id = v.course_id where c.name like 'Bench%') v`
  await run(`
    insert into course_sections (version_id, name, position)
    select v.id, 'Section ' || n, n from ${versions}, generate_series(0, 1) n`)
  await run(`
    insert into course_chapters (site_id, version_id, section_id, name, position)
    select v.site_id, v.id, s.id, 'Chapter ' || n, n
    from ${versions} join course_sections s on s.version_id = v.id, generate_series(0, 1) n`)
  await run(`
    insert into course_chapter_modules (site_id, chapter_id, module_id, position)
    select c.site_id, c.id, m.id, row_number() over (partition by c.id order by m.id)
    from (select c.* from course_chapters c join ${versions} on v.id = c.version_id) c
    cross join lateral (select id from modules where name like 'Bench%' order by id offset c.id * 3 % 1900 limit 3) m`)
}

async function seedFilms(run: Run): Promise<void> {
  for (const [kind, count, columns, values] of [
    ['video', learning.videos, 'category', `(array['expert', 'case_study', 'animation'])[1 + n % 3]`],
    ['lecture', learning.lectures, 'in_lectures_page', 'true'],
  ] as const) {
    await run(`
      insert into ${kind}s (site_id, name, search_key, description, status, phases, duration, video_url, ${columns})
      select (select id from sites where key = 'institutional'), 'Bench ${kind} ' || n, 'bench ${kind} ' || n, 'What the film shows.',
        'published', array[(array['Discover', 'Develop', 'Deliver'])[1 + n % 3]], 300, '/films/discover-titrate.mp4', ${values}
      from generate_series(1, ${count}) n`)
    await run(`
      insert into ${kind}_access_plans (site_id, ${kind}_id, access_plan_id)
      select e.site_id, e.id, p.id from ${kind}s e join access_plans p on p.site_id = e.site_id where e.name like 'Bench%'`)
  }
}
