import { listOwnCoursesProgress, type OwnCourseProgress } from '~/services/progress/own-courses.server.ts'
import {
  listOwnModulesProgress,
  type ModuleProgress,
  type UserCourseProgress,
  type UserModuleProgress,
  type UserProgressInput,
  userProgress,
} from '~/services/progress/progress.server.ts'
import type { GraphqlContext } from '../context.ts'
import { formerCourse } from './courses.server.ts'

type UserParent = { isOwn?: boolean }

export const progressResolvers = {
  Query: {
    userProgress: (_: unknown, input: UserProgressInput, { ctx }: GraphqlContext) => userProgress(ctx, input),
  },
  User: {
    modulesProgress: async (user: UserParent, _: unknown, { ctx }: GraphqlContext) => {
      if (!user.isOwn || !ctx.viewer) return null
      const rows = await listOwnModulesProgress(ctx)
      return rows.map((row) => ({ startTs: row.startedAt, progressPercent: row.percent, row }))
    },
    coursesProgress: async (user: UserParent, _: unknown, { ctx }: GraphqlContext) => {
      if (!user.isOwn || !ctx.viewer) return null
      const rows = await listOwnCoursesProgress(ctx)
      return rows.map((row) => ({
        startTs: row.startedAt,
        progressPercent: row.percent,
        row,
      }))
    },
  },
  OwnModuleProgress: {
    moduleVersion: async ({ row }: { row: ModuleProgress }, _: unknown, { loaders }: GraphqlContext) => {
      if (!row.versionUid) return null
      // An attempt may be on a version that is no longer published; its learner still sees the version's name.
      const known = await loaders.version.load(row.versionUid)
      return (
        known ?? {
          moduleName: row.moduleName,
          uid: row.versionUid,
          version: row.version,
          status: 'draft',
          moduleUid: row.moduleUid,
          author: null,
          package: null,
        }
      )
    },
  },
  ModuleProgress: {
    module: (progress: UserModuleProgress, _: unknown, { loaders }: GraphqlContext) =>
      loaders.module.load(progress.moduleUid),
  },
  OwnCourseProgress: {
    courseVersion: async ({ row }: { row: OwnCourseProgress }, _: unknown, { loaders }: GraphqlContext) => {
      const { versionUid: uid, version, courseUid, courseName } = row
      if (!uid) return null
      const known = await loaders.courseVersion.load(uid)
      return { ...(known ?? { uid, version, status: 'draft', author: null, courseUid }), courseName }
    },
  },
  CourseProgress: {
    course: async ({ courseUid, courseName }: UserCourseProgress, _: unknown, { loaders }: GraphqlContext) =>
      courseName === null ? null : ((await loaders.course.load(courseUid)) ?? formerCourse(courseUid, courseName)),
  },
}
