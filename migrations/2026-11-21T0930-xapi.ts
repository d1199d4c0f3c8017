import { type Kysely, sql } from 'kysely'

/** The learning record store: statements as text, what they can be found by, documents, clients, forwarding. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table xapi_agents (
      id         bigint generated always as identity primary key,
      identifier text not null unique,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table xapi_verbs (
      id  bigint generated always as identity primary key,
      iri text not null unique
    )`.execute(db)
  await sql`
    create table xapi_activities (
      id         bigint generated always as identity primary key,
      site_id    bigint not null references sites,
      iri        text not null,
      definition text,
      updated_at timestamptz not null default now(),
      unique (site_id, iri)
    )`.execute(db)

  // Few constraints on purpose: foreign keys here cost a lock on the parent for each statement, and the ids are never deleted.
  await sql`
    create table xapi_statements (
      seq                bigint primary key,
      site_id            bigint not null,
      statement_id       uuid not null,
      occurred_at        timestamptz not null,
      verb_id            bigint not null,
      actor_id           bigint not null,
      object_activity_id bigint,
      authority_id       bigint not null,
      registration       uuid,
      launch_session_id  bigint,
      ref_target         uuid,
      voided_by          uuid,
      body               text not null
    )`.execute(db)
  await sql`create index xapi_statements_by_registration on xapi_statements (registration, seq) where registration is not null`.execute(
    db,
  )
  await sql`create index xapi_statements_by_actor on xapi_statements (actor_id, seq)`.execute(db)
  await sql`create index xapi_statements_by_activity on xapi_statements (object_activity_id, seq) where object_activity_id is not null`.execute(
    db,
  )
  await sql`create index xapi_statements_by_verb on xapi_statements (verb_id, seq)`.execute(db)
  await sql`create index xapi_statements_by_authority on xapi_statements (authority_id, seq)`.execute(db)
  await sql`create index xapi_statements_by_target on xapi_statements (ref_target) where ref_target is not null`.execute(
    db,
  )
  await sql`create index xapi_statements_by_site on xapi_statements (site_id, seq)`.execute(db)
  await sql`create index xapi_statements_by_session on xapi_statements (launch_session_id, seq) where launch_session_id is not null`.execute(
    db,
  )

  await sql`
    create table xapi_statement_ids (
      site_id      bigint not null,
      statement_id uuid not null,
      seq          bigint not null,
      content_hash bytea not null,
      primary key (site_id, statement_id)
    )`.execute(db)

  await sql`
    create table xapi_statement_related (
      kind   text not null check (kind in ('agent', 'related_agent', 'related_activity')),
      ref_id bigint not null,
      seq    bigint not null,
      primary key (kind, ref_id, seq)
    )`.execute(db)
  await sql`create index xapi_statement_related_by_seq on xapi_statement_related (seq)`.execute(db)

  await sql`
    create table xapi_documents (
      id           bigint generated always as identity primary key,
      site_id      bigint not null references sites,
      kind         text not null check (kind in ('state', 'agent_profile', 'activity_profile')),
      activity_id  bigint references xapi_activities on delete cascade,
      agent_id     bigint references xapi_agents on delete cascade,
      registration uuid,
      document_id  text not null check (octet_length(document_id) between 1 and 1000),
      content      bytea not null,
      content_type text not null check (length(content_type) <= 300),
      etag         text not null,
      is_locked    boolean not null default false,
      updated_at   timestamptz not null default now(),
      unique nulls not distinct (site_id, kind, activity_id, agent_id, registration, document_id)
    )`.execute(db)
  await sql`create index xapi_documents_by_activity on xapi_documents (activity_id)`.execute(db)
  await sql`create index xapi_documents_by_agent on xapi_documents (agent_id)`.execute(db)

  await sql`
    create table xapi_attachments (
      site_id      bigint not null references sites,
      sha2         text not null,
      content_type text not null,
      size         bigint not null,
      storage_key  text not null,
      created_at   timestamptz not null default now(),
      primary key (site_id, sha2)
    )`.execute(db)

  await sql`
    create table xapi_clients (
      id           bigint generated always as identity primary key,
      uid          uuid not null default gen_random_uuid() unique,
      site_id      bigint not null references sites,
      name         text not null check (length(name) between 1 and 100),
      key          text not null unique,
      secret_hash  bytea not null,
      scopes       text[] not null,
      created_at   timestamptz not null default now(),
      last_used_at timestamptz,
      revoked_at   timestamptz
    )`.execute(db)
  await sql`create index xapi_clients_by_site on xapi_clients (site_id)`.execute(db)

  await sql`
    create table xapi_forwards (
      seq          bigint primary key,
      registration uuid,
      attempts     integer not null default 0,
      next_at      timestamptz not null default now(),
      error        text
    )`.execute(db)
  await sql`create index xapi_forwards_due on xapi_forwards (next_at, seq)`.execute(db)
  await sql`create index xapi_forwards_by_registration on xapi_forwards (registration, seq)`.execute(db)

  /*
   * reserve_stored(n): the first of n microsecond stamps that no other call has or will get, never before the clock.
   * The advisory lock is a session lock, held for the few statements in here only: a lock to commit would serialise all
   * writers. It is released on cancel and error too.
   */
  await sql`create sequence xapi_stored_seq as bigint minvalue 0 start 1`.execute(db)
  await sql`
    create function reserve_stored(n integer) returns bigint language plpgsql as $$
    declare
      clock bigint;
      first bigint;
    begin
      perform pg_advisory_lock(7817001);
      begin
        clock := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
        select greatest(last_value + 1, clock) into first from xapi_stored_seq;
        perform setval('xapi_stored_seq', first + n - 1);
      exception when others or query_canceled then
        perform pg_advisory_unlock(7817001);
        raise;
      end;
      perform pg_advisory_unlock(7817001);
      return first;
    end $$`.execute(db)
}
