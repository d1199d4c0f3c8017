import { readdirSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from '@playwright/test'

const testDir = 'tests/browser'
const files = readdirSync(testDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.spec.ts'))

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
  testDir,
  globalSetup: './tests/browser/support/global-setup.ts',
  // Each file is a project, since each project has workers of its own, and so a product: its tests find the demo's data and what those before them left.
  projects: files
    .sort()
    .map((name) => ({ name: name.replace('.spec.ts', ''), testMatch: path.resolve(testDir, name) })),
  workers: 2,
  retries: 0,
  // Limits are for what hangs: a busy machine of two cores may take long for what is right.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    launchOptions: { executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium', args },
    trace: 'off', // takes a fifth of the time: for one test, add --trace on
    screenshot: 'only-on-failure',
  },
})
