import { type Kysely, sql } from 'kysely'

/**
 * Says which module may define an activity: the module whose package declares it, or the module whose unit was the first
 * to define it. Definitions that had grown beyond 100 KB are dropped; statements keep theirs.
 *
 * Says which module's units wrote a document: they share agents, and activities that no package declares, with the units
 * of other modules.
 *
 * `stored_bytes` counts what the units of an attempt have stored, for its quota. Statements stored before are not
 * counted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table xapi_activities add column owner_uid uuid, add column is_declared boolean not null default false`.execute(
    db,
  )
  await sql`
    update xapi_activities set owner_uid = declared.module_uid, is_declared = true
    from (
      select distinct on (m.site_id, declared.iri) m.site_id, declared.iri, m.uid as module_uid
      from cmi5_packages p
      join module_versions v on v.id = p.module_version_id
      join modules m on m.id = v.module_id
      cross join lateral (
        select p.publisher_id as iri
        union all select publisher_id from cmi5_objectives where package_id = p.id
        union all select publisher_id from cmi5_blocks where package_id = p.id
        union all select iri from cmi5_blocks where package_id = p.id
        union all select publisher_id from cmi5_units where package_id = p.id
        union all select iri from cmi5_units where package_id = p.id) declared
      where p.status = 'parsed' and m.deleted_at is null
      order by m.site_id, declared.iri, m.id) declared
    where xapi_activities.site_id = declared.site_id and xapi_activities.iri = declared.iri`.execute(db)
  await sql`update xapi_activities set definition = null where octet_length(definition) > 100000`.execute(db)
  await sql`alter table xapi_documents add column owner_uid uuid`.execute(db)
  await sql`
    update xapi_documents set owner_uid = m.uid
    from registrations r join modules m on m.id = r.module_id
    where r.uid = xapi_documents.registration and not xapi_documents.is_locked`.execute(db)
  await sql`alter table registrations add column stored_bytes bigint not null default 0`.execute(db)
  await sql`
    update registrations set stored_bytes = document.bytes
    from (
      select registration, sum(octet_length(content)) as bytes from xapi_documents
      where registration is not null and not is_locked group by registration) document
    where registrations.uid = document.registration`.execute(db)
}
