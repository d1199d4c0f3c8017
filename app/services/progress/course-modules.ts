import { type RawBuilder, sql } from 'kysely'

/**
 * The modules of a course version in its order: each once, deleted ones left out. Percent and completion of a course are
 * counted over these, wherever they are asked for. `versionId` is a column of the query around it.
 */
export function modulesOfVersion(versionId: string): RawBuilder<{ id: number; place: number }> {
  return sql`(
    select id, min(place) as place from (
      select module.id, row_number() over (order by section.position, chapter.position, spot.position) as place
      from course_sections section
      join course_chapters chapter on chapter.section_id = section.id
      join course_chapter_modules spot on spot.chapter_id = chapter.id
      join modules module on module.id = spot.module_id and module.deleted_at is null
      where section.version_id = ${sql.ref(versionId)}) spots
    group by id)`
}
