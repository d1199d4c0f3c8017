/** Demo content and people for trying out, into an empty database only. */
import type { Database } from '../client.server.ts'

export async function hasAnyContent(db: Database): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

export async function seedDemo(_db: Database): Promise<void> {}
