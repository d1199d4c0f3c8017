/** `npm run db:types`: writes db/schema.ts from the migrations, with a temporary PostgreSQL. */
import './node-version.mjs'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generateTypes } from '../db/generate-types.ts'
import { migrateToLatest } from '../db/migrate.ts'
import { startEmbedded } from '../server/embedded-pg.mjs'
import { beforeEnd, runCommand } from './lifecycle.mjs'

runCommand(async () => {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)))
  const starting = startEmbedded({ dir: '.data/types-pg', quick: true, name: 'npm run db:types' })
  beforeEnd(async () => (await starting.catch(() => null))?.destroy())
  const { url } = await starting
  await migrateToLatest(url)
  fs.writeFileSync('db/schema.ts', await generateTypes(url))
  return 0
})
