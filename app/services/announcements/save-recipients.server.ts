/** Writes the recipients of a message that is not sent yet. Its people are stored; audiences are expanded when it is sent. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { DeliveryType } from '~/forms/announcements.ts'
import type { Condition } from '~/forms/audiences.ts'
import { type RecipientStep, unknownRecipient } from '~/forms/recipients.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { addedBy, canBeChosen, isChosen, isInAudiences, type RecipientSet } from './recipients.server.ts'

type Message = { id: number; deliveryType: DeliveryType }

/**
 * Takes the steps of a choice, one statement each, in the order in which they were made. Others may have saved in between:
 * what they added stays, unless a step removes it. Returns whether anything has changed.
 */
export async function applySteps(ctx: Ctx, message: Message, steps: RecipientStep[]): Promise<boolean> {
  let changed = 0n
  for (const step of steps) changed += await applyStep(ctx, message, step)
  return changed > 0n
}

async function applyStep(ctx: Ctx, { id, deliveryType }: Message, step: RecipientStep): Promise<bigint> {
  switch (step.kind) {
    case 'add':
    case 'found':
    case 'users': {
      if (step.kind === 'add') await requireKnown(ctx, step.uids)
      const { numAffectedRows = 0n } = await sql`
        insert into announcement_recipients (site_id, announcement_id, user_id, channel, state)
        select users.site_id, ${id}, users.id, ${deliveryType}, 'draft' from users
        where ${addedBy(ctx, step)} and ${canBeChosen(ctx, deliveryType)}
        order by users.id
        on conflict (announcement_id, user_id) do nothing`.execute(ctx.db)
      return numAffectedRows
    }
    case 'remove': {
      const { numAffectedRows = 0n } = await sql`
        delete from announcement_recipients r using users
        where r.announcement_id = ${id} and r.state = 'draft' and users.id = r.user_id
          and users.uid = any(${step.uids}::uuid[])`.execute(ctx.db)
      return numAffectedRows
    }
    case 'clear': {
      const people = await sql`
        delete from announcement_recipients where announcement_id = ${id} and state = 'draft'`.execute(ctx.db)
      const audiences = await sql`delete from announcement_audiences where announcement_id = ${id}`.execute(ctx.db)
      return (people.numAffectedRows ?? 0n) + (audiences.numAffectedRows ?? 0n)
    }
    case 'addAudience': {
      const { numAffectedRows = 0n } = await sql`
        insert into announcement_audiences (site_id, announcement_id, audience_id)
        select site_id, ${id}, id from audiences
        where site_id = ${ctx.site.id} and uid = ${step.uid} and deleted_at is null
        on conflict do nothing`.execute(ctx.db)
      return numAffectedRows
    }
    case 'removeAudience': {
      const { numAffectedRows = 0n } = await sql`
        delete from announcement_audiences own using audiences
        where own.announcement_id = ${id} and audiences.id = own.audience_id and audiences.uid = ${step.uid}`.execute(
        ctx.db,
      )
      return numAffectedRows
    }
  }
}

/** A recipient who does not exist is a mistake of the sender. Somebody who was deleted meanwhile is just not there. */
async function requireKnown(ctx: Ctx, uids: string[]): Promise<void> {
  const { rows } = await sql<{ known: number }>`
    select count(*)::int as known from users
    where site_id = ${ctx.site.id} and uid = any(${uids}::uuid[])`.execute(ctx.db)
  if (rows[0]?.known === uids.length) return
  throw new Invalid(unknownRecipient, { recipients: unknownRecipient })
}

/** Removes whoever does not get messages in this way, and writes the way to everybody else (C-049). Returns how many. */
export async function fitRecipients(ctx: Ctx, { id, deliveryType }: Message): Promise<number> {
  await sql`
    update announcement_recipients set channel = ${deliveryType}
    where announcement_id = ${id} and state = 'draft' and channel <> ${deliveryType}`.execute(ctx.db)
  if (deliveryType !== 'email') return 0
  const { numAffectedRows = 0n } = await sql`
    delete from announcement_recipients r using users
    where r.announcement_id = ${id} and r.state = 'draft' and users.id = r.user_id and users.opted_out_of_emails`.execute(
    ctx.db,
  )
  return Number(numAffectedRows)
}

/**
 * Removes whom a review does not count: audiences in the trash, and people who cannot be chosen. A scheduled message would
 * reach them if they came back. Returns how many.
 */
