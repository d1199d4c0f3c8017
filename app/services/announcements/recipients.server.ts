/**
 * Who is found by the filters of step 2, and who is among the recipients of a message: what is stored, with the steps of
 * a choice that is not saved yet. Lists, counts and saving use the same conditions and therefore agree.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DeliveryType } from '~/forms/announcements.ts'
import {
  type AnswerFilter,
  answerFilters,
  otherAnswer,
  type RecipientGroup,
  type RecipientStatus,
  type RecipientStep,
  recipientStatuses,
  recipientsTable,
} from '~/forms/recipients.ts'
import { isStorable } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { anyOf } from '../access/content-tables.server.ts'
import { openDueWork } from '../access/due-work.ts'
import type { Audience } from '../audiences/audiences.server.ts'
import { peopleOfAudience } from '../audiences/people.server.ts'
import type { Ctx } from '../context.ts'
import { isFoundBy } from '../search-conditions.server.ts'
import { isFound } from '../users/table.server.ts'
import { isDue, isOfSite, statusConditions } from '../users/table-entries.server.ts'

type Sql = RawBuilder<SqlBool>

/** What the filters are about: everybody of the site, also admins and people who are invited (C-052). */
export type RecipientQuery = { search?: string; filters?: Record<string, string[]> }

/**
 * SQL condition on `users`: the query finds them. Filters must all hold, of the values of one any is enough (C-057). An
 * unknown filter or value finds nobody: everybody found is written to.
 */
export function isFoundByFilters(ctx: Ctx, { search = '', filters = {} }: RecipientQuery): Sql {
  const known: readonly string[] = recipientsTable.filters
  if (!isStorable(search) || Object.keys(filters).some((name) => !known.includes(name))) return sql`false`
  const conditions: Sql[] = [isOfSite(ctx), isFoundBy(sql`users.search_key`, search)]
  const { status, group, due } = filters
  if (status) {
    const statuses = recipientStatuses.filter((one) => status.includes(one))
    conditions.push(anyOf([sql`false`, ...statuses.map((one) => isOfStatus(ctx)[one])]))
  }
  if (group) conditions.push(sql`${groupOfUser} = any(${group}::text[])`)
  for (const name of Object.keys(answerFilters) as AnswerFilter[]) {
    const values = filters[name]
    if (values) conditions.push(hasAnswered(ctx, name, values))
  }
  if (due) {
    conditions.push(
      due.includes('late')
        ? sql`users.id in (select work.user_id from ${openDueWork(ctx)} work where ${isDue(ctx, 'late')})`
        : sql`false`,
    )
  }
  return allOf(conditions)
}

function allOf(conditions: Sql[]): Sql {
  return sql`(${sql.join(conditions, sql` and `)})`
}

/** SQL conditions of the statuses (C-135). */
export function isOfStatus(ctx: Ctx): Record<RecipientStatus, Sql> {
  const { active, inactive, disabled, invited } = statusConditions(ctx)
  return { active, inactive: sql`(${inactive} or ${disabled})`, invited }
}

/** The group of `users` (C-137). Whoever has no answers yet has no projection, and is in none of the first two. */
export const groupOfUser: RawBuilder<RecipientGroup> = sql`
  coalesce((select group_key from user_facets where user_facets.user_id = users.id), 'external')`

/** Values are uids of options, or "other" for every option that lets people write an answer of their own. */
function hasAnswered(ctx: Ctx, name: AnswerFilter, values: string[]): Sql {
  const uids = values.filter(isUid)
  const isChosen = sql<SqlBool>`(option.uid = any(${uids}::uuid[])
    ${values.includes(otherAnswer) ? sql`or option.allows_custom_answer` : sql``})`
  return sql`users.id in (
    select user_facets.user_id from user_facets
    where user_facets.site_id = ${ctx.site.id} and user_facets.option_ids && array(
      select option.id from profile_options option join profile_questions question on question.id = option.question_id
      where question.site_id = ${ctx.site.id} and question.key = ${answerFilters[name].key} and ${isChosen}))`
}

