import { type Kysely, sql } from 'kysely'

/** Which statements came with the bytes of an attachment: what they are answered with, and what keeps the bytes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table xapi_statement_attachments (
      seq          bigint not null,
      site_id      bigint not null references sites,
      sha2         text not null,
      content_type text not null check (length(content_type) <= 300),
      primary key (seq, sha2),
      foreign key (site_id, sha2) references xapi_attachments
    )`.execute(db)
  await sql`create index xapi_statement_attachments_by_bytes on xapi_statement_attachments (site_id, sha2)`.execute(db)
  await sql`create unique index xapi_attachments_by_storage_key on xapi_attachments (storage_key)`.execute(db)
  await sql`create index xapi_attachments_by_age on xapi_attachments (created_at)`.execute(db)
}
