import { defineConfig } from '@playwright/test'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export default defineConfig({
  testDir: 'tests/browser',
  globalSetup: './tests/browser/support/global-setup.ts',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  timeout: 30_000,
  reporter: 'list',
  use: {
    launchOptions: { executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium', args },
    trace: 'off', // takes a fifth of the time: for one test, add --trace on
    screenshot: 'only-on-failure',
  },
})
