import { type Kysely, sql } from 'kysely'

/** Modules, their versions, and what a cmi5 package says about blocks, units and objectives. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table modules (
      id                   bigint generated always as identity primary key,
      uid                  uuid not null default gen_random_uuid() unique,
      site_id              bigint not null references sites,
      name                 text collate "und-x-icu" not null check (length(name) between 1 and 200),
      name_key             text not null,
      search_key           text not null,
      description          text not null default '' check (length(description) <= 10000),
      in_self_study        boolean not null default true,
      coming_soon          boolean not null default false,
      cover_file_id        bigint,
      cover_img_desc       text not null default '' check (length(cover_img_desc) <= 500),
      published_version_id bigint,
      latest_version_id    bigint,
      created_at           timestamptz not null default now(),
      updated_at           timestamptz not null default now(),
      deleted_at           timestamptz,
      deleted_by           bigint references users on delete set null,
      unique (site_id, id),
      foreign key (site_id, cover_file_id) references stored_files (site_id, id) on delete no action
    )`.execute(db)
  await sql`create index modules_by_name on modules (site_id, name, id) where deleted_at is null`.execute(db)
  await sql`create index modules_by_name_key on modules (site_id, name_key) where deleted_at is null`.execute(db)
  await sql`create index modules_search on modules using gin (search_key gin_trgm_ops)`.execute(db)
  await sql`create index modules_by_cover on modules (cover_file_id)`.execute(db)
  await sql`create index modules_by_deleter on modules (deleted_by)`.execute(db)

  await sql`
    create table module_versions (
      id                  bigint generated always as identity primary key,
      uid                 uuid not null default gen_random_uuid() unique,
      module_id           bigint not null references modules on delete cascade,
      version             integer not null check (version > 0),
      author_id           bigint references users on delete set null,
      author_name         text not null default '' check (length(author_name) <= 200),
      published_at        timestamptz,
      publish_when_parsed boolean not null default false,
      created_at          timestamptz not null default now(),
      unique (module_id, version),
      unique (module_id, id)
    )`.execute(db)
  await sql`create index module_versions_by_author on module_versions (author_id)`.execute(db)
  await sql`
    alter table modules
      add constraint modules_published_version foreign key (id, published_version_id)
        references module_versions (module_id, id) on delete no action deferrable initially deferred,
      add constraint modules_latest_version foreign key (id, latest_version_id)
        references module_versions (module_id, id) on delete no action deferrable initially deferred`.execute(db)
  await sql`create index modules_by_published_version on modules (published_version_id)`.execute(db)
  await sql`create index modules_by_latest_version on modules (latest_version_id)`.execute(db)

  await sql`
    create table module_access_plans (
      site_id        bigint not null,
      module_id      bigint not null,
      access_plan_id bigint not null,
      primary key (module_id, access_plan_id),
      foreign key (site_id, module_id) references modules (site_id, id) on delete cascade,
      foreign key (site_id, access_plan_id) references access_plans (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index module_access_plans_by_plan on module_access_plans (access_plan_id, module_id)`.execute(db)

  await sql`
    create table module_tags (
      site_id   bigint not null,
      module_id bigint not null,
      tag_id    bigint not null,
      primary key (module_id, tag_id),
      foreign key (site_id, module_id) references modules (site_id, id) on delete cascade,
      foreign key (site_id, tag_id) references tags (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index module_tags_by_tag on module_tags (tag_id, module_id)`.execute(db)

  await sql`
    create table module_chapters (
      site_id    bigint not null,
      module_id  bigint primary key,
      chapter_id bigint not null,
      position   integer not null,
      foreign key (site_id, module_id) references modules (site_id, id) on delete cascade,
      foreign key (site_id, chapter_id) references chapters (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index module_chapters_by_chapter on module_chapters (chapter_id, position, module_id)`.execute(db)

  await sql`
    create table cmi5_packages (
      id                bigint generated always as identity primary key,
      uid               uuid not null default gen_random_uuid() unique,
      module_version_id bigint not null unique references module_versions on delete cascade,
      status            text not null check (status in ('uploaded', 'processing', 'parsed', 'error')),
      last_msg          text check (length(last_msg) <= 4000),
      zip_file_id       bigint references stored_files on delete restrict,
      content_key       uuid not null default gen_random_uuid() unique,
      publisher_id      text check (length(publisher_id) <= 2000),
      title             jsonb,
      description       jsonb,
      entry_count       integer,
      size              bigint,
      created_at        timestamptz not null default now(),
      updated_at        timestamptz not null default now()
    )`.execute(db)
  await sql`create index cmi5_packages_by_file on cmi5_packages (zip_file_id)`.execute(db)

  await sql`
    create table cmi5_objectives (
      id           bigint generated always as identity primary key,
      package_id   bigint not null references cmi5_packages on delete cascade,
      publisher_id text not null check (length(publisher_id) <= 2000),
      title        jsonb not null,
      description  jsonb not null,
      position     integer not null,
      unique (package_id, publisher_id)
    )`.execute(db)

  await sql`
    create table cmi5_blocks (
      id           bigint generated always as identity primary key,
      uid          uuid not null default gen_random_uuid() unique,
      package_id   bigint not null references cmi5_packages on delete cascade,
      parent_id    bigint,
      publisher_id text not null check (length(publisher_id) <= 2000),
      iri          text not null check (length(iri) <= 2000),
      title        jsonb not null,
      description  jsonb not null,
      objectives   text[] not null default '{}',
      position     integer not null,
      unique (package_id, publisher_id),
      unique (package_id, id),
      foreign key (package_id, parent_id) references cmi5_blocks (package_id, id) on delete cascade
    )`.execute(db)
  await sql`create index cmi5_blocks_by_parent on cmi5_blocks (package_id, parent_id)`.execute(db)

  // position counts units through the whole package in document order; for blocks likewise, so that sorting is one key.
  await sql`
    create table cmi5_units (
      id                bigint generated always as identity primary key,
      uid               uuid not null default gen_random_uuid() unique,
      package_id        bigint not null references cmi5_packages on delete cascade,
      block_id          bigint,
      publisher_id      text not null check (length(publisher_id) <= 2000),
      iri               text not null check (length(iri) <= 2000),
      title             jsonb not null,
      description       jsonb not null,
      objectives        text[] not null default '{}',
      position          integer not null,
      url               text not null check (length(url) <= 4000),
      launch_method     text not null check (launch_method in ('AnyWindow', 'OwnWindow')),
      launch_parameters text check (length(launch_parameters) <= 100000),
      mastery_score     numeric(5, 4) check (mastery_score between 0 and 1),
      move_on           text not null check (move_on in ('NotApplicable', 'Passed', 'Completed', 'CompletedAndPassed', 'CompletedOrPassed')),
      entitlement_key   text check (length(entitlement_key) <= 4000),
      activity_type     text check (length(activity_type) <= 2000),
      unique (package_id, publisher_id),
      unique (package_id, position),
      foreign key (package_id, block_id) references cmi5_blocks (package_id, id) on delete cascade
    )`.execute(db)
  await sql`create index cmi5_units_by_block on cmi5_units (package_id, block_id)`.execute(db)
  await sql`create index cmi5_units_by_iri on cmi5_units (iri)`.execute(db)

  await sql`
    create table unit_overrides (
      module_id         bigint not null references modules on delete cascade,
      publisher_id      text not null check (length(publisher_id) <= 2000),
      mastery_score     numeric(5, 4) check (mastery_score between 0 and 1),
      move_on           text check (move_on in ('NotApplicable', 'Passed', 'Completed', 'CompletedAndPassed', 'CompletedOrPassed')),
      launch_parameters text check (length(launch_parameters) <= 100000),
      updated_at        timestamptz not null default now(),
      primary key (module_id, publisher_id)
    )`.execute(db)
}
