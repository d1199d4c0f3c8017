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
import type { CourseVersion, VersionSection } from '~/services/courses/versions.server.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { toGlobalId } from '../ids.ts'

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
    currentVersionUid: null,
    updatedAt: new Date(0),
  }
}
