import { type RawBuilder, sql } from 'kysely'
import { isForPerson } from '../access/access.server.ts'

/**
 * Selects the modules of a course version that count for a person, each once: those that the person can open, or could
 * before the subscription ended. Every percent and completion of a course counts these modules. `versionId` is a column
 * of the surrounding query; `userId` is a number or a column.
 */
export function modulesOfVersion(versionId: string, userId: RawBuilder<unknown>): RawBuilder<{ id: number }> {
  return sql`(
    select distinct modules.id
    from course_chapters chapter
    join course_chapter_modules spot on spot.chapter_id = chapter.id
    join modules on modules.id = spot.module_id and ${isForPerson('modules', userId)}
    where chapter.version_id = ${sql.ref(versionId)})`
}

/** Selects the same modules with their positions in the course. */
export function orderedModulesOfVersion(
  versionId: string,
  userId: RawBuilder<unknown>,
): RawBuilder<{ id: number; position: number }> {
  return sql`(
    select id, min(position) as position from (
      select modules.id, row_number() over (order by section.position, chapter.position, spot.position) as position
      from course_sections section
      join course_chapters chapter on chapter.section_id = section.id
      join course_chapter_modules spot on spot.chapter_id = chapter.id
      join modules on modules.id = spot.module_id and ${isForPerson('modules', userId)}
      where section.version_id = ${sql.ref(versionId)}) spots
    group by id)`
}
