/** Inviting people, one or many, and sending their invitations again, for admins. */
import { sql } from 'kysely'
import { tooSoonInWords } from '~/forms/user-tables.ts'
import { type InviteUserInput, inviteUserForm } from '~/forms/users.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { queueAll } from '../queue/queue.server.ts'
import { createUsers, type Invitee } from '../users/create-users.server.ts'
import { planInvitations } from './check-people.server.ts'

/** Invites one person. Throws Conflict if the address has an account already (C-225). */
export async function inviteUser(ctx: Ctx, input: InviteUserInput): Promise<{ userUid: string }> {
  requireAdmin(ctx, 'write')
  const {
    accessPlanUid,
    autoRenew,
    subscriptionDurationDays: days,
    isAdmin,
    remind,
    ...person
  } = parseInput(inviteUserForm, input)
  const [user] = await invitePeople(ctx, {
    people: [
      { ...person, isAdmin: isAdmin ?? false, accessPlanUid: accessPlanUid || null, days: autoRenew ? null : days },
    ],
    isReminded: remind,
  })
  return { userUid: user?.uid ?? '' }
}

/** Invites these people, all or none of them. Their mails are jobs. */
export async function invitePeople(
  ctx: Ctx,
  { people, ...options }: { people: Invitee[] } & InvitationOptions,
): Promise<{ uid: string; email: string }[]> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const users = await createUsers(ctx, { people })
    const userUids = users.map(({ uid }) => uid)
    await openAndSend(ctx, { userUids, ...options })
    return users
  })
}

/** How many rows a refusal names. */
const mostNamed = 20

/** Invites everybody in an uploaded file, or nobody if a row is wrong: the refusal names the rows (C-228). */
export async function inviteUsers(ctx: Ctx, input: { csvPath: string }): Promise<{ count: number }> {
  requireAdmin(ctx, 'write')
  const { rows, faults } = await planInvitations(ctx, input)
  if (faults.length > 0) {
    const named = faults
      .slice(0, mostNamed)
      .map(({ line, column, reason }) => `row ${line}${column ? ` (${column})` : ''}: ${reason}`)
    const more = faults.length > mostNamed ? ` And ${faults.length - mostNamed} more.` : ''
    throw new Invalid(`Nobody has been invited. Please correct ${named.join(' ')}${more}`, {}, 'invitations.rows')
  }
  const users = await invitePeople(ctx, { people: rows.flatMap(({ person }) => person ?? []) })
  return { count: users.length }
}

/**
 * Sends these people their invitations again, to each at most once an hour: `tooSoon` counts those who get none for that
 * reason. Earlier links end once the new ones are sent. Throws NotFound if somebody does not exist, and Conflict if an
 * account is open or disabled, or if all were sent one in the last hour; then nobody gets a mail.
 */
export async function resendInvitations(
  ctx: Ctx,
  input: { userUids: string[] },
): Promise<{ count: number; tooSoon: number }> {
  requireAdmin(ctx, 'write')
  const uids = [...new Set(input.userUids.map((uid) => uid.toLowerCase()))]
  if (uids.length === 0) throw new Invalid('Choose at least one user.')
  if (uids.length > mostResent) throw new Invalid(`Please send at most ${mostResent.toLocaleString('en')} at once.`)
  if (!uids.every(isUid)) throw new NotFound()
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ name: string; isOpen: boolean }>`
      select concat_ws(' ', first_name, last_name) as name, password_hash is not null as "isOpen" from users
      where site_id = ${ctx.site.id} and uid = any(${uids}::uuid[]) and erased_at is null
      order by id for update`.execute(ctx.db)
    if (rows.length < uids.length) throw new NotFound()
    const open = rows.find(({ isOpen }) => isOpen)
    if (open) {
      const whose = rows.length === 1 ? 'This account' : `The account of ${open.name}`
      throw new Conflict('invitation.accepted', `${whose} is already open and needs no invitation.`)
    }
    const count = await openAndSend(ctx, { userUids: uids })
    if (count === 0) throw new Conflict('invitation.too_soon', tooSoonInWords(uids.length))
    return { count, tooSoon: uids.length - count }
  })
}

const mostResent = 1000

type InvitationOptions = { isReminded?: boolean; listUid?: string }
/** Whether somebody who was sent an invitation in the last hour gets another one. */
type SendingOptions = { isAtOnce?: boolean }

/**
 * Opens an invitation for each of these accounts, unless there is an open one, and queues its mail. Returns the number of
 * mails: whoever was sent one in the last hour gets none, unless it went to an address that was wrong (`isAtOnce`).
 */
export async function openAndSend(
  ctx: Ctx,
  {
    userUids,
    isReminded = false,
    listUid,
    isAtOnce = false,
  }: { userUids: string[] } & InvitationOptions & SendingOptions,
): Promise<number> {
  const { rows } = await sql<{ uid: string }>`
    insert into invitations (site_id, user_id, invited_by, access_plan_id, created_at, is_reminded, list_uid)
    select users.site_id, users.id, ${ctx.viewer?.id ?? null}::bigint, subscriptions.access_plan_id, ${ctx.now}::timestamptz,
      ${isReminded}, ${listUid ?? null}::uuid
    from users left join subscriptions on subscriptions.user_id = users.id
    where users.site_id = ${ctx.site.id} and users.uid = any(${userUids}::uuid[])
    order by users.id
    on conflict (user_id) where accepted_at is null do update set
      sent_at = null, reminded_at = null, refused_at = null, failed_at = null,
      last_attempted_send_at = case when ${isAtOnce} or invitations.sent_at is not null then null
        else invitations.last_attempted_send_at end
      where ${isAtOnce} or invitations.sent_at is null or invitations.sent_at <= ${new Date(ctx.now.getTime() - hourMs)}
    returning uid`.execute(ctx.db)
  // Several clicks before the job runs send one mail.
  const jobs = rows.map(({ uid }) => ({ payload: { invitationUid: uid }, key: `invitation:${uid}` }))
  await queueAll(ctx, 'send-invitation', jobs)
  return rows.length
}

const hourMs = 3_600_000
