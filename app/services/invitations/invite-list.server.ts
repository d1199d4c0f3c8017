/**
 * Inviting the people in a list, as a bulk operation: the rows are stored when it begins, and jobs invite a hundred of
 * them in one transaction. What happened to each row is kept until the operation is deleted.
 */
import { sql } from 'kysely'
import { cutText, isStorable, storableText } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import {
  endBulkOperation,
  findBulkOperation,
  findBulkWork,
  lockBulkWork,
  startBulkOperation,
} from '../bulk/bulk.server.ts'
import { type BulkOutcome, recordBulkItems } from '../bulk/work-through-items.server.ts'
import { actsAsAdmin, type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Invalid, ServiceError } from '../errors.ts'
import { queue } from '../queue/queue.server.ts'
import { findViewer } from '../sessions/sessions.server.ts'
import { type Invitee, listKnownAddresses, whyKnown } from '../users/create-users.server.ts'
import { type PeopleFile, planInvitations } from './check-people.server.ts'
import { invitePeople } from './invite-users.server.ts'

const kind = 'invite-users'
const batch = 100

const badFileName =
  'The name of this file holds characters that cannot be stored. Please rename it and choose it again.'

type NewList = PeopleFile & {
  /** Made by the page, so that a second click begins nothing. */
  listUid: string
  fileName: string
  isReminded?: boolean
  /** Leaves out the rows in which something is wrong. Otherwise one faulty row stops the whole list. */
  onlyValid: boolean
}

/** Finds the operation of a list that has begun, for admins. */
export async function findInvitingList(ctx: Ctx, input: { listUid: string }): Promise<{ operationUid: string } | null> {
  requireAdmin(ctx)
  const begun = isUid(input.listUid) ? await findBulkOperation(ctx, { kind, subjectUid: input.listUid }) : null
  return begun && { operationUid: begun.uid }
}

/** Begins to invite the people in an uploaded file, for admins. */
export async function startInvitingList(ctx: Ctx, input: NewList): Promise<{ operationUid: string }> {
  requireAdmin(ctx, 'write')
  const { listUid, fileName, isReminded = false, onlyValid, field = 'csvPath' } = input
  if (!isUid(listUid)) throw new Invalid('Please check the file once more.')
  const begun = await findInvitingList(ctx, input)
  if (begun) return begun
  if (!isStorable(fileName)) throw new Invalid(badFileName, { [field]: badFileName })
  const { rows, faults } = await planInvitations(ctx, input)
  const people = rows.filter(({ person }) => person !== null)
  if (faults.length > 0 && !onlyValid) {
    throw new Invalid('Something is wrong in this list. Please correct it, or invite only the valid rows.')
  }
  if (people.length === 0) throw new Conflict('invitations.nobody', 'Nobody in this list can be invited.')
  return inTransaction(ctx, async (ctx) => {
    const { uid, isNew } = await startBulkOperation(ctx, { kind, subjectUid: listUid, total: people.length })
    if (!isNew) return { operationUid: uid }
    await ctx.db
      .insertInto('invited_lists')
      .values({
        operation_uid: uid,
        site_id: ctx.site.id,
        file_name: cutText(fileName, 300),
        is_reminded: isReminded,
        created_at: ctx.now,
      })
      .execute()
    const reasons = new Map<number, string>()
    for (const { line, column, reason } of faults) {
      const named = column === null ? reason : `${column}: ${reason}`
      reasons.set(line, [reasons.get(line), named].filter(Boolean).join(' '))
    }
    const stored = rows.map((row, position) => ({ position, ...row, reason: reasons.get(row.line) ?? null }))
    // Faulty cells are kept too, without the characters that cannot be stored.
    const json = JSON.stringify(stored, (_, value) => (typeof value === 'string' ? storableText(value) : value))
    await sql`
      insert into invited_list_rows (operation_uid, position, line, cells, person, outcome, reason)
      select ${uid}::uuid, position, line, cells, nullif(person, 'null'), case when reason is null then null else 'left-out' end, reason
      from jsonb_to_recordset(${json}::jsonb) as stored (
        position integer, line integer, cells jsonb, person jsonb, reason text)`.execute(ctx.db)
    await queueBatch(ctx, uid)
    return { operationUid: uid }
  })
}

type Row = { uid: string; position: number; person: Invitee }

/**
 * Job: invites the next of the list and queues itself again. Acts as the person who began it, and stops if that person is
 * no admin any more, or if somebody cancels the operation. `most` is for tests.
 */
export async function inviteListedPeople(
  ctx: Ctx,
  input: { operationUid: string; most?: number },
): Promise<{ invited: number; isDone: boolean }> {
  const { operationUid, most = batch } = input
  const nothing = { invited: 0, isDone: true }
  const work = await findBulkWork(ctx, { operationUid })
  if (work?.kind !== kind) return nothing
  const acting = await actingAsAdmin(ctx, work.createdById)
  if (!acting) {
    await endBulkOperation(ctx, { operationUid, status: 'canceled' })
    return nothing
  }
  try {
    return await inviteBatch(acting, { operationUid, most })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    // Something is wrong with one of them, so they are taken one by one: the reason belongs to one row only.
    return inviteBatch(acting, { operationUid, most: 1, isAlone: true })
  }
}

