import type { TestProject } from 'vitest/node'
import { migrateToLatest } from '../../db/migrate.ts'
import { runSql, startTestPostgres } from './test-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    templateUrl: string
  }
}

/** Starts one PostgreSQL for the run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { urlOf, end } = await startTestPostgres('npm test')
  const templateUrl = urlOf('template')
  try {
    await runSql(templateUrl, 'create database template')
    await migrateToLatest(templateUrl)
  } catch (error) {
    await end()
    throw error
  }
  project.provide('templateUrl', templateUrl)
  return end
}
