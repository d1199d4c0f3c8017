import { type Kysely, sql } from 'kysely'

/**
 * The media of lectures and videos: a film may be an uploaded file, captions may be in several languages, and a
 * transcript may be written on its own. `captions_file_id` is no longer used; its captions were taken to be English.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['uploads', 'stored_files']) {
    await sql`
      alter table ${sql.table(table)}
        drop constraint ${sql.ref(`${table}_kind_check`)},
        add constraint ${sql.ref(`${table}_kind_check`)} check (kind in (
          'cmi5_zip', 'cover_img', 'video', 'captions', 'transcript', 'csv', 'attachment', 'announcement_img'))`.execute(
      db,
    )
  }
  await sql`
    create table film_captions (
      id         bigint generated always as identity primary key,
      site_id    bigint not null,
      lecture_id bigint,
      video_id   bigint,
      language   text not null check (length(language) between 2 and 20),
      file_id    bigint not null,
      position   integer not null,
      check (num_nonnulls(lecture_id, video_id) = 1),
      unique (lecture_id, language),
      unique (video_id, language),
      foreign key (site_id, lecture_id) references lectures (site_id, id) on delete cascade,
      foreign key (site_id, video_id) references videos (site_id, id) on delete cascade,
      foreign key (site_id, file_id) references stored_files (site_id, id) on delete no action
    )`.execute(db)
  await sql`create index film_captions_by_file on film_captions (file_id)`.execute(db)

  for (const kind of ['lecture', 'video']) {
    const table = sql.table(`${kind}s`)
    // The lines of a transcript that is not made from captions: [{"from": 4.5, "text": "…"}].
    await sql`
      alter table ${table}
        add column video_file_id bigint,
        add column transcript_lines jsonb,
        add column transcript_language text check (length(transcript_language) between 2 and 20),
        add column transcript_as_captions boolean not null default false,
        add foreign key (site_id, video_file_id) references stored_files (site_id, id) on delete no action,
        add check (video_file_id is null or video_url = ''),
        add check ((transcript_lines is null) = (transcript_language is null)),
        add check (transcript_lines is not null or not transcript_as_captions)`.execute(db)
    await sql`create index ${sql.ref(`${kind}s_by_video_file`)} on ${table} (video_file_id)`.execute(db)
    await sql`
      insert into film_captions (site_id, ${sql.ref(`${kind}_id`)}, language, file_id, position)
      select site_id, id, 'en', captions_file_id, 0 from ${table} where captions_file_id is not null order by id`.execute(
      db,
    )
  }
  await sql`
    alter table videos
      add column if not exists vimeo_full_url text check (length(vimeo_full_url) <= 500),
      add column if not exists thumbnail_url text check (length(thumbnail_url) <= 500)`.execute(db)
}
