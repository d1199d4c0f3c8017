export type ProductSettings = { databaseUrl: string; dataDir: string; [variable: string]: string }

/** What any program needs of our own environment, and the mark by which a test run finds processes that are left. */
export function commonEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, TEST_RUN } = process.env
  return { PATH, HOME, NODE_ENV: 'production', ...(TEST_RUN && { TEST_RUN }) }
}

/**
 * The whole environment of a product under test, without our own variables except those that any program needs. Limits
 * are raised, except in the tests of limits.
 */
export function productEnv({ databaseUrl, dataDir, ...variables }: ProductSettings): NodeJS.ProcessEnv {
  return {
    ...commonEnv(),
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    SEED_DEMO: '0',
    CONSOLE_PARTS: '1',
    LOGIN_ATTEMPTS_PER_15_MIN: '100000',
    EVENTS_PER_MIN: '100000',
    ...variables,
  }
}
