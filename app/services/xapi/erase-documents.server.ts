import { sql } from 'kysely'
import type { SystemCtx } from '../context.ts'

/**
 * Part of the erasure of people: what modules and programs have kept about them in state and profile documents. They are
 * known by their account, whose name is the uid, and by their address.
 */
export async function eraseDocuments(
  ctx: SystemCtx,
  input: { people: { uid: string; email: string | null }[] },
): Promise<void> {
  const accounts = input.people.map(({ uid }) => `account|%|${uid}`)
  const mailboxes = input.people.flatMap(({ email }) => (email === null ? [] : [`mbox|mailto:${email.toLowerCase()}`]))
  await sql`
    delete from xapi_documents where agent_id in (
      select id from xapi_agents
      where identifier like any(${accounts}::text[]) or lower(identifier) = any(${mailboxes}::text[]))`.execute(ctx.db)
}
