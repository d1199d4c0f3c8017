import { defineConfig } from '@playwright/test'

/**
 * What Playwright turns off by itself stands first, since the last list on a command line is the one that counts. After it:
 * the drop-down of the address bar, which loads two pages of its own into every window and is half of what one costs.
 */
const featuresOff = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'LensOverlay'],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  ...['PreconnectToSearch', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
]

const args = [
  `--disable-features=${featuresOff.join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // In the headless shell, Tab does not leave a frame that has a process of its own.
  '--disable-site-isolation-trials',
  // A page of a test does not live long enough for optimized code to pay: without it, pages take a sixth less time.
  '--js-flags=--no-maglev --no-turbofan',
]

export default defineConfig({
  testDir: 'tests/browser',
  globalSetup: './tests/browser/support/global-setup.ts',
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
