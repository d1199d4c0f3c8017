import { type Kysely, sql } from 'kysely'

/** What is set once for the whole installation, and the two sites that everything else belongs to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)

  await sql`
    create table installation (
      key        text primary key check (key in ('iri_base', 'csrf_key', 'content_key', 'token_key')),
      value      text not null,
      created_at timestamptz not null default now()
    )`.execute(db)

  await sql`
    create table sites (
      id                    bigint generated always as identity primary key,
      uid                   uuid not null default gen_random_uuid() unique,
      key                   text not null unique check (key in ('institutional', 'ns')),
      base_url              text not null check (length(base_url) <= 300),
      time_zone             text not null default 'UTC' check (length(time_zone) <= 64),
      default_university_id bigint,
      survey_url            text check (length(survey_url) <= 2000),
      created_at            timestamptz not null default now(),
      updated_at            timestamptz not null default now()
    )`.execute(db)

  await sql`
    create table feature_flags (
      site_id bigint not null references sites on delete cascade,
      name    text not null check (name in ('ANNOUNCEMENTS', 'ALL_CONTENT', 'LECTURES', 'GLOSSARY')),
      is_on   boolean not null default true,
      primary key (site_id, name)
    )`.execute(db)

  await sql`
    create table access_plans (
      id         bigint generated always as identity primary key,
      uid        uuid not null default gen_random_uuid() unique,
      site_id    bigint not null references sites,
      name       text collate "und-x-icu" not null check (length(name) between 1 and 100),
      is_public  boolean not null default true,
      created_at timestamptz not null default now(),
      unique (site_id, id),
      unique (site_id, name)
    )`.execute(db)

  await sql`
    create table universities (
      id         bigint generated always as identity primary key,
      uid        uuid not null default gen_random_uuid() unique,
      site_id    bigint not null references sites,
      name       text collate "und-x-icu" not null check (length(name) between 1 and 200),
      name_key   text not null,
      search_key text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (site_id, id),
      unique (site_id, name_key)
    )`.execute(db)
  await sql`create index universities_by_name on universities (site_id, name, id)`.execute(db)
  await sql`create index universities_search on universities using gin (search_key gin_trgm_ops)`.execute(db)

  await sql`
    alter table sites add constraint sites_default_university
      foreign key (id, default_university_id) references universities (site_id, id) on delete no action`.execute(db)
  await sql`create index sites_default_university on sites (default_university_id)`.execute(db)
}
