/** The reports about users and pending users. */
import { type RawBuilder, sql } from 'kysely'
import { mailStates } from '~/forms/mails.ts'
import { groupChoices } from '~/forms/user-tables.ts'
import type { Ctx } from '../context.ts'
import { invitationJoin, isOfSite, type MailState, statusConditions } from '../users/table-entries.server.ts'
import {
  isIn,
  type ReportInput,
  type ReportQuery,
  type ReportSource,
  source,
  sumOf,
  timeColumn,
  timeOf,
} from './report-cells.server.ts'

/** One row for each person, so PostgreSQL leaves out what no chosen field needs. */
const belongings = sql`
  left join universities institution on institution.id = users.university_id
  left join subscriptions on subscriptions.user_id = users.id
  left join access_plans plan on plan.id = subscriptions.access_plan_id`

const institutionName = sql`institution.name::text`

const groupLabel = Object.fromEntries(groupChoices.map(({ value, label }) => [value, label]))
const groupLabels = sql`(
  select string_agg(coalesce(${JSON.stringify(groupLabel)}::jsonb ->> name, name), ', ' order by name)
  from user_groups where user_id = users.id and name <> 'pending_users')`

/** The columns of the report about users, by the id of the field (C-208). A question of the profile is one by its uid. */
function userField(ctx: Ctx, id: string): RawBuilder<unknown> {
  switch (id) {
    case 'first_name':
    case 'last_name':
    case 'email':
      return sql.ref(`users.${id}`)
    case 'institution':
      return institutionName
    case 'groups':
      return groupLabels
    case 'access_plan':
      return sql`plan.name::text`
    case 'subscription_type':
      return sql`subscriptions.type`
    case 'valid_from':
    case 'valid_to':
      return timeOf(ctx, sql.ref(`subscriptions.${id}`))
    case 'joined':
      return timeOf(ctx, sql`users.joined_at`)
    case 'last_login':
      return timeOf(ctx, sql`users.last_login_at`)
    case 'completed_modules':
      return sql`coalesce(counted.modules_completed, 0)`
    case 'completed_courses':
      return sql`(select count(completed_at)::int from course_progress where user_id = users.id)`
    default:
      return sql`(
        select coalesce(string_agg(
            case when option.allows_custom_answer then coalesce(nullif(trim(answer.custom_answer), ''), option.text)
              else option.text end, ', ' order by option.position, option.id), max(answer.custom_answer))
        from user_answers answer
          join profile_questions question on question.id = answer.question_id
          left join user_answer_options chosen on chosen.answer_id = answer.id
          left join profile_options option on option.id = chosen.option_id
        where answer.user_id = users.id and question.uid = ${id}::uuid)`
  }
}

const userLink = sql`'user:' || users.uid`

const byName = sql`users.name_key, users.id`

const timeFields = ['valid_from', 'valid_to', 'joined', 'last_login']
const countFields = ['completed_modules', 'completed_courses']

/** Everybody whose account can be or could be used, with the chosen fields. All time includes who never joined. */
export function usersQuery(
  ctx: Ctx,
  { period, people, fields }: Pick<ReportInput, 'period' | 'people'> & { fields: { id: string; title: string }[] },
): ReportSource {
  const cells = fields.map(({ id, title }, index) => ({
    ...(timeFields.includes(id) ? timeColumn(ctx, title) : { head: title }),
    sql: userField(ctx, id),
    ...(index === 0 && { link: userLink }),
    // The key begins with the first name, and has an index.
    ...(id === 'first_name' && { by: [sql`users.name_key`] }),
    ...(countFields.includes(id) && { kind: 'number' as const, total: sumOf(title) }),
  }))
  return source(
    cells,
    sql`from users ${belongings}
        left join person_years counted on counted.user_id = users.id and counted.site_id = ${ctx.site.id} and counted.year = 0
      where ${isOfSite(ctx)} and not ${statusConditions(ctx).invited}
        and ${period.from ? isIn(period, sql`users.joined_at`) : sql`true`}
        and ${people ?? sql`true`}`,
    byName,
  )
}

const invitationStates: Record<MailState, string> = {
  accepted: mailStates.accepted,
  refused: mailStates.refused,
  in_doubt: mailStates.in_doubt,
  waiting: mailStates.queued,
  failing: 'To be tried again',
}

export const pendingUsers: ReportQuery = (ctx, { period, people }) =>
  source(
    [
      { head: 'First name', sql: sql`users.first_name`, by: [sql`users.name_key`], link: userLink },
      { head: 'Last name', sql: sql`users.last_name` },
      { head: 'Email', sql: sql`users.email` },
      { head: 'Institution', sql: institutionName },
      { head: 'Groups', sql: groupLabels },
      { head: 'Access plan', sql: userField(ctx, 'access_plan') },
      { ...timeColumn(ctx, 'Invited'), sql: timeOf(ctx, sql`coalesce(invitation.at, users.created_at)`) },
      { head: 'Invitation', sql: sql`${JSON.stringify(invitationStates)}::jsonb ->> invitation.mail_state` },
    ],
    sql`from users ${belongings} ${invitationJoin}
      where ${isOfSite(ctx)} and ${statusConditions(ctx).invited}
        and ${period.from ? isIn(period, sql`coalesce(invitation.at, users.created_at)`) : sql`true`}
        and ${people ?? sql`true`}`,
    byName,
  )
