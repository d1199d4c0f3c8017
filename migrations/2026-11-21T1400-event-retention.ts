import { type Kysely, sql } from 'kysely'

/** Drops the monthly partitions of events and searches before the month of a day; the other half of ensure_event_partitions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function drop_event_partitions(before date) returns void language plpgsql as $$
    declare
      old text;
    begin
      for old in
        select child.relname from pg_inherits
        join pg_class parent on parent.oid = inhparent
        join pg_class child on child.oid = inhrelid
        where parent.oid in ('events'::regclass, 'search_queries'::regclass)
          and right(child.relname, 7) < to_char(before, 'YYYY_MM')
        order by child.relname
      loop
        execute format('drop table %I', old);
      end loop;
    end $$`.execute(db)
}