export async function forgetUncounted(ctx: Ctx, { id, deliveryType }: Message): Promise<number> {
  const audiences = await sql`
    delete from announcement_audiences own using audiences
    where own.announcement_id = ${id} and audiences.id = own.audience_id and audiences.deleted_at is not null`.execute(
    ctx.db,
  )
  const people = await sql`
    delete from announcement_recipients r
    where r.announcement_id = ${id} and r.state = 'draft' and not exists (
      select from users where users.id = r.user_id and ${canBeChosen(ctx, deliveryType)})`.execute(ctx.db)
  return Number((audiences.numAffectedRows ?? 0n) + (people.numAffectedRows ?? 0n))
}

export type RecipientCounts = {
  /** Chosen by hand or by a query. */
  people: number
  /** With the people of audiences, each once. */
  total: number
}

export type ChosenAudience = { uid: string; name: string; conditions: Condition[] }

/** Counts the recipients as they are now, with the steps of a choice that is not saved. */
export async function countSet(ctx: Ctx, set: RecipientSet, audiences: ChosenAudience[]): Promise<RecipientCounts> {
  const chosen = isChosen(ctx, set)
  const { rows } = await sql<RecipientCounts>`
    select count(*) filter (where chosen)::int as people, count(*)::int as total from (
      select ${chosen} as chosen from users
      where ${chosen} or ${isInAudiences(ctx, audiences, set.deliveryType)}) recipients`.execute(ctx.db)
  return rows[0] ?? { people: 0, total: 0 }
}

/** Finds audiences by uid, in this order, without those that were deleted. */
export async function findAudiences(ctx: Ctx, uids: string[]): Promise<ChosenAudience[]> {
  if (uids.length === 0) return []
  const { rows } = await sql<ChosenAudience>`
    select uid, name, rule as conditions from audiences
    where site_id = ${ctx.site.id} and uid = any(${uids}::uuid[]) and deleted_at is null
    order by array_position(${uids}::uuid[], uid)`.execute(ctx.db)
  return rows
}

export async function storedAudiences(ctx: Ctx, announcementId: number | null): Promise<string[]> {
  if (announcementId === null) return []
  const { rows } = await sql<{ uid: string }>`
    select audiences.uid from announcement_audiences own join audiences on audiences.id = own.audience_id
      join announcements on announcements.id = own.announcement_id and announcements.status = 'draft'
    where own.announcement_id = ${announcementId} and audiences.deleted_at is null
    order by audiences.name, audiences.id`.execute(ctx.db)
  return rows.map(({ uid }) => uid)
}

/**
 * Returns a sentence if the recipients have changed since the form was opened, and the form removes all of them: it does
 * not show whom that is about.
 */
export async function findRecipientsProblem(
  ctx: Ctx,
  { uid }: { uid: string },
  { revision, recipients }: { revision?: number; recipients?: RecipientStep[] },
): Promise<string | undefined> {
  if (revision === undefined || !recipients?.some(({ kind }) => kind === 'clear')) return undefined
  const { rows } = await sql<{ name: string; isOwn: boolean }>`
    select actor_name as name, actor_id is not distinct from ${ctx.viewer?.id ?? null}::bigint as "isOwn"
    from audit_entries
    where entity = 'announcement' and entity_uid = ${uid} and site_id = ${ctx.site.id} and before ? 'recipients'
      and (after ->> 'revision')::int > ${revision}
    order by at desc, id desc limit 1`.execute(ctx.db)
  const [last] = rows
  if (!last) return undefined
  return last.isOwn
    ? 'You changed the recipients in another window, and removed all of them here. Save again to keep those of this one.'
    : `${last.name} changed the recipients while you were editing. You removed all of them. Save again to use yours.`
}

/**
 * Returns a key of whom a message is for: the people who were chosen, and the audiences with their conditions, whoever
 * meets these when it is sent. A form that sends the message names the key that it has shown.
 */
export async function recipientsKeyOf(ctx: Ctx, set: RecipientSet, audiences: ChosenAudience[]): Promise<string> {
  const { rows } = await sql<{ people: string }>`
    select coalesce(string_agg(users.id::text, ' ' order by users.id), '') as people
    from users where ${isChosen(ctx, set)}`.execute(ctx.db)
  const rules = audiences.map(({ uid, conditions }) => `${uid} ${JSON.stringify(conditions)}`).sort()
  return createHash('sha256')
    .update(`${rows[0]?.people}|${rules.join('|')}`)
    .digest('hex')
}
