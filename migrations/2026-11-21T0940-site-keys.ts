import { type Kysely, sql } from 'kysely'

/**
 * Sites are kept apart by keys here too: what joins two things that belong to sites names the site and refers to both by it. Who
 * did something (author, assigner, deleter) is left out: people act on their own site only, and a deleted one stays as a tombstone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addSites(db)
  for (const [table, column, parent, deletion] of joins) {
    const [from, key, to] = [sql.table(table), sql.ref(column), sql.table(parent)]
    await sql`alter table ${from} drop constraint if exists ${sql.ref(`${table}_${column}_fkey`)}`.execute(db)
    await sql`
      alter table ${from} add foreign key (site_id, ${key}) references ${to} (site_id, id)
        on delete ${deletion === 'cascade' ? sql`cascade` : sql`set null (${key})`}`.execute(db)
  }
}

const joins: [table: string, column: string, parent: string, deletion: 'cascade' | 'forget'][] = [
  ['users', 'last_viewed_module_id', 'modules', 'forget'],
  ['users', 'last_watched_video_id', 'videos', 'forget'],
  ['users', 'last_watched_lecture_id', 'lectures', 'forget'],
  ['invitations', 'user_id', 'users', 'cascade'],
  ['invitations', 'access_plan_id', 'access_plans', 'forget'],
  ['logins', 'user_id', 'users', 'cascade'],
  ['visits', 'user_id', 'users', 'cascade'],
  ['user_answers', 'user_id', 'users', 'cascade'],
  ['user_answers', 'question_id', 'profile_questions', 'cascade'],
  ['user_facets', 'user_id', 'users', 'cascade'],
  ['uploads', 'stored_file_id', 'stored_files', 'cascade'],
  ['course_versions', 'course_id', 'courses', 'cascade'],
  ['course_chapters', 'version_id', 'course_versions', 'cascade'],
  ['course_chapter_modules', 'chapter_id', 'course_chapters', 'cascade'],
  ['course_chapter_modules', 'module_id', 'modules', 'cascade'],
  ['course_progress', 'course_version_id', 'course_versions', 'forget'],
  ['video_plays', 'user_id', 'users', 'forget'],
  ['question_answers', 'user_id', 'users', 'forget'],
  ['question_answers', 'module_id', 'modules', 'forget'],
  ['announcements', 'attachment_file_id', 'stored_files', 'forget'],
  ['announcement_files', 'announcement_id', 'announcements', 'cascade'],
  ['announcement_recipients', 'announcement_id', 'announcements', 'cascade'],
  ['announcement_recipients', 'user_id', 'users', 'forget'],
]

/** To tables that had none: of their first parent, whose rows all have one. */
async function addSites(db: Kysely<unknown>): Promise<void> {
  const owners: [table: string, column: string, parent: string][] = [
    ['invitations', 'user_id', 'users'],
    ['user_answers', 'user_id', 'users'],
    ['course_versions', 'course_id', 'courses'],
    ['course_chapters', 'version_id', 'course_versions'],
    ['course_chapter_modules', 'chapter_id', 'course_chapters'],
    ['announcement_files', 'announcement_id', 'announcements'],
    ['announcement_recipients', 'announcement_id', 'announcements'],
  ]
  for (const [table, column, parent] of owners) {
    const [child, to] = [sql.table(table), sql.table(parent)]
    await sql`alter table ${child} add column site_id bigint`.execute(db)
    await sql`
      update ${child} child set site_id = owner.site_id from ${to} owner where owner.id = child.${sql.ref(column)}`.execute(
      db,
    )
    await sql`alter table ${child} alter column site_id set not null`.execute(db)
  }
  for (const table of ['course_versions', 'course_chapters', 'announcements']) {
    await sql`alter table ${sql.table(table)} add unique (site_id, id)`.execute(db)
  }
  await sql`alter table announcement_files drop constraint announcement_files_file_id_fkey`.execute(db)
  await sql`
    alter table announcement_files add foreign key (site_id, file_id) references stored_files (site_id, id)
      on delete restrict`.execute(db)
}
