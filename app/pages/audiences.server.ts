/** The audiences of a site in the console: their list, the people of one, and why somebody is in or out. */
import type {
  AudiencePeopleView,
  AudienceRow,
  AudiencesView,
  StandingRow,
  WhyView,
} from '~/components/console/audiences/view.ts'
import { audiencePeopleTable, audiencesTable } from '~/forms/audience-tables.ts'
import { formatCalendarDay, formatDay } from '~/lib/dates.ts'
import { longestSearch } from '~/lib/search-query.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { listStandingAssignments, type StandingAssignment } from '~/services/assignments/standing-assignments.server.ts'
import {
  type DescribedAudience,
  getAudience,
  listAudiences,
  listRemovedAudiences,
  type RemovedAudience,
} from '~/services/audiences/audiences.server.ts'
import { explainMembership, findPeopleToExplain, listAudiencePeople } from '~/services/audiences/people.server.ts'
import type { Ctx } from '~/services/context.ts'

export async function getAudiencesPage(ctx: Ctx, query: TableQuery): Promise<AudiencesView> {
  const [{ items, total }, removed] = await Promise.all([listAudiences(ctx, query), listRemovedAudiences(ctx)])
  return {
    rows: items.map((audience) => rowOf(ctx, audience)),
    total,
    page: query.page,
    size: audiencesTable.sizes[0] ?? 10,
    removed: removed.map((one) => ({ uid: one.uid, name: one.name, how: howInWords(ctx, one) })),
  }
}

function rowOf(ctx: Ctx, { uid, name, words, hasGone, people, updatedAt }: DescribedAudience): AudienceRow {
  return { uid, name, words, hasGone, people, updatedOn: formatDay(updatedAt, ctx.site.timeZone) }
}

function howInWords(ctx: Ctx, { removedAt, removedBy }: RemovedAudience): string {
  return `Deleted on ${formatDay(removedAt, ctx.site.timeZone)}${removedBy === '' ? '' : ` by ${removedBy}`}`
}

/** An audience for the question before it is deleted. */
export async function getAudienceRow(ctx: Ctx, input: { audienceUid: string }): Promise<AudienceRow> {
  return rowOf(ctx, await getAudience(ctx, input))
}

const mostToExplain = 10

/** The page of an audience. `person` is what somebody typed to find people whose membership is explained. */
export async function getAudiencePeoplePage(
  ctx: Ctx,
  input: { audienceUid: string; query: TableQuery; person: string | null },
): Promise<AudiencePeopleView> {
  const { audienceUid, query } = input
  const person = [...(input.person ?? '').trim()].slice(0, longestSearch).join('')
  const [audience, { items, total }, standing, found] = await Promise.all([
    getAudience(ctx, { audienceUid }),
    listAudiencePeople(ctx, { ...query, audienceUid }),
    listStandingAssignments(ctx, { audienceUid }),
    person === '' ? null : findPeopleToExplain(ctx, { audienceUid, search: person, most: mostToExplain }),
  ])
  return {
    audience: rowOf(ctx, audience),
    rows: items,
    total,
    page: query.page,
    size: audiencePeopleTable.sizes[0] ?? 50,
    standing: standing.map((one) => standingRowOf(ctx, one)),
    explain: found && { search: person, people: found },
  }
}

function standingRowOf(ctx: Ctx, { uid, items, createdAt, dueOn, joined }: StandingAssignment): StandingRow {
  const due = dueOn === null ? '' : `, due ${formatCalendarDay(dueOn)}`
  const what = items.length === 0 ? 'Content that was removed' : items.join(', ')
  return { uid, what: what + due, since: formatDay(createdAt, ctx.site.timeZone), joined }
}

export async function getWhy(ctx: Ctx, input: { audienceUid: string; userUid: string }): Promise<WhyView> {
  const { audience, ...rest } = await explainMembership(ctx, input)
  return { audienceUid: audience.uid, audience: audience.name, ...rest }
}
