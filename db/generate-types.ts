import { generate, PostgresDialect } from 'kysely-codegen'
import { createDatabase } from './client.server.ts'

/**
 * Generates the contents of `db/schema.ts` for this migrated database. `npm run db:types` writes it; a test compares
 * it.
 */
export async function generateTypes(databaseUrl: string): Promise<string> {
  const { db } = createDatabase({ connectionString: databaseUrl, poolSize: 1 })
  try {
    return await generate({
      db,
      dialect: new PostgresDialect(),
      outFile: null,
      defaultSchemas: ['public'],
      excludePattern: 'graphile_worker.*',
      // Must match the type parsers in client.server.ts.
      typeMapping: { int8: 'number', numeric: 'number' },
    })
  } finally {
    await db.destroy()
  }
}
