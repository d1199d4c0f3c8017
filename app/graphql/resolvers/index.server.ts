import { GraphQLScalarType, Kind } from 'graphql'
import { getAnnouncement } from '~/services/announcements/table.server.ts'
import { actsAsAdmin, isAdmin } from '~/services/context.ts'
import { getCourse } from '~/services/courses/courses.server.ts'
import { NotFound } from '~/services/errors.ts'
import { getGlossaryTerm } from '~/services/glossary/glossary.server.ts'
import { getLecture } from '~/services/lectures/lectures.server.ts'
import { getModule } from '~/services/modules/modules.server.ts'
import { getSection } from '~/services/sections/sections.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import { getVideo } from '~/services/videos/videos.server.ts'
import type { GraphqlContext } from '../context.ts'
import { fromGlobalId } from '../ids.ts'
import { uploadScalar } from '../upload-scalar.ts'
import { announcementNode, announcementResolvers } from './announcements.server.ts'
import { courseResolvers } from './courses.server.ts'
import { glossaryResolvers } from './glossary.server.ts'
import { launchResolvers } from './launch.server.ts'
import { learningResolvers } from './learning.server.ts'
import { lectureResolvers } from './lectures.server.ts'
import { moduleResolvers } from './modules.server.ts'
import { profileResolvers } from './profile.server.ts'
import { progressResolvers } from './progress.server.ts'
import { searchResolvers } from './search.server.ts'
import { sessionResolvers } from './session.server.ts'
import { uploadResolvers } from './uploads.server.ts'
import { relationTo, userNode, userResolvers } from './users.server.ts'

const dateTime = new GraphQLScalarType({
  name: 'DateTime',
  description: 'A point in time: ISO 8601 in UTC with Z.',
  serialize: (value) => (value instanceof Date ? value : new Date(String(value))).toISOString(),
  parseValue: (value) => new Date(String(value)),
  parseLiteral: (node) => (node.kind === Kind.STRING ? new Date(node.value) : null),
})

const json = new GraphQLScalarType({ name: 'JSON', description: 'A JSON object.' })

const nodeReaders: Record<string, (uid: string, context: GraphqlContext) => Promise<object>> = {
  Module: async (moduleUid, { ctx }) => ({ __typename: 'Module', ...(await getModule(ctx, { moduleUid })) }),
  Course: async (courseUid, { ctx }) => ({ __typename: 'Course', ...(await getCourse(ctx, { courseUid })) }),
  Lecture: async (lectureUid, { ctx }) => ({ __typename: 'Lecture', ...(await getLecture(ctx, { lectureUid })) }),
  Video: async (videoUid, { ctx }) => ({ __typename: 'Video', ...(await getVideo(ctx, { videoUid })) }),
  GlossaryTerm: async (termUid, { ctx }) => ({
    __typename: 'GlossaryTerm',
    ...(await getGlossaryTerm(ctx, { termUid })),
  }),
  Announcement: async (announcementUid, { ctx }) => {
    if (!actsAsAdmin(ctx)) throw new NotFound()
    return announcementNode(ctx, await getAnnouncement(ctx, { announcementUid }))
  },
  Section: async (sectionUid, { ctx }) => ({ __typename: 'Section', ...(await getSection(ctx, { sectionUid })) }),
  User: async (userUid, { ctx }) => {
    const relation = relationTo(ctx.viewer, userUid)
    if (!relation.isOwn && !isAdmin(ctx.viewer)) throw new NotFound()
    return userNode(await getUser(ctx, { userUid }), relation)
  },
}

/** A wrong or foreign id means "not found", which is null. */
async function node(_: unknown, { id }: { id: string }, context: GraphqlContext): Promise<object | null> {
  const key = fromGlobalId(id)
  // Every object also has properties of its prototype, such as "constructor", which are no types.
  const read = key && Object.hasOwn(nodeReaders, key.type) ? nodeReaders[key.type] : undefined
  if (!key || !read) return null
  try {
    return await read(key.uid, context)
  } catch (error) {
    if (error instanceof NotFound) return null
    throw error
  }
}

/** `makeExecutableSchema` merges these. A new domain adds its resolvers here and its SDL to type-defs.ts. */
export const resolvers = [
  {
    DateTime: dateTime,
    JSON: json,
    Upload: uploadScalar,
    Node: { __resolveType: (value: { __typename: string }) => value.__typename },
    Query: { node },
  },
  announcementResolvers,
  courseResolvers,
  glossaryResolvers,
  launchResolvers,
  learningResolvers,
  lectureResolvers,
  moduleResolvers,
  profileResolvers,
  progressResolvers,
  searchResolvers,
  sessionResolvers,
  uploadResolvers,
  userResolvers,
]
