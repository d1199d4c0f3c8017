import { type Kysely, sql } from 'kysely'

/**
 * What people typed into a form of the console and have not saved. `fields` is null once the form of a new thing has
 * been saved or discarded, so that a late request cannot bring its draft back.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table form_drafts (
      id        bigint generated always as identity primary key,
      site_id   bigint not null references sites,
      user_id   bigint not null,
      form_key  text not null check (length(form_key) between 1 and 100),
      fields    jsonb,
      typed_at  timestamptz not null,
      stored_at timestamptz not null,
      unique (site_id, user_id, form_key),
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index form_drafts_oldest on form_drafts (stored_at)`.execute(db)
}
