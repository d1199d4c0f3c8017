import { type RawBuilder, sql } from 'kysely'

/**
 * Selects the modules of a course version, each once and without deleted ones. Every percent and completion of a course
 * counts these modules. `versionId` is a column of the surrounding query.
 */
export function modulesOfVersion(versionId: string): RawBuilder<{ id: number }> {
  return sql`(
    select distinct module.id
    from course_chapters chapter
    join course_chapter_modules spot on spot.chapter_id = chapter.id
    join modules module on module.id = spot.module_id and module.deleted_at is null
    where chapter.version_id = ${sql.ref(versionId)})`
}

/** Selects the same modules with their positions in the course. */
export function orderedModulesOfVersion(versionId: string): RawBuilder<{ id: number; position: number }> {
  return sql`(
    select id, min(position) as position from (
      select module.id, row_number() over (order by section.position, chapter.position, spot.position) as position
      from course_sections section
      join course_chapters chapter on chapter.section_id = section.id
      join course_chapter_modules spot on spot.chapter_id = chapter.id
      join modules module on module.id = spot.module_id and module.deleted_at is null
      where section.version_id = ${sql.ref(versionId)}) spots
    group by id)`
}
