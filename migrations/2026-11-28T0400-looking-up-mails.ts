import { type Kysely, sql } from 'kysely'

/** Admins look up mails by what became of them and by kind, and suppress addresses by hand. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index mails_with_trouble on mails (site_id, state, created_at desc, id desc)
    where state in ('refused', 'in_doubt', 'bounced', 'complained', 'skipped')`.execute(db)
  await sql`
    create index mails_by_kind on mails (site_id, kind, created_at desc, id desc) where kind <> 'message'`.execute(db)
  await sql`alter table mail_suppressions drop constraint mail_suppressions_reason_check`.execute(db)
  await sql`
    alter table mail_suppressions add constraint mail_suppressions_reason_check
      check (reason in ('refused', 'bounced', 'complained', 'by_hand'))`.execute(db)
}
