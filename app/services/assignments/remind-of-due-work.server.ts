/**
 * Reminders by mail of what is due in a week, is due tomorrow or was due yesterday. Whoever has several such things gets
 * one mail: there is one row for each person and day, and the unique key decides between jobs that run at once.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AssignedKind } from '~/forms/assignments.ts'
import { daysFrom } from '~/lib/due.ts'
import { dayOf, localTimeOf } from '~/lib/zoned-time.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { isForPerson, stillHasAccess } from '../access/access.server.ts'
import { openDueWork } from '../access/due-work.ts'
import type { Ctx } from '../context.ts'
import { unsubscribeUrlOf } from '../mail/letter.ts'
import { sendMail } from '../mail/send-mail.server.ts'
import { queueAll } from '../queue/queue.server.ts'
import { dueLetter, type Reminded } from './due-letter.ts'
import { assignmentTables as tables } from './tables.ts'

/** The hours of the site in which mails are sent. */
const firstHour = 8
const lastHour = 20
/** How many days after today, by step. */
const steps = { week: 7, day: 1, late: -1 } as const
const peopleAtOnce = 1000
const daysKept = 30

/**
 * Job, each hour: finds who is to be reminded today and queues a mail for each. Reminders are kept for thirty days, in
 * which nobody is reminded again of the same due date and step. `most` is for tests.
 */
export async function remindOfDueWork(ctx: Ctx, input: { most?: number } = {}): Promise<{ reminded: number }> {
  const { most = peopleAtOnce } = input
  const today = dayOf(ctx.now, ctx.site.timeZone)
  await ctx.db
    .deleteFrom('assignment_reminders')
    .where('site_id', '=', ctx.site.id)
    .where('day', '<', sql<Date>`${daysFrom(today, -daysKept)}::date`)
    .execute()
  const hour = Number(localTimeOf(ctx.now, ctx.site.timeZone).slice(11, 13))
  let reminded = 0
  if (hour < firstHour || hour >= lastHour) return { reminded }
  for (;;) {
    const count = await remindNext(ctx, today, most)
    reminded += count
    if (count < most) return { reminded }
  }
}

/** One transaction: a job that is killed has queued the mails of these people or of none of them. */
async function remindNext(ctx: Ctx, today: string, most: number): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ uid: string }>`
      with due as materialized (
        select due.user_id, due.kind, due.item_id, due.due_on,
          case due.due_on - ${today}::date ${stepCases()} end as step
        from ${openDueWork(ctx)} due join users on users.id = due.user_id
        where due.due_on = any(${stepDays(today)}::date[]) and ${wantsReminders(ctx)} and ${isForOwner()}),
      fresh as (
        select due.* from due where not exists (
          select from reminded_assignments done
          where done.user_id = due.user_id and done.kind = due.kind and done.item_id = due.item_id
            and done.step = due.step and done.due_on = due.due_on)),
      chosen as (
        select distinct user_id from fresh where not exists (
          select from assignment_reminders today where today.user_id = fresh.user_id and today.day = ${today}::date)
        order by user_id limit ${most}),
      made as (
        insert into assignment_reminders (site_id, user_id, day, created_at)
        select ${ctx.site.id}, user_id, ${today}::date, ${ctx.now}::timestamptz from chosen order by user_id
        on conflict (user_id, day) do nothing
        returning id, uid, user_id),
      listed as (
        insert into reminded_assignments (reminder_id, site_id, user_id, kind, item_id, step, due_on)
        select made.id, ${ctx.site.id}, fresh.user_id, fresh.kind, fresh.item_id, fresh.step, fresh.due_on
        from made join fresh on fresh.user_id = made.user_id
        on conflict do nothing)
      select uid from made`.execute(ctx.db)
    const jobs = rows.map(({ uid }) => ({ payload: { reminderUid: uid }, key: `due-reminder:${uid}` }))
    if (jobs.length > 0) await queueAll(ctx, 'send-due-reminder', jobs)
    return rows.length
  })
}

