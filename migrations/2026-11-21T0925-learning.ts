import { type Kysely, sql } from 'kysely'

/** Attempts at modules and everything a learner has done; favourites and assignments. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table registrations (
      id                bigint generated always as identity primary key,
      uid               uuid not null default gen_random_uuid() unique,
      site_id           bigint not null references sites,
      user_id           bigint not null,
      module_id         bigint not null,
      module_version_id bigint not null,
      number            integer not null check (number > 0),
      is_preview        boolean not null default false,
      progress_percent  integer not null default 0 check (progress_percent between 0 and 100),
      satisfied_at      timestamptz,
      closed_at         timestamptz,
      created_at        timestamptz not null default now(),
      updated_at        timestamptz not null default now(),
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade,
      foreign key (site_id, module_id) references modules (site_id, id) on delete cascade,
      foreign key (module_id, module_version_id) references module_versions (module_id, id) on delete cascade,
      unique (user_id, module_id, is_preview, number)
    )`.execute(db)
  await sql`
    create unique index registrations_one_open on registrations (user_id, module_id)
      where closed_at is null and not is_preview`.execute(db)
  await sql`create index registrations_by_module on registrations (module_id, user_id)`.execute(db)
  await sql`create index registrations_by_version on registrations (module_version_id)`.execute(db)

  await sql`
    create table registration_units (
      registration_id   bigint not null references registrations on delete cascade,
      unit_id           bigint not null references cmi5_units on delete cascade,
      move_on           text not null check (move_on in ('NotApplicable', 'Passed', 'Completed', 'CompletedAndPassed', 'CompletedOrPassed')),
      mastery_score     numeric(5, 4),
      launch_parameters text,
      reported          integer check (reported between 0 and 100),
      progress          integer not null default 0 check (progress between 0 and 100),
      score_scaled      double precision,
      completed_at      timestamptz,
      passed_at         timestamptz,
      failed_at         timestamptz,
      waived_at         timestamptz,
      waive_reason      text check (waive_reason in ('Tested Out', 'Equivalent AU', 'Equivalent Outside Activity', 'Administrative')),
      satisfied_at      timestamptz,
      seconds           double precision not null default 0,
      last_visited_at   timestamptz,
      primary key (registration_id, unit_id)
    )`.execute(db)
  await sql`create index registration_units_by_unit on registration_units (unit_id)`.execute(db)

  await sql`
    create table registration_blocks (
      registration_id bigint not null references registrations on delete cascade,
      block_id        bigint not null references cmi5_blocks on delete cascade,
      satisfied_at    timestamptz not null,
      primary key (registration_id, block_id)
    )`.execute(db)
  await sql`create index registration_blocks_by_block on registration_blocks (block_id)`.execute(db)

  await sql`
    create table launch_sessions (
      id              bigint generated always as identity primary key,
      uid             uuid not null default gen_random_uuid() unique,
      registration_id bigint not null references registrations on delete cascade,
      unit_id         bigint not null references cmi5_units on delete cascade,
      mode            text not null check (mode in ('Normal', 'Browse', 'Review')),
      launch_url      text not null,
      launch_data     jsonb not null,
      fetch_hash      bytea not null unique,
      fetched_at      timestamptz,
      token_hash      bytea unique,
      launched_at     timestamptz not null default now(),
      prefs_read_at   timestamptz,
      initialized_at  timestamptz,
      completed_at    timestamptz,
      passed_at       timestamptz,
      failed_at       timestamptz,
      terminated_at   timestamptz,
      abandoned_at    timestamptz,
      last_seen_at    timestamptz not null default now()
    )`.execute(db)
  await sql`create index launch_sessions_by_registration on launch_sessions (registration_id, id)`.execute(db)
  await sql`create index launch_sessions_by_unit on launch_sessions (unit_id)`.execute(db)
  await sql`
    create index launch_sessions_open on launch_sessions (last_seen_at)
      where terminated_at is null and abandoned_at is null`.execute(db)

  await sql`
    create table module_progress (
      user_id          bigint not null,
      module_id        bigint not null,
      site_id          bigint not null,
      started_at       timestamptz not null default now(),
      last_visited_at  timestamptz not null default now(),
      progress_percent integer not null default 0 check (progress_percent between 0 and 100),
      highest_score    double precision,
      completed_at     timestamptz,
      primary key (user_id, module_id),
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade,
      foreign key (site_id, module_id) references modules (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index module_progress_by_module on module_progress (module_id, completed_at)`.execute(db)
  await sql`create index module_progress_recent on module_progress (user_id, last_visited_at desc)`.execute(db)

  await sql`
    create table course_progress (
      user_id           bigint not null,
      course_id         bigint not null,
      site_id           bigint not null,
      started_at        timestamptz not null default now(),
      completed_at      timestamptz,
      course_version_id bigint references course_versions on delete set null,
      primary key (user_id, course_id),
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade,
      foreign key (site_id, course_id) references courses (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index course_progress_by_course on course_progress (course_id)`.execute(db)
  await sql`create index course_progress_by_version on course_progress (course_version_id)`.execute(db)

  for (const kind of ['lecture', 'video']) {
    const id = sql.ref(`${kind}_id`)
    await sql`
      create table ${sql.table(`${kind}_progress`)} (
        user_id          bigint not null,
        ${id}            bigint not null,
        site_id          bigint not null,
        percent          integer not null default 0 check (percent between 0 and 100),
        position_seconds double precision not null default 0,
        started_at       timestamptz not null default now(),
        updated_at       timestamptz not null default now(),
        completed_at     timestamptz,
        primary key (user_id, ${id}),
        foreign key (site_id, user_id) references users (site_id, id) on delete cascade,
        foreign key (site_id, ${id}) references ${sql.table(`${kind}s`)} (site_id, id) on delete cascade
      )`.execute(db)
    await sql`create index on ${sql.table(`${kind}_progress`)} (${id})`.execute(db)
  }

  await sql`
    create table video_plays (
      id           bigint generated always as identity primary key,
      site_id      bigint not null references sites,
      user_id      bigint references users on delete set null,
      subject      text not null check (subject in ('video', 'lecture', 'home')),
      subject_uid  uuid,
      title        text not null check (length(title) <= 300),
      started_at   timestamptz not null default now(),
      last_at      timestamptz not null default now(),
      seconds      double precision not null default 0,
      max_percent  integer not null default 0,
      completed_at timestamptz
    )`.execute(db)
  await sql`create index video_plays_by_user on video_plays (user_id, subject_uid, last_at desc)`.execute(db)
  await sql`create index video_plays_by_time on video_plays (site_id, started_at)`.execute(db)

  await sql`
    create table question_answers (
      seq              bigint primary key,
      site_id          bigint not null references sites,
      user_id          bigint references users on delete set null,
      module_id        bigint references modules on delete set null,
      registration_id  bigint references registrations on delete cascade,
      kind             text not null check (kind in ('quiz', 'survey')),
      question_iri     text not null,
      question         text,
      interaction_type text,
      response         text,
      is_correct       boolean,
      score_scaled     double precision,
      answered_at      timestamptz not null
    )`.execute(db)
  await sql`create index question_answers_by_user on question_answers (user_id, seq)`.execute(db)
  await sql`create index question_answers_by_module on question_answers (module_id, seq)`.execute(db)
  await sql`create index question_answers_by_registration on question_answers (registration_id)`.execute(db)
  await sql`create index question_answers_by_time on question_answers (site_id, answered_at)`.execute(db)

  await sql`
    create table favorites (
      id         bigint generated always as identity primary key,
      site_id    bigint not null,
      user_id    bigint not null,
      module_id  bigint,
      course_id  bigint,
      lecture_id bigint,
      video_id   bigint,
      created_at timestamptz not null default now(),
      check (num_nonnulls(module_id, course_id, lecture_id, video_id) = 1),
      unique (user_id, module_id),
      unique (user_id, course_id),
      unique (user_id, lecture_id),
      unique (user_id, video_id),
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade,
      foreign key (site_id, module_id) references modules (site_id, id) on delete cascade,
      foreign key (site_id, course_id) references courses (site_id, id) on delete cascade,
      foreign key (site_id, lecture_id) references lectures (site_id, id) on delete cascade,
      foreign key (site_id, video_id) references videos (site_id, id) on delete cascade
    )`.execute(db)
  for (const kind of ['module', 'course', 'lecture', 'video']) {
    await sql`create index on favorites (${sql.ref(`${kind}_id`)})`.execute(db)
  }

  for (const kind of ['module', 'course']) {
    const id = sql.ref(`${kind}_id`)
    await sql`
      create table ${sql.table(`${kind}_assignments`)} (
        id          bigint generated always as identity primary key,
        uid         uuid not null default gen_random_uuid() unique,
        site_id     bigint not null,
        user_id     bigint not null,
        ${id}       bigint not null,
        assigned_by bigint references users on delete set null,
        assigned_at timestamptz not null default now(),
        unique (user_id, ${id}),
        foreign key (site_id, user_id) references users (site_id, id) on delete cascade,
        foreign key (site_id, ${id}) references ${sql.table(`${kind}s`)} (site_id, id) on delete cascade
      )`.execute(db)
    await sql`create index on ${sql.table(`${kind}_assignments`)} (${id})`.execute(db)
    await sql`create index on ${sql.table(`${kind}_assignments`)} (assigned_by)`.execute(db)
  }
}
