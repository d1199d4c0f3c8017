import { type Kysely, sql } from 'kysely'

/** The other kinds of content, the glossary and the search documents of all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table courses (
      id                   bigint generated always as identity primary key,
      uid                  uuid not null default gen_random_uuid() unique,
      site_id              bigint not null references sites,
      name                 text collate "und-x-icu" not null check (length(name) between 1 and 200),
      name_key             text not null,
      search_key           text not null,
      description          text not null default '' check (length(description) <= 10000),
      synopsis             text not null default '' check (length(synopsis) <= 2000),
      learning_objectives  text[] not null default '{}',
      banner_file_id       bigint,
      cover_file_id        bigint,
      cover_img_desc       text not null default '' check (length(cover_img_desc) <= 500),
      add_to_homepage      boolean not null default false,
      published_version_id bigint,
      latest_version_id    bigint,
      created_at           timestamptz not null default now(),
      updated_at           timestamptz not null default now(),
      deleted_at           timestamptz,
      deleted_by           bigint references users on delete set null,
      unique (site_id, id),
      foreign key (site_id, banner_file_id) references stored_files (site_id, id) on delete no action,
      foreign key (site_id, cover_file_id) references stored_files (site_id, id) on delete no action
    )`.execute(db)
  await sql`create index courses_by_name on courses (site_id, name, id) where deleted_at is null`.execute(db)
  await sql`create index courses_search on courses using gin (search_key gin_trgm_ops)`.execute(db)
  await sql`create index courses_by_banner on courses (banner_file_id)`.execute(db)
  await sql`create index courses_by_cover on courses (cover_file_id)`.execute(db)
  await sql`create index courses_by_deleter on courses (deleted_by)`.execute(db)

  await sql`
    create table course_versions (
      id           bigint generated always as identity primary key,
      uid          uuid not null default gen_random_uuid() unique,
      course_id    bigint not null references courses on delete cascade,
      version      integer not null check (version > 0),
      author_id    bigint references users on delete set null,
      author_name  text not null default '' check (length(author_name) <= 200),
      published_at timestamptz,
      created_at   timestamptz not null default now(),
      unique (course_id, version),
      unique (course_id, id)
    )`.execute(db)
  await sql`create index course_versions_by_author on course_versions (author_id)`.execute(db)
  await sql`
    alter table courses
      add constraint courses_published_version foreign key (id, published_version_id)
        references course_versions (course_id, id) on delete no action deferrable initially deferred,
      add constraint courses_latest_version foreign key (id, latest_version_id)
        references course_versions (course_id, id) on delete no action deferrable initially deferred`.execute(db)
  await sql`create index courses_by_published_version on courses (published_version_id)`.execute(db)
  await sql`create index courses_by_latest_version on courses (latest_version_id)`.execute(db)

  // uids of sections and chapters survive into the next version, so that a client may go on naming them.
  await sql`
    create table course_sections (
      id          bigint generated always as identity primary key,
      uid         uuid not null default gen_random_uuid(),
      version_id  bigint not null references course_versions on delete cascade,
      name        text not null default '' check (length(name) <= 200),
      description text not null default '' check (length(description) <= 10000),
      position    integer not null,
      unique (version_id, uid)
    )`.execute(db)

  await sql`
    create table course_chapters (
      id          bigint generated always as identity primary key,
      uid         uuid not null default gen_random_uuid(),
      version_id  bigint not null references course_versions on delete cascade,
      section_id  bigint not null references course_sections on delete cascade,
      name        text not null default '' check (length(name) <= 200),
      description text not null default '' check (length(description) <= 10000),
      position    integer not null,
      unique (version_id, uid)
    )`.execute(db)
  await sql`create index course_chapters_by_section on course_chapters (section_id, position)`.execute(db)

  await sql`
    create table course_chapter_modules (
      chapter_id bigint not null references course_chapters on delete cascade,
      module_id  bigint not null references modules on delete cascade,
      position   integer not null,
      primary key (chapter_id, module_id)
    )`.execute(db)
  await sql`create index course_chapter_modules_by_module on course_chapter_modules (module_id)`.execute(db)

  await sql`
    create table course_access_plans (
      site_id        bigint not null,
      course_id      bigint not null,
      access_plan_id bigint not null,
      primary key (course_id, access_plan_id),
      foreign key (site_id, course_id) references courses (site_id, id) on delete cascade,
      foreign key (site_id, access_plan_id) references access_plans (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index course_access_plans_by_plan on course_access_plans (access_plan_id, course_id)`.execute(db)

  await sql`
    create table course_tags (
      site_id   bigint not null,
      course_id bigint not null,
      tag_id    bigint not null,
      primary key (course_id, tag_id),
      foreign key (site_id, course_id) references courses (site_id, id) on delete cascade,
      foreign key (site_id, tag_id) references tags (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index course_tags_by_tag on course_tags (tag_id, course_id)`.execute(db)

  await sql`
    create table course_catalog_items (
      id        bigint generated always as identity primary key,
      uid       uuid not null default gen_random_uuid() unique,
      site_id   bigint not null,
      course_id bigint not null unique,
      rank      integer not null,
      foreign key (site_id, course_id) references courses (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index course_catalog_items_by_rank on course_catalog_items (site_id, rank)`.execute(db)

  await sql`
    create table lectures (
      id                 bigint generated always as identity primary key,
      uid                uuid not null default gen_random_uuid() unique,
      site_id            bigint not null references sites,
      name               text collate "und-x-icu" not null check (length(name) between 1 and 200),
      search_key         text not null,
      description        text not null default '' check (length(description) <= 10000),
      presenter          text not null default '' check (length(presenter) <= 200),
      status             text not null default 'draft' check (status in ('draft', 'published')),
      questions_markdown text not null default '' check (length(questions_markdown) <= 50000),
      in_lectures_page   boolean not null default true,
      coming_soon        boolean not null default false,
      phases             text[] not null default '{}',
      cover_file_id      bigint,
      cover_img_desc     text not null default '' check (length(cover_img_desc) <= 500),
      video_url          text not null default '' check (length(video_url) <= 500),
      vimeo_full_url     text check (length(vimeo_full_url) <= 500),
      duration           integer check (duration >= 0),
      thumbnail_url      text check (length(thumbnail_url) <= 500),
      captions_file_id   bigint,
      transcript         text check (length(transcript) <= 500000),
      created_at         timestamptz not null default now(),
      updated_at         timestamptz not null default now(),
      deleted_at         timestamptz,
      deleted_by         bigint references users on delete set null,
      unique (site_id, id),
      foreign key (site_id, cover_file_id) references stored_files (site_id, id) on delete no action,
      foreign key (site_id, captions_file_id) references stored_files (site_id, id) on delete no action
    )`.execute(db)
  await sql`create index lectures_by_name on lectures (site_id, name, id) where deleted_at is null`.execute(db)
  await sql`create index lectures_search on lectures using gin (search_key gin_trgm_ops)`.execute(db)
  await sql`create index lectures_by_cover on lectures (cover_file_id)`.execute(db)
  await sql`create index lectures_by_captions on lectures (captions_file_id)`.execute(db)
  await sql`create index lectures_by_deleter on lectures (deleted_by)`.execute(db)

  await sql`
    create table videos (
      id               bigint generated always as identity primary key,
      uid              uuid not null default gen_random_uuid() unique,
      site_id          bigint not null references sites,
      name             text collate "und-x-icu" not null check (length(name) between 1 and 200),
      search_key       text not null,
      description      text not null default '' check (length(description) <= 10000),
      category         text not null check (category in ('expert', 'case_study', 'animation')),
      status           text not null default 'draft' check (status in ('draft', 'published')),
      video_url        text not null default '' check (length(video_url) <= 500),
      duration         integer check (duration >= 0),
      captions_file_id bigint,
      transcript       text check (length(transcript) <= 500000),
      phases           text[] not null default '{}',
      cover_file_id    bigint,
      cover_img_desc   text not null default '' check (length(cover_img_desc) <= 500),
      position         integer not null default 0,
      created_at       timestamptz not null default now(),
      updated_at       timestamptz not null default now(),
      deleted_at       timestamptz,
      deleted_by       bigint references users on delete set null,
      unique (site_id, id),
      foreign key (site_id, cover_file_id) references stored_files (site_id, id) on delete no action,
      foreign key (site_id, captions_file_id) references stored_files (site_id, id) on delete no action
    )`.execute(db)
  await sql`create index videos_by_name on videos (site_id, name, id) where deleted_at is null`.execute(db)
  await sql`create index videos_search on videos using gin (search_key gin_trgm_ops)`.execute(db)
  await sql`create index videos_by_cover on videos (cover_file_id)`.execute(db)
  await sql`create index videos_by_captions on videos (captions_file_id)`.execute(db)
  await sql`create index videos_by_deleter on videos (deleted_by)`.execute(db)

  for (const kind of ['lecture', 'video']) {
    const table = sql.table(`${kind}s`)
    const id = sql.ref(`${kind}_id`)
    await sql`
      create table ${sql.table(`${kind}_access_plans`)} (
        site_id        bigint not null,
        ${id}          bigint not null,
        access_plan_id bigint not null,
        primary key (${id}, access_plan_id),
        foreign key (site_id, ${id}) references ${table} (site_id, id) on delete cascade,
        foreign key (site_id, access_plan_id) references access_plans (site_id, id) on delete cascade
      )`.execute(db)
    await sql`create index on ${sql.table(`${kind}_access_plans`)} (access_plan_id, ${id})`.execute(db)
    await sql`
      create table ${sql.table(`${kind}_tags`)} (
        site_id bigint not null,
        ${id}   bigint not null,
        tag_id  bigint not null,
        primary key (${id}, tag_id),
        foreign key (site_id, ${id}) references ${table} (site_id, id) on delete cascade,
        foreign key (site_id, tag_id) references tags (site_id, id) on delete cascade
      )`.execute(db)
    await sql`create index on ${sql.table(`${kind}_tags`)} (tag_id, ${id})`.execute(db)
  }

  await sql`
    create table lecture_chapters (
      site_id    bigint not null,
      lecture_id bigint primary key,
      chapter_id bigint not null,
      position   integer not null,
      foreign key (site_id, lecture_id) references lectures (site_id, id) on delete cascade,
      foreign key (site_id, chapter_id) references chapters (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index on lecture_chapters (chapter_id, position, lecture_id)`.execute(db)

  await sql`
    alter table users
      add foreign key (last_viewed_module_id) references modules on delete set null,
      add foreign key (last_watched_video_id) references videos on delete set null,
      add foreign key (last_watched_lecture_id) references lectures on delete set null`.execute(db)
  await sql`create index on users (last_viewed_module_id)`.execute(db)
  await sql`create index on users (last_watched_video_id)`.execute(db)
  await sql`create index on users (last_watched_lecture_id)`.execute(db)

  await sql`
    create table glossary_settings (
      site_id     bigint primary key references sites,
      headline    text not null default '' check (length(headline) <= 200),
      description text not null default '' check (length(description) <= 5000),
      updated_at  timestamptz not null default now()
    )`.execute(db)

  await sql`
    create table glossary_terms (
      id         bigint generated always as identity primary key,
      uid        uuid not null default gen_random_uuid() unique,
      site_id    bigint not null references sites,
      slug       text not null check (length(slug) between 1 and 200),
      name       text collate "und-x-icu" not null check (length(name) between 1 and 200),
      name_key   text not null,
      search_key text not null,
      definition text not null default '' check (length(definition) <= 10000),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      deleted_at timestamptz,
      deleted_by bigint references users on delete set null,
      unique (site_id, slug)
    )`.execute(db)
  await sql`create unique index glossary_terms_one_name on glossary_terms (site_id, name_key) where deleted_at is null`.execute(
    db,
  )
  await sql`create index glossary_terms_by_name on glossary_terms (site_id, name, id) where deleted_at is null`.execute(
    db,
  )
  await sql`create index glossary_terms_search on glossary_terms using gin (search_key gin_trgm_ops)`.execute(db)
  await sql`create index glossary_terms_by_deleter on glossary_terms (deleted_by)`.execute(db)

  await sql`
    create table search_documents (
      site_id    bigint not null references sites,
      kind       text not null check (kind in ('course', 'module', 'video', 'lecture', 'glossary')),
      entity_id  bigint not null,
      title      text not null,
      body       text not null default '',
      tsv        tsvector not null,
      search_key text not null,
      updated_at timestamptz not null default now(),
      primary key (site_id, kind, entity_id)
    )`.execute(db)
  await sql`create index search_documents_tsv on search_documents using gin (tsv)`.execute(db)
  await sql`create index search_documents_key on search_documents using gin (search_key gin_trgm_ops)`.execute(db)
}
