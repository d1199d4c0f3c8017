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
      user_id   bigint not null references users on delete cascade,
      form_key  text not null check (length(form_key) between 1 and 100),
      fields    jsonb,
      typed_at  timestamptz not null,
      stored_at timestamptz not null,
      unique (user_id, form_key)
    )`.execute(db)
  await sql`create index form_drafts_site on form_drafts (site_id)`.execute(db)
  await sql`create index form_drafts_oldest on form_drafts (stored_at)`.execute(db)
}
