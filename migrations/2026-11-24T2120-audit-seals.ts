import { type Kysely, sql } from 'kysely'

/**
 * Seals of the audit log: each covers the entries that came since the one before, and its hash includes that one's. So a
 * missing or changed entry is found.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_seals (
      number     bigint primary key,
      entries    integer not null check (entries > 0),
      hash       bytea not null check (length(hash) = 32),
      sealed_at  timestamptz not null
    )`.execute(db)
  await sql`alter table audit_entries add column seal bigint references audit_seals on delete no action`.execute(db)
  await sql`create index audit_entries_by_seal on audit_entries (seal, id)`.execute(db)
  await sql`create index audit_entries_unsealed on audit_entries (id) where seal is null`.execute(db)
}
