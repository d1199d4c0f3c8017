import type { GraphQLResolveInfo } from 'graphql'
import { setCourseCatalogItems } from '~/services/courses/catalog.server.ts'
import {
  type CatalogItem,
  type Course,
  countCatalog,
  countCourses,
  listCatalog,
  listCourses,
  listCoursesWithModule,
} from '~/services/courses/courses.server.ts'
import { createCourse, type NewCourse } from '~/services/courses/create-course.server.ts'
import { deleteCourse, publishCourse, restoreCourse } from '~/services/courses/publish-course.server.ts'
import { type CourseUpdate, updateCourse } from '~/services/courses/save-course.server.ts'
import type { CourseVersion, VersionSection } from '~/services/courses/versions.server.ts'
import { NotFound } from '~/services/errors.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { uidForRequest } from '../idempotency.ts'
import { fromGlobalId, toGlobalId } from '../ids.ts'

type NewCourseInput = Omit<NewCourse, 'uid' | 'publish'>
type CourseChanges = Omit<CourseUpdate, 'courseUid'>

function courseUidOf(id: string): string {
  const key = fromGlobalId(id)
  if (key?.type !== 'Course') throw new NotFound()
  return key.uid
}

/** A program may leave out the sections of a new course. */
function withSections(input: NewCourseInput): NewCourseInput {
  return { ...input, sections: input.sections ?? [] }
}

export const courseResolvers = {
  Query: {
    courses: async (_: unknown, { first, after }: PageArguments, { ctx }: GraphqlContext) =>
      connection(await listCourses(ctx, { first, after }), () => countCourses(ctx)),
    courseCatalog: async (_: unknown, { first, after }: PageArguments, { ctx }: GraphqlContext) =>
      connection(await listCatalog(ctx, { first, after }), () => countCatalog(ctx)),
    coursesWithModule: (_: unknown, input: { moduleUid: string }, { ctx }: GraphqlContext) =>
      listCoursesWithModule(ctx, input),
  },
  Mutation: {
    createCourse: async (_: unknown, input: NewCourseInput, context: GraphqlContext, info: GraphQLResolveInfo) => ({
      course: await createCourse(context.ctx, { ...withSections(input), uid: uidForRequest(context, info) }),
    }),
    updateCourse: async (_: unknown, { id, ...changes }: CourseChanges & { id: string }, { ctx }: GraphqlContext) => ({
      course: await updateCourse(ctx, { ...changes, courseUid: courseUidOf(id) }),
    }),
    publishCourse: async (
      _: unknown,
      { id, ...to }: { id: string; publish: boolean; addToHomepage?: boolean | null },
      { ctx }: GraphqlContext,
    ) => ({ course: await publishCourse(ctx, { ...to, courseUid: courseUidOf(id) }) }),
    deleteCourse: async (_: unknown, { id }: { id: string }, { ctx }: GraphqlContext) => {
      const { uid } = await deleteCourse(ctx, { courseUid: courseUidOf(id) })
      return { id, uid }
    },
    restoreCourse: async (_: unknown, { id }: { id: string }, { ctx }: GraphqlContext) => ({
      course: await restoreCourse(ctx, { courseUid: courseUidOf(id) }),
    }),
    setCourseCatalogItems: async (_: unknown, { items }: { items: string[] }, { ctx }: GraphqlContext) => {
      await setCourseCatalogItems(ctx, { items })
      return listCatalog(ctx)
    },
  },
  Course: {
    id: ({ uid }: Course) => toGlobalId('Course', uid),
    lastUpdatedTs: ({ updatedAt }: Course) => updatedAt,
    bannerImg: ({ uid }: Course, _: unknown, { loaders }: GraphqlContext) => loaders.courseParts.load(uid, 'banner'),
    coverImg: ({ uid }: Course, _: unknown, { loaders }: GraphqlContext) => loaders.courseParts.load(uid, 'cover'),
    accessPlans: ({ uid }: Course, _: unknown, { loaders }: GraphqlContext) => loaders.courseParts.load(uid, 'plans'),
    tags: ({ uid }: Course, _: unknown, { loaders }: GraphqlContext) => loaders.courseParts.load(uid, 'tags'),
    version: ({ currentVersionUid }: Course, _: unknown, { loaders }: GraphqlContext) =>
      currentVersionUid && loaders.courseVersion.load(currentVersionUid),
  },
  CourseVersion: {
    author: ({ author }: CourseVersion) => author && { ...author, id: toGlobalId('User', author.uid) },
    course: async (version: CourseVersion & { courseName?: string }, _: unknown, { loaders }: GraphqlContext) =>
      (await loaders.course.load(version.courseUid)) ?? formerCourse(version.courseUid, version.courseName ?? ''),
    sections: async ({ uid }: CourseVersion, _: unknown, { loaders }: GraphqlContext) =>
      (await loaders.courseSections.load(uid)) ?? [],
  },
  CourseChapter: {
    modules: async ({ moduleUids }: VersionSection['chapters'][number], _: unknown, { loaders }: GraphqlContext) => {
      const modules = await Promise.all(moduleUids.map((uid) => loaders.module.load(uid)))
      return modules.filter((module) => module !== null)
    },
  },
  CourseCatalogItem: {
    id: ({ uid }: CatalogItem) => toGlobalId('CourseCatalogItem', uid),
  },
}

/** A course that its learner can no longer see. It keeps only its name, for the learner's own history. */
export function formerCourse(uid: string, name: string): Course {
  return {
    uid,
    name,
    description: '',
    synopsis: '',
    learningObjectives: [],
    coverImgDesc: '',
    durationMinutes: null,
    addToHomepage: false,
    showsTerms: true,
    currentVersionUid: null,
    updatedAt: new Date(0),
  }
}
