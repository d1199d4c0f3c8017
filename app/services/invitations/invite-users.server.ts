/** Inviting people, one or many, and sending their invitations again, for admins. */
import { sql } from 'kysely'
import { type InvitedRow, type InviteUserInput, invitedColumns, invitedRowForm, inviteUserForm } from '~/forms/users.ts'
import { checkCsv } from '~/lib/csv-import.server.ts'
import type { CsvFault } from '~/lib/csv-import.ts'
import { caseKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { listAccessPlans } from '../access/plans.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { queueAll } from '../queue/queue.server.ts'
import { readUploadedCsv } from '../uploads/csv.server.ts'
import { createUsers, type Invitee, listKnownAddresses, whyKnown } from '../users/create-users.server.ts'

/** Invites one person. Throws Conflict if the address has an account already (C-225). */
export async function inviteUser(ctx: Ctx, input: InviteUserInput): Promise<{ userUid: string }> {
  requireAdmin(ctx, 'write')
  const {
    accessPlanUid,
    autoRenew,
    subscriptionDurationDays: days,
    isAdmin,
    ...person
  } = parseInput(inviteUserForm, input)
  const [user] = await invitePeople(ctx, {
    people: [
      { ...person, isAdmin: isAdmin ?? false, accessPlanUid: accessPlanUid || null, days: autoRenew ? null : days },
    ],
  })
  return { userUid: user?.uid ?? '' }
}

/** Invites these people, all or none of them. Their mails are jobs. */
export async function invitePeople(ctx: Ctx, input: { people: Invitee[] }): Promise<{ uid: string; email: string }[]> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const users = await createUsers(ctx, input)
    await openAndSend(
      ctx,
      users.map(({ uid }) => uid),
    )
    return users
  })
}

/** What a file of people to invite would do. `faults` are in the order of their lines. */
export type InvitePlan = { people: { line: number; person: Invitee }[]; faults: CsvFault[] }

/** Checks an uploaded file of people to invite, for admins. Writes nothing. */
export async function planInvitations(ctx: Ctx, input: { csvPath: string }): Promise<InvitePlan> {
  requireAdmin(ctx)
  const result = await readUploadedCsv(ctx, { name: input.csvPath, field: 'csvPath' }, { columns: invitedColumns })
  if (!result.reading) throw new Invalid(result.problem, { csvPath: result.problem }, 'csv.columns')
  const { headingOf } = result.reading
  const checked = checkCsv(result.reading, invitedRowForm, { unique: ['email'] })
  const plans = new Map((await listAccessPlans(ctx)).map(({ uid, name }) => [caseKey(name), uid]))
  const known = await listKnownAddresses(
    ctx,
    checked.valid.map(({ value }) => value.email),
  )
  const faults = [...checked.faults]
  const people: InvitePlan['people'] = []
  for (const { line, value } of checked.valid) {
    const taken = known.get(value.email)
    const accessPlanUid = plans.get(caseKey(value.accessPlan)) ?? null
    const isUnknownPlan = !value.isAdmin && accessPlanUid === null
    if (taken) faults.push({ line, column: headingOf.email ?? null, value: value.email, reason: whyKnown(taken) })
    if (isUnknownPlan) {
      const reason = `There is no access plan “${value.accessPlan}”.`
      faults.push({ line, column: headingOf.accessPlan ?? null, value: value.accessPlan, reason })
    }
    if (!taken && !isUnknownPlan) people.push({ line, person: inviteeOf(value, accessPlanUid) })
  }
  return { people, faults: faults.sort((one, other) => one.line - other.line) }
}

function inviteeOf(row: InvitedRow, accessPlanUid: string | null): Invitee {
  const { firstName, lastName, email, university, isAdmin = false, autoRenew, subscriptionDurationDays } = row
  const days = autoRenew ? null : subscriptionDurationDays
  return { firstName, lastName, email, university, isAdmin, accessPlanUid: isAdmin ? null : accessPlanUid, days }
}

/** How many rows a refusal names. */
const mostNamed = 20

/** Invites everybody in an uploaded file, or nobody if a row is wrong: the refusal names the rows (C-228). */
export async function inviteUsers(ctx: Ctx, input: { csvPath: string }): Promise<{ count: number }> {
  requireAdmin(ctx, 'write')
  const { people, faults } = await planInvitations(ctx, input)
  if (faults.length > 0) {
    const named = faults
      .slice(0, mostNamed)
      .map(({ line, column, reason }) => `row ${line}${column ? ` (${column})` : ''}: ${reason}`)
    const more = faults.length > mostNamed ? ` And ${faults.length - mostNamed} more.` : ''
    throw new Invalid(`Nobody has been invited. Please correct ${named.join(' ')}${more}`, {}, 'invitations.rows')
  }
  const users = await invitePeople(ctx, { people: people.map(({ person }) => person) })
  return { count: users.length }
}

/**
 * Sends these people their invitations again. Earlier links end once the new ones are sent. Throws NotFound if somebody
 * does not exist, and Conflict if an account is open or disabled; then nobody gets a mail.
 */
export async function resendInvitations(ctx: Ctx, input: { userUids: string[] }): Promise<{ count: number }> {
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
    await openAndSend(ctx, uids)
    return { count: uids.length }
  })
}

const mostResent = 1000

/** Opens an invitation for each of these accounts, unless there is an open one, and queues its mail. */
async function openAndSend(ctx: Ctx, userUids: string[]): Promise<void> {
  const { rows } = await sql<{ uid: string }>`
    insert into invitations (site_id, user_id, invited_by, access_plan_id, created_at)
    select users.site_id, users.id, ${ctx.viewer?.id ?? null}::bigint, subscriptions.access_plan_id, ${ctx.now}::timestamptz
    from users left join subscriptions on subscriptions.user_id = users.id
    where users.uid = any(${userUids}::uuid[])
    order by users.id
    on conflict (user_id) where accepted_at is null do update set sent_at = null
    returning uid`.execute(ctx.db)
  // Several clicks before the job runs send one mail.
  const jobs = rows.map(({ uid }) => ({ payload: { invitationUid: uid }, key: `invitation:${uid}` }))
  await queueAll(ctx, 'send-invitation', jobs)
}
