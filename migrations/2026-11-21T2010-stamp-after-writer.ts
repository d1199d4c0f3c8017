import { type Kysely, sql } from 'kysely'

/**
 * `reserve_stored`: the transaction counts as one that writes before it takes its stamp, so that no reader believes to have seen everything up to a
 * moment at which something is yet to be stored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function reserve_stored(n integer) returns bigint language plpgsql as $$
    declare
      clock bigint;
      first bigint;
    begin
      perform pg_current_xact_id();
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
