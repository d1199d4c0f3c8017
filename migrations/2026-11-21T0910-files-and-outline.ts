import { type Kysely, sql } from 'kysely'

/** Files that people uploaded, tags, and the outline of the process taught (three sections, ten chapters). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table stored_files (
      id                 bigint generated always as identity primary key,
      uid                uuid not null default gen_random_uuid() unique,
      site_id            bigint not null references sites,
      kind               text not null check (kind in ('cmi5_zip', 'cover_img', 'csv', 'attachment', 'announcement_img', 'captions')),
      original_file_name text not null check (length(original_file_name) between 1 and 255),
      name               text not null unique check (length(name) <= 300),
      size               bigint not null check (size >= 0),
      content_type       text not null check (length(content_type) <= 150),
      sha256             bytea not null,
      storage_key        text not null unique,
      width              integer,
      height             integer,
      created_by         bigint references users on delete set null,
      created_at         timestamptz not null default now(),
      unique (site_id, id)
    )`.execute(db)
  await sql`create index stored_files_by_creator on stored_files (created_by)`.execute(db)

  await sql`
    create table uploads (
      id             bigint generated always as identity primary key,
      uid            uuid not null default gen_random_uuid() unique,
      site_id        bigint not null references sites,
      kind           text not null check (kind in ('cmi5_zip', 'cover_img', 'csv', 'attachment', 'announcement_img', 'captions')),
      file_name      text not null check (length(file_name) between 1 and 255),
      created_by     bigint references users on delete cascade,
      created_at     timestamptz not null default now(),
      expires_at     timestamptz not null,
      completed_at   timestamptz,
      stored_file_id bigint references stored_files on delete cascade
    )`.execute(db)
  await sql`create index uploads_by_creator on uploads (created_by)`.execute(db)
  await sql`create index uploads_by_file on uploads (stored_file_id)`.execute(db)
  await sql`create index uploads_by_expiry on uploads (expires_at) where completed_at is null`.execute(db)

  await sql`
    create table tags (
      id         bigint generated always as identity primary key,
      uid        uuid not null default gen_random_uuid() unique,
      site_id    bigint not null references sites,
      text       text collate "und-x-icu" not null check (length(text) between 1 and 100),
      text_key   text not null,
      created_at timestamptz not null default now(),
      unique (site_id, id),
      unique (site_id, text_key)
    )`.execute(db)
  await sql`create index tags_by_text on tags (site_id, text, id)`.execute(db)

  await sql`
    create table sections (
      id          bigint generated always as identity primary key,
      uid         uuid not null default gen_random_uuid() unique,
      site_id     bigint not null references sites,
      frontend_id text not null check (frontend_id in ('discover', 'develop', 'deliver')),
      name        text collate "und-x-icu" not null check (length(name) between 1 and 100),
      description text not null default '' check (length(description) <= 2000),
      position    integer not null,
      created_at  timestamptz not null default now(),
      updated_at  timestamptz not null default now(),
      unique (site_id, id),
      unique (site_id, frontend_id)
    )`.execute(db)

  await sql`
    create table chapters (
      id         bigint generated always as identity primary key,
      uid        uuid not null default gen_random_uuid() unique,
      site_id    bigint not null references sites,
      section_id bigint not null,
      name       text collate "und-x-icu" not null check (length(name) between 1 and 100),
      position   integer not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (site_id, id),
      unique (site_id, name),
      foreign key (site_id, section_id) references sections (site_id, id) on delete restrict
    )`.execute(db)
  await sql`create index chapters_by_section on chapters (section_id, position)`.execute(db)
}
