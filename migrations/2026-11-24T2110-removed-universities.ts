import { type Kysely, sql } from 'kysely'

/**
 * Institutions that were deleted, with whom they had, so that they can be brought back for thirty days. Deleting one
 * moves its people to another institution.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table removed_universities (
      id              bigint generated always as identity primary key,
      uid             uuid not null default gen_random_uuid() unique,
      site_id         bigint not null references sites,
      university_uid  uuid not null,
      name            text collate "und-x-icu" not null check (length(name) between 1 and 200),
      name_key        text not null,
      replacement_uid uuid not null,
      deleted_by      bigint references users on delete set null,
      removed_at      timestamptz not null,
      unique (site_id, id)
    )`.execute(db)
  await sql`create index removed_universities_newest on removed_universities (site_id, removed_at desc, id desc)`.execute(
    db,
  )
  await sql`create index removed_universities_by_deleter on removed_universities (deleted_by)`.execute(db)
  await sql`
    create table removed_university_people (
      removal_id bigint not null,
      site_id    bigint not null,
      user_id    bigint not null,
      primary key (removal_id, user_id),
      foreign key (site_id, removal_id) references removed_universities (site_id, id) on delete cascade,
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index removed_university_people_by_user on removed_university_people (site_id, user_id)`.execute(db)
  await sql`create index removed_university_people_by_removal on removed_university_people (site_id, removal_id)`.execute(
    db,
  )
}