function stepDays(today: string): string[] {
  return Object.values(steps).map((days) => daysFrom(today, days))
}

function stepCases(): RawBuilder<unknown> {
  return sql.join(
    Object.entries(steps).map(([step, days]) => sql`when ${sql.lit(days)} then ${sql.lit(step)}`),
    sql` `,
  )
}

/** SQL condition on `users`: they can log in, their plan is valid, and they have not opted out of mails. */
function wantsReminders(ctx: Ctx): RawBuilder<SqlBool> {
  return sql<SqlBool>`(not users.opted_out_of_reminders and users.email is not null and ${stillHasAccess(ctx.now)} and not exists (
    select from user_groups pending where pending.user_id = users.id and pending.name = 'pending_users'))`
}

/** SQL condition on `due`: the person can open the item. */
function isForOwner(): RawBuilder<SqlBool> {
  const of = (kind: AssignedKind) => {
    const { content } = tables[kind]
    return sql<SqlBool>`(due.kind = ${sql.lit(kind)} and exists (
      select from ${sql.table(content)}
      where ${sql.ref(`${content}.id`)} = due.item_id and ${isForPerson(content, sql.ref('due.user_id'))}))`
  }
  return sql<SqlBool>`(${of('module')} or ${of('course')})`
}

/**
 * Job: sends one reminder, about what of it is still to be done. It counts as sent before it is handed to the mail
 * server, because a job that is killed in between must not send it twice. A server that refuses gets it again, on the
 * same day only.
 */
export async function sendDueReminder(ctx: Ctx, input: { reminderUid: string }): Promise<{ sent: number }> {
  const today = dayOf(ctx.now, ctx.site.timeZone)
  const claimed = await ctx.db
    .updateTable('assignment_reminders')
    .set({ sent_at: ctx.now })
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', input.reminderUid)
    .where('day', '=', sql<Date>`${today}::date`)
    .where('sent_at', 'is', null)
    .returning(['id', 'user_id as userId'])
    .executeTakeFirst()
  if (!claimed) return { sent: 0 }
  const found = await findLetter(ctx, claimed)
  if (!found) return { sent: 0 }
  try {
    const { isAccepted } = await sendMail(ctx, {
      kind: 'reminder',
      source: `reminder:${input.reminderUid}`,
      userUid: found.person.uid,
      write: ({ token }) =>
        dueLetter(ctx.site, found.person, {
          items: found.items,
          today,
          unsubscribeUrl: unsubscribeUrlOf(ctx.site, token),
        }),
    })
    return { sent: isAccepted ? 1 : 0 }
  } catch (error) {
    await ctx.db.updateTable('assignment_reminders').set({ sent_at: null }).where('id', '=', claimed.id).execute()
    throw error
  }
}

/** Null if the person has opted out, lost access or completed everything since. */
async function findLetter(ctx: Ctx, { id, userId }: { id: number; userId: number }) {
  const [{ rows: people }, { rows: items }] = await Promise.all([
    sql<{ uid: string; firstName: string; lastName: string; email: string }>`
      select uid, coalesce(first_name, '') as "firstName", coalesce(last_name, '') as "lastName", email from users
      where users.id = ${userId} and users.site_id = ${ctx.site.id} and ${wantsReminders(ctx)}`.execute(ctx.db),
    sql<Reminded>`
      select due.kind, due.name, due.due_on::text as "dueOn", due.note
      from reminded_assignments reminded
      join ${openDueWork(ctx)} due on due.user_id = reminded.user_id and due.kind = reminded.kind
        and due.item_id = reminded.item_id and due.due_on = reminded.due_on
      where reminded.reminder_id = ${id} and due.user_id = ${userId} and ${isForOwner()}
      order by due.due_on, due.name, due.uid`.execute(ctx.db),
  ])
  const [person] = people
  return person && items.length > 0 ? { person, items } : null
}