/** Why somebody cannot be chosen; null for everybody else. An account that was disabled gets no messages. */
export function obstacleOf(ctx: Ctx, deliveryType: DeliveryType): RawBuilder<'disabled' | 'opted_out' | null> {
  return sql`case when ${isDisabled(ctx)} then 'disabled'
    ${deliveryType === 'email' ? sql`when users.opted_out_of_emails then 'opted_out'` : sql``} end`
}

function isDisabled(ctx: Ctx): Sql {
  return statusConditions(ctx).disabled
}

/** SQL condition on `users`, joined to the recipients of a message: the account gets no messages, or no longer exists. */
export function cannotBeUsed(ctx: Ctx): Sql {
  return sql`(users.id is null or users.erased_at is not null or ${isDisabled(ctx)})`
}

/** SQL condition: the person can be chosen for a message that is delivered this way (C-048). */
export function canBeChosen(ctx: Ctx, deliveryType: DeliveryType): Sql {
  return deliveryType === 'email'
    ? sql`(not ${isDisabled(ctx)} and not users.opted_out_of_emails)`
    : sql`(not ${isDisabled(ctx)})`
}

/** Whom a step adds. */
export function addedBy(ctx: Ctx, step: Extract<RecipientStep, { kind: 'add' | 'found' | 'users' }>): Sql {
  if (step.kind === 'add') return sql`(${isOfSite(ctx)} and users.uid = any(${step.uids}::uuid[]))`
  if (step.kind === 'found') return isFoundByFilters(ctx, step)
  return isFound(ctx, step)
}

/** The recipients of a message as its dialog shows them: `announcementId` is null for a new one. */
export type RecipientSet = {
  announcementId: number | null
  deliveryType: DeliveryType
  steps: RecipientStep[]
  /** A copy begins with everybody whom the message was for, whatever has become of it (C-152). */
  isCopy?: boolean
}

/**
 * SQL condition on `users`: chosen, by hand or by a query, after all steps, and not opted out of the way in which the
 * message is delivered (C-049). People of audiences are not among them.
 */
export function isChosen(ctx: Ctx, { announcementId, deliveryType, steps, isCopy = false }: RecipientSet): Sql {
  const stored: Sql =
    announcementId === null
      ? sql`false`
      : sql`users.id in (
          select user_id from announcement_recipients
          where announcement_id = ${announcementId} and user_id is not null ${isCopy ? sql`` : sql`and state = 'draft'`})`
  const chosen = steps.reduce<Sql>((before, step) => {
    switch (step.kind) {
      case 'add':
      case 'found':
      case 'users':
        return sql`(${before} or ${addedBy(ctx, step)})`
      case 'remove':
        return sql`(${before} and users.uid <> all(${step.uids}::uuid[]))`
      case 'clear':
        return sql`false`
      default:
        return before
    }
  }, stored)
  return sql`(${isOfSite(ctx)} and ${chosen} and ${canBeChosen(ctx, deliveryType)})`
}

/** SQL condition on `users`: in one of the audiences now, and reached by this way of delivery. */
export function isInAudiences(ctx: Ctx, audiences: Pick<Audience, 'conditions'>[], deliveryType: DeliveryType): Sql {
  if (audiences.length === 0) return sql`false`
  return sql`(${anyOf(audiences.map((one) => sql<SqlBool>`users.id in (${peopleOfAudience(ctx, one)})`))}
    and ${canBeChosen(ctx, deliveryType)})`
}

/** The uids of a message's audiences after the steps, in the order in which they were added. */
export function audiencesAfter(stored: string[], steps: RecipientStep[]): string[] {
  const uids = new Set(stored)
  for (const step of steps) {
    if (step.kind === 'clear') uids.clear()
    else if (step.kind === 'removeAudience') uids.delete(step.uid)
    else if (step.kind === 'addAudience') uids.add(step.uid)
  }
  return [...uids]
}
