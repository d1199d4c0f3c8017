/**
 * What the members of each group may do, found out by asking the guards that services begin with. A test calls services
 * as a member of each group, so that this list cannot promise what they refuse.
 */
import { sql } from 'kysely'
import { seesDrafts } from '../access/access.server.ts'
import {
  type Ctx,
  type GroupName,
  isAdmin,
  requireAdmin,
  requireStaff,
  requireViewer,
  type Viewer,
} from '../context.ts'
import { Forbidden, requireThat } from '../errors.ts'

export const groupsWithRights = ['learners', 'instructors', 'authors', 'admins'] as const satisfies GroupName[]
export type GroupWithRights = (typeof groupsWithRights)[number]

export const rightAreas = ['learning', 'content', 'pages', 'people', 'site'] as const
export type RightArea = (typeof rightAreas)[number]

type Rule = { area: RightArea; what: string; guard: (ctx: Ctx) => void }

const write = (guard: (ctx: Ctx, access: 'write') => void) => (ctx: Ctx) => guard(ctx, 'write')
const [staff, admins, viewers] = [write(requireStaff), write(requireAdmin), write(requireViewer)]

/** What a group may do, by an id that a test knows. */
export const rights = {
  learn: { area: 'learning', what: 'Open published content in their access plan', guard: viewers },
  seeDrafts: {
    area: 'learning',
    what: 'Open all content, including drafts, without an access plan',
    guard: (ctx) => requireThat(seesDrafts(ctx)),
  },
  skipQuestionnaire: {
    area: 'learning',
    what: 'Use the site without answering the questionnaire',
    guard: ({ viewer }) => requireThat(isAdmin(viewer)),
  },
  editContent: {
    area: 'content',
    what: 'Create, change, publish and remove modules, courses, lectures and videos',
    guard: staff,
  },
  schedule: { area: 'content', what: 'Plan when content is published or unpublished', guard: staff },
  preview: { area: 'content', what: 'Preview content as learners of a plan, and send preview links', guard: staff },
  seeLearners: {
    area: 'content',
    what: 'See the learners of a module with their results and attempts',
    guard: (ctx) => requireStaff(ctx),
  },
  changeAttempts: { area: 'content', what: 'Waive units, and end or move attempts', guard: staff },
  arrangePages: { area: 'pages', what: 'Arrange the Courses and Modules pages', guard: admins },
  tags: { area: 'pages', what: 'Rename, merge and remove tags', guard: admins },
  glossary: { area: 'pages', what: 'Change the glossary', guard: admins },
  invite: { area: 'people', what: 'Invite people', guard: admins },
  seePeople: { area: 'people', what: 'See everyone’s profile and progress', guard: (ctx) => requireAdmin(ctx) },
  editPeople: { area: 'people', what: 'Change, disable and delete accounts', guard: admins },
  assign: { area: 'people', what: 'Assign content', guard: admins },
  plans: { area: 'people', what: 'Change access plans and renew access', guard: admins },
  institutions: { area: 'people', what: 'Rename, merge and delete institutions', guard: admins },
  settings: { area: 'site', what: 'Change the settings of the site', guard: admins },
  audit: { area: 'site', what: 'Read the audit log and sent mail', guard: (ctx) => requireAdmin(ctx) },
  keys: { area: 'site', what: 'Create and revoke keys for programs that record statements', guard: admins },
} as const satisfies Record<string, Rule>

export type RightId = keyof typeof rights

/** A right, and which groups have it. */
export type GrantedRight = { id: RightId; area: RightArea; what: string; groups: GroupWithRights[] }

/** Lists what each group may do, for admins. */
export function listGroupRights(ctx: Ctx): GrantedRight[] {
  requireAdmin(ctx)
  return (Object.entries(rights) as [RightId, Rule][]).map(([id, { area, what, guard }]) => ({
    id,
    area,
    what,
    groups: groupsWithRights.filter((group) => isAllowed(guard, memberOf(ctx, group))),
  }))
}

function isAllowed(guard: (ctx: Ctx) => void, ctx: Ctx): boolean {
  try {
    guard(ctx)
    return true
  } catch (error) {
    if (error instanceof Forbidden) return false
    throw error
  }
}

/** The context of somebody who is in one group only. */
function memberOf(ctx: Ctx, group: GroupWithRights): Ctx {
  const viewer: Viewer = {
    id: 0,
    uid: '',
    siteId: ctx.site.id,
    email: '',
    firstName: '',
    lastName: '',
    groups: [group],
    planId: null,
    accessEndedAt: null,
  }
  return { ...ctx, viewer, isOperator: false, scopes: null }
}

/** Counts the open accounts in each group, for admins. */
export async function countGroups(ctx: Ctx): Promise<Record<GroupWithRights, number>> {
  requireAdmin(ctx)
  const { rows } = await sql<{ name: GroupWithRights; people: number }>`
    select user_groups.name, count(*)::int as people
    from user_groups join users on users.id = user_groups.user_id
    where users.site_id = ${ctx.site.id} and users.is_active and users.erased_at is null
    group by user_groups.name`.execute(ctx.db)
  const counts = new Map(rows.map(({ name, people }) => [name, people]))
  return Object.fromEntries(groupsWithRights.map((name) => [name, counts.get(name) ?? 0])) as Record<
    GroupWithRights,
    number
  >
}
