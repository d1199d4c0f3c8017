import announcements from './schema/announcements.graphql?raw'
import base from './schema/base.graphql?raw'
import courses from './schema/courses.graphql?raw'
import glossary from './schema/glossary.graphql?raw'
import launch from './schema/launch.graphql?raw'
import learning from './schema/learning.graphql?raw'
import lectures from './schema/lectures.graphql?raw'
import modules from './schema/modules.graphql?raw'
import profile from './schema/profile.graphql?raw'
import progress from './schema/progress.graphql?raw'
import search from './schema/search.graphql?raw'
import session from './schema/session.graphql?raw'
import uploads from './schema/uploads.graphql?raw'
import users from './schema/users.graphql?raw'

export const typeDefs = [
  base,
  session,
  users,
  profile,
  progress,
  modules,
  courses,
  lectures,
  glossary,
  search,
  learning,
  launch,
  uploads,
  announcements,
]
