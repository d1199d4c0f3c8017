import tsconfigPaths from 'vite-tsconfig-paths'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const WITHOUT_DATABASE = [
  'tests/lib/**',
  'tests/config/**',
  'tests/forms/**',
  'tests/architecture.test.ts',
  'tests/guards.test.ts',
  'tests/requirements.test.ts',
]

/** Files that wait for processes to start and to die begin first, so that none of them is left over at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => /\/tests\/operations\/|\/forwards/.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

export default defineConfig({
  plugins: [tsconfigPaths()],
  // Node takes graphql's CommonJS entry, Vite would take the other: two copies of it do not know each other's schemas
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    pool: 'forks',
    // A process goes on to the next file. Loading the packages again for each of them took a quarter of the time; our own
    // modules are loaded again, so that each file has a database and settings of its own.
    isolate: false,
    setupFiles: ['tests/support/fresh-modules.ts'],
    // Tests hand each service the database of their own; this one is only there because the setting is required.
    env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', LOG_LEVEL: 'silent' },
    // One more than the usual two cores, since many tests wait for another process.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: WITHOUT_DATABASE.map((place) => (place.endsWith('**') ? `${place}/*.test.{ts,tsx}` : place)),
        },
      },
      {
        extends: true,
        test: {
          name: 'database',
          include: ['tests/**/*.test.{ts,tsx}'],
          exclude: [...WITHOUT_DATABASE, 'tests/browser/**'],
          globalSetup: ['tests/support/global-setup.ts'],
        },
      },
    ],
  },
})
