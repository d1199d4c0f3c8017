import { type Kysely, sql } from 'kysely'

/**
 * Access plans that admins create, rename and retire, and the renewals of access that they start. A renewal is the
 * subject of a bulk operation: it fixes whom it is for and for how long when somebody confirms it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table access_plans
      add column retired_at timestamptz,
      add column revision integer not null default 0`.execute(db)
  await sql`create unique index access_plans_by_name on access_plans (site_id, lower(name))`.execute(db)
  await sql`
    create table access_renewals (
      number         bigint generated always as identity primary key,
      uid            uuid not null default gen_random_uuid() unique,
      site_id        bigint not null references sites,
      access_plan_id bigint not null,
      ends_after     timestamptz not null,
      ends_until     timestamptz not null check (ends_until > ends_after),
      days           integer not null check (days between 1 and 1095),
      created_at     timestamptz not null default now(),
      foreign key (site_id, access_plan_id) references access_plans (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index on access_renewals (site_id, access_plan_id)`.execute(db)
}
