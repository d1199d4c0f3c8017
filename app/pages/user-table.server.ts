/** The console's tables of users: one page, a short list in batches, the latest changes, and the choices of the filters. */
import type { UserRow } from '~/components/console/users/view.ts'
import { subscriptionLabels } from '~/forms/subscriptions.ts'
import {
  dueChoices,
  expiryChoices,
  groupChoices,
  loginChoices,
  noneOfThem,
  statusesOfTab,
  type UserTab,
} from '~/forms/user-tables.ts'
import { formatDay, formatMoment } from '~/lib/dates.ts'
import { type FilterOption, longestLiveList } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import {
  countUsersOfTabs,
  describeUserList,
  listUserBatch,
  listUserFilterChoices,
  listUserPage,
  listUsersChangedSince,
  type UserPageInput,
} from '~/services/users/table.server.ts'
import type { UserEntry } from '~/services/users/table-entries.server.ts'
import { filterOptionOf } from './content-table.server.ts'

type UserTablePage = { rows: UserRow[]; total: number; listed: number; state: string }

/** Reads one page of a tab and how many users each tab has, for admins. */
export async function listUserTablePage(
  ctx: Ctx,
  input: UserPageInput,
): Promise<{ page: UserTablePage; counts: Record<UserTab, number> }> {
  const [{ items, total }, counts] = await Promise.all([listUserPage(ctx, input), countUsersOfTabs(ctx)])
  const count = counts[input.tab]
  // The browser keeps only short lists, so only they need a state.
  const list = count > longestLiveList ? { listed: longestLiveList + 1, state: '' } : await describeUserList(ctx, input)
  return { page: { rows: items.map((entry) => rowOf(ctx, entry)), total: total ?? count, ...list }, counts }
}

/** Reads the next hundred rows after the cursor, for admins. */
export async function listUserTableBatch(
  ctx: Ctx,
  input: { tab: UserTab; after: string | null },
): Promise<{ rows: UserRow[]; next: string | null }> {
  const { items, endCursor, hasNextPage } = await listUserBatch(ctx, { ...input, first: 100 })
  return { rows: items.map((entry) => rowOf(ctx, entry)), next: hasNextPage ? endCursor : null }
}

/** Reads the rows that changed since the tab was in the given state, for admins; null if too many did. */
export async function listUserTableChanges(
  ctx: Ctx,
  input: { tab: UserTab; state: string },
): Promise<{ rows: UserRow[]; gone: string[] } | null> {
  const changes = await listUsersChangedSince(ctx, input)
  return changes && { rows: changes.items.map((entry) => rowOf(ctx, entry)), gone: changes.goneUids }
}

/** Lists the choices of the filters, for admins, including those that the query has chosen. */
export async function listUserFilterOptions(
  ctx: Ctx,
  { filters }: Pick<UserPageInput, 'filters'> = {},
): Promise<{ institution: FilterOption[]; plan: FilterOption[] }> {
  const { institutions, plans } = await listUserFilterChoices(ctx, { filters })
  return {
    institution: [...institutions.map(filterOptionOf), { value: noneOfThem, label: 'No institution' }],
    plan: [...plans.map(filterOptionOf), { value: noneOfThem, label: 'No access plan' }],
  }
}

/** The options that do not depend on the site, for a check of the address. */
export function fixedUserFilterOptions(tab: UserTab) {
  return {
    status: statusesOfTab[tab].map((value) => ({ value })),
    group: groupChoices,
    login: loginChoices,
    expiry: expiryChoices,
    due: dueChoices,
  }
}

/** For admins: the options of one filter whose names hold this text. */
export async function findUserFilterOptions(
  ctx: Ctx,
  { filter, search }: { filter: string; search: string },
): Promise<FilterOption[]> {
  const { institutions, plans } = await listUserFilterChoices(ctx, { search })
  if (filter === 'institution') return institutions.map(filterOptionOf)
  return filter === 'plan' ? plans.map(filterOptionOf) : []
}

function rowOf(ctx: Ctx, entry: UserEntry): UserRow {
  const { institution, plan, subscriptionType, validTo, joinedAt, lastLoginAt, invitedAt } = entry
  const day = (date: Date | null) => date && formatDay(date, ctx.site.timeZone)
  return {
    uid: entry.uid,
    name: `${entry.firstName} ${entry.lastName}`.trim() || entry.email,
    email: entry.email,
    status: entry.status,
    groups: entry.groups.filter((group) => group !== 'pending_users'),
    institutionUid: institution?.uid ?? null,
    plan: plan?.name ?? null,
    planUid: plan?.uid ?? null,
    subscription: subscriptionType && (subscriptionLabels[subscriptionType] ?? null),
    validToOn: day(validTo),
    validTo: validTo?.getTime() ?? null,
    joinedOn: day(joinedAt),
    joinedAt: joinedAt?.getTime() ?? null,
    lastLoginOn: day(lastLoginAt),
    lastLoginAt: lastLoginAt?.getTime() ?? null,
    invitedOn: formatDay(invitedAt, ctx.site.timeZone),
    invitedAt: invitedAt.getTime(),
    mail: entry.mailState,
    mailTriedOn: entry.mailTriedAt && formatMoment(entry.mailTriedAt, ctx.site.timeZone),
    completedModules: entry.completedModules,
    completedCourses: entry.completedCourses,
    loginValues: loginValuesOf(ctx, lastLoginAt),
    expiryValues: plan ? expiryValuesOf(ctx, validTo) : [],
    dueValues: [
      ...(entry.isLate ? ['late'] : []),
      ...(entry.isLateBy30 ? ['late30'] : []),
      ...(entry.isDueSoon ? ['7'] : []),
    ],
  }
}

const dayMs = 86_400_000

function loginValuesOf(ctx: Ctx, at: Date | null): string[] {
  if (!at) return ['never']
  const days = (ctx.now.getTime() - at.getTime()) / dayMs
  if (days > 90) return ['older']
  return [7, 30, 90].filter((most) => days <= most).map(String)
}

function expiryValuesOf(ctx: Ctx, until: Date | null): string[] {
  if (!until) return ['never']
  const days = (until.getTime() - ctx.now.getTime()) / dayMs
  if (days <= 0) return ['ended']
  return [30, 60, 90].filter((most) => days <= most).map(String)
}
