import type { AssignmentChange } from '~/forms/assignments.ts'
import type { FavoriteChange } from '~/forms/favorites.ts'
import {
  type AssignedItem,
  type Assignment,
  changeAssignments,
  listAssignmentsOfUsers,
  type UserAssignments,
} from '~/services/assignments/assignments.server.ts'
import { Invalid, NotFound } from '~/services/errors.ts'
import { getFavorites, setFavorite } from '~/services/favorites/favorites.server.ts'
import type { GraphqlContext } from '../context.ts'
import { formerCourse } from './courses.server.ts'
import { formerModule } from './modules.server.ts'
import { relationTo, userNode } from './users.server.ts'

type Action = Pick<AssignmentChange, 'userUids'> & { action: AssignmentChange['action'] }

export const learningResolvers = {
  Query: {
    userFavorites: (_: unknown, _input: unknown, { ctx }: GraphqlContext) => getFavorites(ctx),
    userAssignments: (_: unknown, input: { userUids: string[] }, { ctx }: GraphqlContext) =>
      listAssignmentsOfUsers(ctx, input),
  },
  Mutation: {
    favoriteAction: async (_: unknown, { data }: { data: FavoriteChange }, { ctx }: GraphqlContext) => ({
      favorites: await setFavorite(ctx, data),
    }),
    moduleAssignmentAction: async (
      _: unknown,
      { data: { moduleUids, ...data } }: { data: Action & { moduleUids: string[] } },
      { ctx }: GraphqlContext,
    ) => ({
      assignments: await withFieldNames('moduleUids', () =>
        changeAssignments(ctx, { ...data, itemUids: moduleUids, kind: 'module' }),
      ),
    }),
    courseAssignmentAction: async (
      _: unknown,
      { data: { courseUids, ...data } }: { data: Action & { courseUids: string[] } },
      { ctx }: GraphqlContext,
    ) => ({
      assignments: await withFieldNames('courseUids', () =>
        changeAssignments(ctx, { ...data, itemUids: courseUids, kind: 'course' }),
      ),
    }),
  },
  UserAssignment: {
    user: ({ userUid }: UserAssignments, _: unknown, context: GraphqlContext) => userOf(userUid, context),
    modules: ({ modules }: UserAssignments, _: unknown, context: GraphqlContext) =>
      Promise.all(modules.map((item) => moduleOf(item, context))),
    courses: ({ courses }: UserAssignments, _: unknown, context: GraphqlContext) =>
      Promise.all(courses.map((item) => courseOf(item, context))),
  },
  ModuleAssignment: {
    assignedTs: ({ assignedAt }: Assignment) => assignedAt,
    user: ({ userUid }: Assignment, _: unknown, context: GraphqlContext) => userOf(userUid, context),
    module: ({ itemUid, itemName }: Assignment, _: unknown, context: GraphqlContext) =>
      moduleOf({ uid: itemUid, name: itemName }, context),
  },
  CourseAssignment: {
    assignedTs: ({ assignedAt }: Assignment) => assignedAt,
    user: ({ userUid }: Assignment, _: unknown, context: GraphqlContext) => userOf(userUid, context),
    course: ({ itemUid, itemName }: Assignment, _: unknown, context: GraphqlContext) =>
      courseOf({ uid: itemUid, name: itemName }, context),
  },
}

/** Renames the fields of an error: the service speaks of items, the program sent modules or courses. */
async function withFieldNames<T>(field: 'moduleUids' | 'courseUids', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    const fieldErrors = Object.entries(error.fieldErrors).map(([name, message]) => [
      name.replace(/^itemUids/, field),
      message,
    ])
    throw new Invalid(error.message, Object.fromEntries(fieldErrors), error.code)
  }
}

async function userOf(uid: string, { ctx, loaders }: GraphqlContext) {
  const user = await loaders.user.load(uid)
  if (!user) throw new NotFound()
  return userNode(user, relationTo(ctx.viewer, user.uid))
}

/** An assigned module that the viewer's plan does not show has only its name. */
async function moduleOf({ uid, name }: Pick<AssignedItem, 'uid' | 'name'>, { loaders }: GraphqlContext) {
  return (await loaders.module.load(uid)) ?? formerModule({ moduleUid: uid, moduleName: name })
}

async function courseOf({ uid, name }: Pick<AssignedItem, 'uid' | 'name'>, { loaders }: GraphqlContext) {
  return (await loaders.course.load(uid)) ?? formerCourse(uid, name)
}
