import { sql } from 'kysely'
import { prepareMessage } from '~/services/announcements/prepare-message.server.ts'
import { sendMessages } from '~/services/announcements/send-messages.server.ts'
import { startSending } from '~/services/announcements/start-sending.server.ts'
import { createAudience } from '~/services/audiences/save-audience.server.ts'
import type { Ctx } from '~/services/context.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { inTransaction } from '~db/transaction.server.ts'

type Draft = {
  delivery?: 'email' | 'dashboard'
  subject?: string
  text?: string
  to?: { id: number }[]
  audiences?: string[]
}

/** A saved message that nobody has sent yet, with its chosen recipients. */
export async function aDraft(ctx: Ctx, draft: Draft = {}): Promise<{ id: number; uid: string }> {
  const { delivery = 'email', subject = 'News', text = 'Something is new.', to = [], audiences = [] } = draft
  const { rows } = await sql<{ id: number; uid: string }>`
    insert into announcements (site_id, name, subject, text, from_field, delivery_type)
    values (${ctx.site.id}, ${subject}, ${subject}, ${text}, 'The Titrate team', ${delivery})
    returning id, uid`.execute(ctx.db)
  const message = rows[0] as { id: number; uid: string }
  await sql`
    insert into announcement_recipients (site_id, announcement_id, user_id, channel, state)
    select ${ctx.site.id}, ${message.id}, id, ${delivery}, 'draft'
    from unnest(${to.map(({ id }) => id)}::bigint[]) person (id)`.execute(ctx.db)
  await sql`
    insert into announcement_audiences (site_id, announcement_id, audience_id)
    select site_id, ${message.id}, id from audiences where uid = any(${audiences}::uuid[])`.execute(ctx.db)
  return message
}

/**
 * Adds people to choose from, by SQL. 200 of them have this first name, and another 99 are in an audience of the admin
 * `ctx`, with the reader.
 */
export async function manyPeople(
  ctx: Ctx,
  { count, firstName, reader }: { count: number; firstName: string; reader: { id: number } },
): Promise<{ audience: string; audienceUid: string }> {
  const { db, site } = ctx
  const place = await ensureUniversity(ctx, { name: `Institute of ${firstName}` })
  const placeId = sql`(select id from universities where uid = ${place.uid})`
  await sql`
    with people as (
      insert into users (
        site_id, email, email_key, first_name, last_name, search_key, university_id, is_active, joined_at)
      select ${site.id}, mail, mail, first, 'Number ' || n, lower(first) || ' number ' || n, place, true, now()
      from generate_series(1, ${count}::int) n, lateral (
        select 'p' || n || '@' || lower(${firstName}::text) || '.example' as mail,
          case when n <= 200 then ${firstName} else 'Person' end as first,
          case when n between 201 and 299 then ${placeId} end as place) one
      returning id)
    insert into user_groups (user_id, name) select id, 'learners' from people`.execute(db)
  await sql`update users set university_id = ${placeId} where id = ${reader.id}`.execute(db)
  await sql`analyze users`.execute(db)
  const audience = `Those of ${firstName}`
  const conditions = [{ about: 'institution', how: 'is', values: [place.uid] }]
  const { uid } = await createAudience(ctx, { name: audience, conditions })
  return { audience, audienceUid: uid }
}

/** Starts sending, as the dialog does. */
export function start(ctx: Ctx, id: number, when: { sendAt?: Date; notAfter?: Date } = {}) {
  const { sendAt = null, notAfter = null } = when
  return inTransaction(ctx, (ctx) => startSending(ctx, { announcementId: id, sendAt, notAfter }))
}

/** Starts sending, prepares and sends, as the jobs do. */
export async function sendOut(ctx: Ctx, message: { id: number; uid: string }): Promise<void> {
  await start(ctx, message.id)
  await prepareMessage(ctx, { announcementUid: message.uid })
  await sendMessages(ctx)
}

export async function stateOf(ctx: Ctx, id: number) {
  const { rows } = await sql<{ status: string; sending: string | null }>`
    select status, sending from announcements where id = ${id}`.execute(ctx.db)
  return rows[0]
}

/** The ledger of a message in the order of its recipients. */
export async function ledger(ctx: Ctx, id: number) {
  const { rows } = await sql<{ address: string; state: string; response: string | null; attempts: number }>`
    select address, state, response, attempts from mails where announcement_id = ${id} order by id`.execute(ctx.db)
  return rows
}
