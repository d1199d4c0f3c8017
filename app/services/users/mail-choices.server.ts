/**
 * Which mails people do not want, for each kind: messages, reminders and reports. Mails about the account itself are
 * always sent. People choose in their account, or with the link in a mail, which needs no session: its token is known
 * only to the recipient. In their account they also choose that nobody counts what they do with emails.
 */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { NotFound } from '../errors.ts'
import { markUnsubscribed } from '../mail/mark-unsubscribed.server.ts'
import { findViewer } from '../sessions/sessions.server.ts'

export type MailChoice = 'messages' | 'reminders' | 'reports'
export type MailChoices = Record<MailChoice | 'tracking', boolean>

/** Returns which mails the viewer does not want. */
export async function getOwnMailChoices(ctx: Ctx): Promise<MailChoices> {
  const viewer = requireViewer(ctx)
  return ctx.db
    .selectFrom('users')
    .select([
      'opted_out_of_emails as messages',
      'opted_out_of_reminders as reminders',
      'opted_out_of_reports as reports',
      'opted_out_of_tracking as tracking',
    ])
    .where('id', '=', viewer.id)
    .executeTakeFirstOrThrow()
}

/** Records which mails the viewer does not want. */
export async function setOwnMailChoices(ctx: Ctx, input: MailChoices): Promise<void> {
  const viewer = requireViewer(ctx, 'write')
  await inTransaction(ctx, (ctx) => write(ctx, viewer.id, input))
}

const fieldNames: Record<keyof MailChoices, string> = {
  messages: 'optOutOfEmails',
  reminders: 'optOutOfReminders',
  reports: 'optOutOfReports',
  tracking: 'optOutOfTracking',
}

/** Writes what changes, with an audit entry under the viewer of `ctx`. */
async function write(ctx: Ctx, userId: number, wanted: MailChoices): Promise<void> {
  const { messages, reminders, reports, tracking } = wanted
  const { rows } = await sql<MailChoices & { uid: string }>`
    with before as (
      select id, opted_out_of_emails as messages, opted_out_of_reminders as reminders, opted_out_of_reports as reports,
        opted_out_of_tracking as tracking
      from users where id = ${userId} and erased_at is null for update)
    update users set
      opted_out_of_emails = ${messages}, opted_out_of_reminders = ${reminders}, opted_out_of_reports = ${reports},
      opted_out_of_tracking = ${tracking}, updated_at = ${ctx.now}
    from before
    where users.id = before.id
      and (before.messages, before.reminders, before.reports, before.tracking)
        <> (${messages}, ${reminders}, ${reports}, ${tracking})
    returning users.uid, before.messages, before.reminders, before.reports, before.tracking`.execute(ctx.db)
  const [before] = rows
  if (!before || !ctx.viewer) return
  const changed = (Object.keys(fieldNames) as (keyof MailChoices)[]).filter(
    (choice) => before[choice] !== wanted[choice],
  )
  const after = { fields: changed.map((choice) => fieldNames[choice]) }
  await recordAudit(ctx, { action: 'user.updated', entity: 'user', entityUid: before.uid, after })
}

const choiceOf: Record<string, MailChoice> = {
  message: 'messages',
  test: 'messages',
  reminder: 'reminders',
  report: 'reports',
}

type Mailed = MailChoices & { userId: number; userUid: string; choice: MailChoice; isTest: boolean }

/** Finds what the link in a mail ends. Throws NotFound for any token that is not of a mail of the site. */
export async function getMailToEnd(
  ctx: Ctx,
  input: { token: string },
): Promise<{ choice: MailChoice; isTest: boolean; isEnded: boolean }> {
  const { choice, isTest, ...now } = await find(ctx, input.token)
  return { choice, isTest, isEnded: now[choice] }
}

/**
 * Ends mails of the kind that the token came with. Doing it again changes nothing. The link of a test ends nothing, so
 * that whoever tries it still gets messages.
 */
export async function endMails(ctx: Ctx, input: { token: string }): Promise<{ choice: MailChoice; isTest: boolean }> {
  return inTransaction(ctx, async (ctx) => {
    const { choice, isTest, userId, userUid, ...now } = await find(ctx, input.token)
    if (isTest) return { choice, isTest }
    const choices: MailChoices = { ...now, [choice]: true }
    const viewer = await findViewer(ctx, { userUid })
    await write({ ...ctx, viewer }, userId, choices)
    await markUnsubscribed(ctx, input)
    return { choice, isTest }
  })
}

async function find(ctx: Ctx, token: string): Promise<Mailed> {
  if (!isUid(token)) throw new NotFound()
  const { rows } = await sql<Omit<Mailed, 'choice' | 'isTest'> & { kind: string }>`
    select mails.kind, users.id as "userId", users.uid as "userUid", users.opted_out_of_emails as messages,
      users.opted_out_of_reminders as reminders, users.opted_out_of_reports as reports,
      users.opted_out_of_tracking as tracking
    from mails join users on users.id = mails.user_id
    where mails.token = ${token} and mails.site_id = ${ctx.site.id} and users.erased_at is null`.execute(ctx.db)
  const choice = choiceOf[rows[0]?.kind ?? '']
  if (!rows[0] || !choice) throw new NotFound()
  const { kind, ...mailed } = rows[0]
  return { ...mailed, choice, isTest: kind === 'test' }
}
