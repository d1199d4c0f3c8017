/**
 * Content for the tables of the console, written in bulk. All names begin with "Console". Needs the modules, plans and
 * the tag of the bench.
 */
import { authorNumber } from './seed.ts'
import type { Run } from './seed-learning.ts'

export const size = { courses: 2000, modulesOfLongest: 200, films: 5000, terms: 5000, removed: 1000 }

export async function seedConsoleContent(run: Run): Promise<void> {
  await seedCourses(run)
  await seedFilms(run)
  await seedTerms(run)
}

/** Each course has one module, but the first one has many: in five sections with four chapters each. */
async function seedCourses(run: Run): Promise<void> {
  await run(`
    insert into courses (site_id, name, name_key, search_key, description)
    select (select id from sites where key = 'institutional'), name, lower(name), lower(name), 'About it'
    from (select 'Console course ' || n as name from generate_series(1, ${size.courses}) n) named`)
  await run(`
    insert into course_versions (site_id, course_id, version, published_at, author_id)
    select site_id, id, 1, now(), case when id % 10 = 0 then (select id from users where email = 'bench${authorNumber}@titrate.example') end
    from courses where name like 'Console%'`)
  await run(`
    update courses set latest_version_id = v.id, published_version_id = case when courses.id % 2 = 1 then v.id end
    from course_versions v where v.course_id = courses.id and courses.name like 'Console%'`)
  await run(`
    update courses set published_version_id = latest_version_id where name = 'Console course 1'`)
  await run(`
    insert into course_access_plans (site_id, course_id, access_plan_id)
    select c.site_id, c.id, p.id from courses c join access_plans p on p.site_id = c.site_id where c.name like 'Console%'`)
  await run(`
    insert into course_tags (site_id, course_id, tag_id)
    select c.site_id, c.id, t.id from courses c join tags t on t.site_id = c.site_id and t.text = 'Bench tag'
    where c.name like 'Console%' and c.id % 5 = 0`)
  await run(`
    insert into course_sections (version_id, name, position)
    select v.id, 'Section ' || n, n from courses c join course_versions v on v.course_id = c.id,
      generate_series(1, case when c.name = 'Console course 1' then 5 else 1 end) n where c.name like 'Console%'`)
  await run(`
    insert into course_chapters (site_id, version_id, section_id, name, position)
    select c.site_id, s.version_id, s.id, 'Chapter ' || n, n
    from course_sections s join course_versions v on v.id = s.version_id join courses c on c.id = v.course_id,
      generate_series(1, case when c.name = 'Console course 1' then 4 else 1 end) n where c.name like 'Console%'`)
  await run(`
    with modules_in_order as (select id, row_number() over (order by id) - 1 as place from modules where name like 'Bench%'),
    chapters_in_order as (
      select course_chapters.id, c.site_id, c.name, row_number() over (partition by c.id order by course_chapters.id) - 1 as place
      from course_chapters join course_versions v on v.id = course_chapters.version_id
        join courses c on c.id = v.course_id where c.name like 'Console%')
    insert into course_chapter_modules (site_id, chapter_id, module_id, position)
    select ch.site_id, ch.id, m.id, m.place
    from chapters_in_order ch join modules_in_order m on
      case when ch.name = 'Console course 1' then m.place / 10 = ch.place and m.place < ${size.modulesOfLongest}
        else m.place = ch.id % 1000 end`)
}

/** As many lectures as videos. Every second one is published, every fifth has the tag, and the last ones are in the trash. */
async function seedFilms(run: Run): Promise<void> {
  for (const [kind, column, value] of [
    ['video', 'category', `(array['expert', 'case_study', 'animation'])[1 + n % 3]`],
    ['lecture', 'in_lectures_page', 'true'],
  ] as const) {
    const films = `${kind}s e`
    await run(`
      insert into ${kind}s (site_id, name, search_key, description, presenter, status, phases, duration, video_url,
        updated_at, deleted_at, ${column})
      select (select id from sites where key = 'institutional'), name, lower(name), 'What the film shows.',
        'Presenter ' || n % 40, (array['published', 'draft'])[1 + n % 2],
        array[(array['Discover', 'Develop', 'Deliver'])[1 + n % 3]], 300, '/films/discover-titrate.mp4',
        now() - make_interval(mins => n * 7919 % 500000),
        case when n > ${size.films} then now() - make_interval(mins => n) end, ${value}
      from (select n, 'Console ${kind} ' || n as name from generate_series(1, ${size.films + size.removed / 2}) n) named`)
    await run(`
      insert into ${kind}_access_plans (site_id, ${kind}_id, access_plan_id)
      select e.site_id, e.id, p.id from ${films} join access_plans p on p.site_id = e.site_id where e.name like 'Console%'`)
    await run(`
      insert into ${kind}_tags (site_id, ${kind}_id, tag_id)
      select e.site_id, e.id, t.id from ${films} join tags t on t.site_id = e.site_id and t.text = 'Bench tag'
      where e.name like 'Console%' and e.id % 5 = 0`)
  }
}

async function seedTerms(run: Run): Promise<void> {
  await run(`
    insert into glossary_terms (site_id, name, name_key, search_key, slug, definition)
    select (select id from sites where key = 'institutional'), name, lower(name), lower(name), 'console-term-' || n,
      'What the word means to somebody who reads it for the first time.'
    from (select n, chr(65 + n % 26) || ' console term ' || n as name from generate_series(1, ${size.terms}) n) named`)
}
