import { type Kysely, sql } from 'kysely'

/** What each statement refers to, directly and further on, with what it is found by, so that reading follows nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table xapi_statement_references (
      seq                bigint not null,
      target_seq         bigint not null,
      distance           smallint not null,
      verb_id            bigint not null,
      actor_id           bigint not null,
      authority_id       bigint not null,
      object_activity_id bigint,
      registration       uuid,
      primary key (target_seq, seq)
    )`.execute(db)
  await sql`
    with recursive reached(seq, site_id, target_seq, next, distance) as (
      select r.seq, r.site_id, r.seq, r.ref_target, 0 from xapi_statements r where r.ref_target is not null
      union
      select reached.seq, reached.site_id, t.seq, t.ref_target, reached.distance + 1 from reached
      join xapi_statement_ids ids on ids.site_id = reached.site_id and ids.statement_id = reached.next
      join xapi_statements t on t.seq = ids.seq
      where reached.distance < 16)
    insert into xapi_statement_references
    select reached.seq, t.seq, min(reached.distance), t.verb_id, t.actor_id, t.authority_id, t.object_activity_id,
      t.registration
    from reached join xapi_statements t on t.seq = reached.target_seq
    where reached.seq <> t.seq
    group by reached.seq, t.seq`.execute(db)
  await sql`
    create table xapi_reference_related (
      kind       text not null,
      ref_id     bigint not null,
      seq        bigint not null,
      target_seq bigint not null,
      primary key (kind, ref_id, seq, target_seq)
    )`.execute(db)
  await sql`
    insert into xapi_reference_related
    select related.kind, related.ref_id, t.seq, t.target_seq
    from xapi_statement_references t join xapi_statement_related related on related.seq = t.target_seq`.execute(db)
  for (const column of ['seq', 'verb_id', 'actor_id', 'authority_id', 'object_activity_id', 'registration']) {
    const rest = column === 'seq' ? sql`seq` : sql`${sql.ref(column)}, seq`
    await sql`create index ${sql.ref(`xapi_statement_references_by_${column}`)} on xapi_statement_references (${rest})`.execute(
      db,
    )
  }
}
