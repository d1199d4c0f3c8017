import { type Kysely, sql } from 'kysely'

/**
 * The parts of a film that were played, in tenths of a second (app/lib/played.ts). Progress used to be the farthest
 * position, so what is known counts as played from the beginning, where the length of the film is known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const kind of ['lecture', 'video']) {
    const progress = sql.table(`${kind}_progress`)
    await sql`alter table ${progress} add column played int4multirange not null default '{}'`.execute(db)
    await sql`
      update ${progress} as p set played = int4multirange(int4range(0, film.duration * p.percent / 10))
      from ${sql.table(`${kind}s`)} film
      where film.id = p.${sql.ref(`${kind}_id`)} and film.duration > 0 and p.percent > 0`.execute(db)
  }
}
