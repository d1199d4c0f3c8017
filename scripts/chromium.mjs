/**
 * The browser for the tests: the system's Chromium. If it is missing and we have the rights, installs it with apt-get:
 * its headless shell, which is what Playwright itself would use, or the whole browser where that is not packaged.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { exitOf, startChild } from './lifecycle.mjs'

/** The headless shell comes first, since it takes a fifth less time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'],
  ...['/snap/bin/chromium', '/Applications/Chromium.app/Contents/MacOS/Chromium'],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** @type {Promise<string | null> | undefined} */
let provided

/** Finds or installs the browser, once. Resolves with its path. */
export function provideChromium() {
  provided ??= findOrInstall()
  return provided
}

async function findOrInstall() {
  const found = findChromium()
  if (found !== null || process.env.CHROMIUM_PATH) return found
  if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) return null
  console.log('Installing Chromium with apt-get …')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await exitOf(startChild('apt-get', ['update', '-qq'], { env })) // an outdated list may still do
  for (const name of ['chromium-headless-shell', 'chromium']) {
    const options = ['-y', '-qq', '--no-install-recommends', name, 'fonts-liberation']
    if ((await exitOf(startChild('apt-get', ['install', ...options], { env }))) === 0) break
  }
  return findChromium()
}

/**
 * On some systems the command is a stub that only asks to be installed, so each candidate must answer with its version.
 */
function findChromium() {
  const candidates = process.env.CHROMIUM_PATH
    ? [process.env.CHROMIUM_PATH]
    : PLACES.filter((place) => fs.existsSync(place))
  const answers = (/** @type {string} */ place) =>
    spawnSync(place, ['--version'], { encoding: 'utf8' }).stdout?.match(/Chrom/)
  return candidates.find(answers) ?? null
}
