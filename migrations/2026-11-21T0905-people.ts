import { type Kysely, sql } from 'kysely'

/** Accounts and all that proves who somebody is: groups, subscriptions, invitations, tokens, sessions, limits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table users (
      id                      bigint generated always as identity primary key,
      uid                     uuid not null default gen_random_uuid() unique,
      site_id                 bigint not null references sites,
      email                   text check (length(email) <= 100),
      email_key               text check (length(email_key) <= 200),
      first_name              text collate "und-x-icu" check (length(first_name) <= 50),
      last_name               text collate "und-x-icu" check (length(last_name) <= 50),
      search_key              text not null default '',
      password_hash           text,
      university_id           bigint,
      is_active               boolean not null default false,
      joined_at               timestamptz,
      last_login_at           timestamptz,
      opted_out_of_emails     boolean not null default false,
      last_viewed_module_id   bigint,
      last_watched_video_id   bigint,
      last_watched_lecture_id bigint,
      erased_at               timestamptz,
      created_at              timestamptz not null default now(),
      updated_at              timestamptz not null default now(),
      unique (site_id, id),
      unique (site_id, email_key),
      check (erased_at is not null or (email is not null and email_key is not null)),
      foreign key (site_id, university_id) references universities (site_id, id) on delete no action
    )`.execute(db)
  await sql`create index users_by_name on users (site_id, last_name, first_name, id)`.execute(db)
  await sql`create index users_by_university on users (site_id, university_id)`.execute(db)
  await sql`create index users_search on users using gin (search_key gin_trgm_ops)`.execute(db)

  await sql`
    create table user_groups (
      user_id bigint not null references users on delete cascade,
      name    text not null check (name in ('learners', 'instructors', 'admins', 'pending_users', 'authors')),
      primary key (user_id, name)
    )`.execute(db)
  await sql`create index user_groups_by_name on user_groups (name, user_id)`.execute(db)

  await sql`
    create table subscriptions (
      id             bigint generated always as identity primary key,
      site_id        bigint not null references sites,
      user_id        bigint not null unique,
      type           text not null check (type in ('subsidized', 'free', 'paid')),
      access_plan_id bigint not null,
      valid_from     timestamptz,
      valid_to       timestamptz,
      auto_renew     boolean not null default false,
      duration_days  integer check (duration_days between 1 and 1095),
      created_at     timestamptz not null default now(),
      updated_at     timestamptz not null default now(),
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade,
      foreign key (site_id, access_plan_id) references access_plans (site_id, id) on delete restrict
    )`.execute(db)
  await sql`create index subscriptions_by_plan on subscriptions (access_plan_id)`.execute(db)

  await sql`
    create table invitations (
      id                     bigint generated always as identity primary key,
      uid                    uuid not null default gen_random_uuid() unique,
      user_id                bigint not null references users on delete cascade,
      invited_by             bigint references users on delete set null,
      access_plan_id         bigint references access_plans on delete set null,
      created_at             timestamptz not null default now(),
      last_attempted_send_at timestamptz,
      sent_at                timestamptz,
      accepted_at            timestamptz
    )`.execute(db)
  await sql`create unique index invitations_one_open on invitations (user_id) where accepted_at is null`.execute(db)
  await sql`create index invitations_by_user on invitations (user_id)`.execute(db)
  await sql`create index invitations_by_inviter on invitations (invited_by)`.execute(db)
  await sql`create index invitations_by_plan on invitations (access_plan_id)`.execute(db)

  await sql`
    create table one_time_tokens (
      id         bigint generated always as identity primary key,
      user_id    bigint not null references users on delete cascade,
      purpose    text not null check (purpose in ('reset', 'invitation')),
      token_hash bytea not null unique,
      expires_at timestamptz not null,
      used_at    timestamptz,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index one_time_tokens_by_user on one_time_tokens (user_id)`.execute(db)

  await sql`
    create table sessions (
      id_hash      bytea primary key,
      uid          uuid not null default gen_random_uuid() unique,
      user_id      bigint not null references users on delete cascade,
      data         jsonb not null default '{}',
      created_at   timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      expires_at   timestamptz not null,
      address      text check (length(address) <= 64),
      agent        text check (length(agent) <= 300)
    )`.execute(db)
  await sql`create index sessions_by_user on sessions (user_id)`.execute(db)
  await sql`create index sessions_by_expiry on sessions (expires_at)`.execute(db)

  await sql`
    create table access_tokens (
      id           bigint generated always as identity primary key,
      uid          uuid not null default gen_random_uuid() unique,
      user_id      bigint not null references users on delete cascade,
      name         text not null check (length(name) between 1 and 100),
      token_hash   bytea not null unique,
      hint         text not null check (length(hint) <= 12),
      scope        text not null check (scope in ('read', 'write')),
      created_at   timestamptz not null default now(),
      expires_at   timestamptz not null,
      last_used_at timestamptz,
      revoked_at   timestamptz
    )`.execute(db)
  await sql`create index access_tokens_by_user on access_tokens (user_id)`.execute(db)

  // Counters of attempts may be lost in a crash; they are not worth a write-ahead log.
  await sql`
    create unlogged table attempt_limits (
      key          bytea primary key,
      window_start timestamptz not null,
      count        integer not null
    )`.execute(db)

  await sql`
    create table logins (
      id      bigint generated always as identity primary key,
      site_id bigint not null references sites,
      user_id bigint not null references users on delete cascade,
      at      timestamptz not null default now()
    )`.execute(db)
  await sql`create index logins_by_time on logins (site_id, at)`.execute(db)
  await sql`create index logins_by_user on logins (user_id, at)`.execute(db)

  await sql`
    create table visits (
      id           bigint generated always as identity primary key,
      site_id      bigint not null references sites,
      user_id      bigint not null references users on delete cascade,
      started_at   timestamptz not null default now(),
      last_seen_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index visits_by_time on visits (site_id, started_at)`.execute(db)
  await sql`create index visits_by_user on visits (user_id, last_seen_at desc)`.execute(db)

  await sql`
    create table profile_questions (
      id          bigint generated always as identity primary key,
      uid         uuid not null default gen_random_uuid() unique,
      site_id     bigint not null references sites,
      key         text check (key in ('institution_type', 'position', 'research_type', 'modality', 'region')),
      position    integer not null,
      text        text not null check (length(text) between 1 and 500),
      type        text not null check (type in ('single', 'multiple')),
      is_required boolean not null default false,
      created_at  timestamptz not null default now(),
      unique (site_id, id),
      unique (site_id, key)
    )`.execute(db)

  await sql`
    create table profile_options (
      id                   bigint generated always as identity primary key,
      uid                  uuid not null default gen_random_uuid() unique,
      question_id          bigint not null references profile_questions on delete cascade,
      position             integer not null,
      text                 text not null check (length(text) between 1 and 200),
      is_default           boolean not null default false,
      allows_custom_answer boolean not null default false,
      unique (question_id, id)
    )`.execute(db)

  await sql`
    create table user_answers (
      id            bigint generated always as identity primary key,
      uid           uuid not null default gen_random_uuid() unique,
      user_id       bigint not null references users on delete cascade,
      question_id   bigint not null references profile_questions on delete cascade,
      custom_answer text check (length(custom_answer) <= 500),
      created_at    timestamptz not null default now(),
      updated_at    timestamptz not null default now(),
      unique (user_id, question_id),
      unique (id, question_id)
    )`.execute(db)
  await sql`create index user_answers_by_question on user_answers (question_id)`.execute(db)

  await sql`
    create table user_answer_options (
      answer_id   bigint not null,
      question_id bigint not null,
      option_id   bigint not null,
      primary key (answer_id, option_id),
      foreign key (answer_id, question_id) references user_answers (id, question_id) on delete cascade,
      foreign key (question_id, option_id) references profile_options (question_id, id) on delete cascade
    )`.execute(db)
  await sql`create index user_answer_options_by_option on user_answer_options (question_id, option_id)`.execute(db)

  await sql`
    create table user_facets (
      user_id          bigint primary key references users on delete cascade,
      site_id          bigint not null references sites,
      institution_type text,
      position         text,
      research_type    text,
      modality         text,
      region           text,
      group_key        text
    )`.execute(db)
  await sql`create index user_facets_by_site on user_facets (site_id)`.execute(db)

  await sql`
    create table audit_entries (
      id         bigint generated always as identity primary key,
      site_id    bigint references sites,
      actor_id   bigint references users on delete set null,
      actor_name text not null check (length(actor_name) <= 200),
      action     text not null check (length(action) <= 100),
      entity     text not null check (length(entity) <= 50),
      entity_uid uuid not null,
      before     jsonb,
      after      jsonb,
      at         timestamptz not null default now()
    )`.execute(db)
  await sql`create index audit_entries_by_entity on audit_entries (entity, entity_uid, at)`.execute(db)
  await sql`create index audit_entries_by_actor on audit_entries (actor_id)`.execute(db)
  await sql`create index audit_entries_by_time on audit_entries (site_id, at)`.execute(db)
}
