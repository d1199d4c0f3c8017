/** The links of a change of an address. Each mail has its own, and only its hash is stored with the change. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { encodeUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'
import { hashToken } from './tokens.server.ts'

export type AddressLink = 'confirm' | 'object'

const columns = { confirm: 'confirm_hashes', object: 'object_hashes' } as const
const paths = { confirm: 'confirm-address', object: 'keep-address' }

/** Adds a link to a change that can still be confirmed or objected to. Returns null if it cannot. */
export async function addAddressLink(
  ctx: Ctx,
  changeUid: string,
  link: AddressLink,
): Promise<{ token: string; url: string } | null> {
  const token = randomBytes(32).toString('base64url')
  const column = sql.ref(columns[link])
  const { rows } = await sql`
    update address_changes set ${column} = array_append(${column}, ${hashToken(token)}::bytea)
    where site_id = ${ctx.site.id} and uid = ${changeUid} and ended_at is null and expires_at > ${ctx.now}
      and (${link} = 'object' or confirmed_at is null)
    returning uid`.execute(ctx.db)
  if (rows.length === 0) return null
  return { token, url: `${ctx.site.baseUrl}/${paths[link]}/${encodeUid(changeUid)}/${token}/` }
}

/** Removes a link whose mail could not be sent. */
export async function removeAddressLink(ctx: Ctx, changeUid: string, link: AddressLink, token: string): Promise<void> {
  const column = sql.ref(columns[link])
  await sql`
    update address_changes set ${column} = array_remove(${column}, ${hashToken(token)}::bytea)
    where site_id = ${ctx.site.id} and uid = ${changeUid}`.execute(ctx.db)
}
