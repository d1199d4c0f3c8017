/** The fields of a course as its form edits them. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { CourseField, CourseValues } from '~/forms/courses.ts'
import type { Ctx } from '../context.ts'
import type { Revised } from '../revisions.ts'

export type CourseState = CourseValues

/** Lists whose order matters: the objectives, and the tree of sections, chapters and modules. */
export const orderedFields: readonly CourseField[] = ['learningObjectives', 'sections']

/** Reads the values of the form and the revision that it sends back with them. */
export async function readCourseState(ctx: Ctx, courseUid: string): Promise<Revised<CourseState>> {
  const row = await ctx.db
    .selectFrom('courses')
    .leftJoin('stored_files as cover', 'cover.id', 'courses.cover_file_id')
    .leftJoin('stored_files as banner', 'banner.id', 'courses.banner_file_id')
    .select([
      'courses.revision',
      'courses.name',
      'courses.description',
      'courses.synopsis',
      'courses.learning_objectives as learningObjectives',
      'courses.cover_img_desc as coverImgDesc',
      'courses.duration_minutes as durationMinutes',
      'courses.shows_terms as showsTerms',
      'cover.name as coverImg',
      'banner.name as bannerImg',
      sql<string[]>`array(
        select plan.uid::text from course_access_plans own join access_plans plan on plan.id = own.access_plan_id
        where own.course_id = courses.id order by plan.uid)`.as('accessPlanUids'),
      sql<string[]>`array(
        select tag.text::text from course_tags own join tags tag on tag.id = own.tag_id
        where own.course_id = courses.id order by tag.text_key)`.as('tags'),
      sql<CourseValues['sections']>`(
        select coalesce(jsonb_agg(jsonb_build_object(
          'uid', section.uid, 'name', section.name, 'description', section.description,
          'chapters', (
            select coalesce(jsonb_agg(jsonb_build_object(
              'uid', chapter.uid, 'name', chapter.name, 'description', chapter.description,
              'moduleUids', (
                select coalesce(jsonb_agg(modules.uid order by spot.position, modules.id), '[]')
                from course_chapter_modules spot join modules on modules.id = spot.module_id
                where spot.chapter_id = chapter.id and modules.deleted_at is null))
              order by chapter.position, chapter.id), '[]')
            from course_chapters chapter where chapter.section_id = section.id))
          order by section.position, section.id), '[]')
        from course_sections section where section.version_id = courses.latest_version_id)`.as('sections'),
    ])
    .where('courses.uid', '=', courseUid)
    .executeTakeFirstOrThrow()
  const { revision, ...state } = row
  return { state, revision }
}

/** New sections and chapters get their uids here, so that what is written is what was compared. */
export function withPartUids<Values extends { sections?: CourseValues['sections'] }>(values: Values): Values {
  if (!values.sections) return values
  return {
    ...values,
    sections: values.sections.map((section) => ({
      ...section,
      uid: section.uid ?? randomUUID(),
      chapters: section.chapters.map((chapter) => ({ ...chapter, uid: chapter.uid ?? randomUUID() })),
    })),
  }
}
