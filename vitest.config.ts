import tsconfigPaths from 'vite-tsconfig-paths'
import { defineConfig } from 'vitest/config'

const WITHOUT_DATABASE = [
  'tests/lib/**',
  'tests/config/**',
  'tests/forms/**',
  'tests/architecture.test.ts',
  'tests/guards.test.ts',
]

export default defineConfig({
  plugins: [tsconfigPaths()],
  // Node takes graphql's CommonJS entry, Vite would take the other: two copies of it do not know each other's schemas
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    pool: 'forks',
    // Tests hand each service the database of their own; this one is only there because the setting is required.
    env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', LOG_LEVEL: 'silent' },
    maxWorkers: 2,
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