/**
 * Invites the next rows and records what happened, in one transaction: a job that is killed has done all of it or
 * nothing. The lock keeps a second job waiting, which then finds the rows behind these.
 */
async function inviteBatch(
  ctx: Ctx,
  { operationUid, most, isAlone = false }: { operationUid: string; most: number; isAlone?: boolean },
): Promise<{ invited: number; isDone: boolean }> {
  return inTransaction(ctx, async (ctx) => {
    const work = await lockBulkWork(ctx, { operationUid })
    if (!work) return { invited: 0, isDone: true }
    const rows = await listWaitingRows(ctx, { operationUid, most })
    const outcomes = await inviteRows(ctx, rows, { operationUid, isAlone })
    await writeOutcomes(ctx, operationUid, outcomes)
    const items = rows.map(({ uid, person }) => {
      const { reason = null } = outcomes.get(uid) ?? {}
      const outcome: BulkOutcome = reason === null ? 'changed' : { problem: reason }
      return { uid, label: `${person.firstName} ${person.lastName} (${person.email})`, outcome }
    })
    await recordBulkItems(ctx, { operationUid, after: work.cursor, items })
    const isDone = rows.length < most
    if (isDone) await endBulkOperation(ctx, { operationUid, status: 'done' })
    else await queueBatch(ctx, operationUid)
    return { invited: items.filter(({ outcome }) => outcome === 'changed').length, isDone }
  })
}

type RowOutcome = { userUid: string | null; reason: string | null }

async function inviteRows(
  ctx: Ctx,
  rows: Row[],
  { operationUid, isAlone }: { operationUid: string; isAlone: boolean },
): Promise<Map<string, RowOutcome>> {
  const known = await listKnownAddresses(
    ctx,
    rows.map(({ person }) => person.email),
  )
  const fresh = rows.filter(({ person }) => !known.has(person.email))
  const list = await ctx.db
    .selectFrom('invited_lists')
    .select('is_reminded as isReminded')
    .where('operation_uid', '=', operationUid)
    .executeTakeFirst()
  const invite = () =>
    invitePeople(ctx, {
      people: fresh.map(({ person }) => person),
      isReminded: list?.isReminded ?? false,
      listUid: operationUid,
    })
  const { users, refusal } = isAlone ? await refusedAsText(ctx, invite) : { users: await invite(), refusal: null }
  const uids = new Map(users.map(({ uid, email }) => [email, uid]))
  return new Map(
    rows.map(({ uid, person }) => {
      const taken = known.get(person.email)
      const userUid = uids.get(person.email) ?? null
      return [uid, { userUid, reason: taken ? whyKnown(taken) : userUid ? null : (refusal ?? 'Not invited.') }]
    }),
  )
}

/** Like `work`, but a refusal is an answer. Its writes are undone by a savepoint, and the transaction goes on. */
async function refusedAsText(ctx: Ctx, work: () => Promise<{ uid: string; email: string }[]>) {
  await sql`savepoint invited_row`.execute(ctx.db)
  try {
    return { users: await work(), refusal: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    await sql`rollback to savepoint invited_row`.execute(ctx.db)
    return { users: [], refusal: error.message }
  }
}

async function listWaitingRows(ctx: Ctx, input: { operationUid: string; most: number }): Promise<Row[]> {
  const rows = await ctx.db
    .selectFrom('invited_list_rows')
    .select(['uid', 'position', 'person'])
    .where('operation_uid', '=', input.operationUid)
    .where('outcome', 'is', null)
    .orderBy('position')
    .limit(input.most)
    .execute()
  return rows.map((row) => ({ ...row, person: row.person as unknown as Invitee }))
}

async function writeOutcomes(ctx: Ctx, operationUid: string, outcomes: Map<string, RowOutcome>): Promise<void> {
  const written = [...outcomes].map(([uid, { userUid, reason }]) => ({ uid, user_uid: userUid, reason }))
  await sql`
    update invited_list_rows
    set outcome = case when written.reason is null then 'invited' else 'failed' end, reason = written.reason,
      user_uid = written.user_uid
    from jsonb_to_recordset(${JSON.stringify(written)}::jsonb) as written (uid uuid, user_uid uuid, reason text)
    where invited_list_rows.uid = written.uid and operation_uid = ${operationUid}`.execute(ctx.db)
}

async function queueBatch(ctx: Ctx, operationUid: string): Promise<void> {
  await queue(ctx, 'invite-listed-people', { operationUid }, { key: `invite-listed-people:${operationUid}` })
}

/** The context of the admin who began an operation; null if the account is gone or no longer an admin's. */
export async function actingAsAdmin(ctx: Ctx, userId: number | null): Promise<Ctx | null> {
  const viewer = userId === null ? null : await findViewer(ctx, { userId })
  const acting = { ...ctx, viewer }
  return viewer && actsAsAdmin(acting) ? acting : null
}
