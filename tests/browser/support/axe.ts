import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Frame, type Page } from '@playwright/test'
import type axe from 'axe-core'
import type { RunOptions } from 'axe-core'

/** The page's own axe, once it has been given to the page. */
type PageWithAxe = { axe?: typeof axe }

/** Half as long as `axe.source`, which each page would get with its comments. */
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const options: RunOptions = {
  iframes: false,
  // Leaves out the details of passed checks, which take half of the time.
  resultTypes: ['violations'],
  // A film that cannot be loaded would otherwise take ten seconds.
  preload: { assets: ['cssom', 'media'], timeout: 1000 },
}

/**
 * Checks WCAG 2.2 A and AA and axe's best practices in a page or in one of its frames, once it has stopped moving.
 * Leaves out the frames inside, whose content belongs to its author, and the page under an open dialog, which has its
 * own check. @axe-core/playwright would give half a megabyte of code to every frame, and to the page twice.
 */
export async function expectAccessible(page: Page | Frame, { without = [] as string[] } = {}): Promise<void> {
  await waitForAnimations(page)
  const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]))
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const violations = await page.evaluate(
    async (options) => {
      const { axe } = window as PageWithAxe
      const main = document.querySelector('#main')
      const dialogs = [...document.querySelectorAll('[aria-modal="true"]')]
      const isCovered = main !== null && dialogs.some((dialog) => dialog.checkVisibility() && !main.contains(dialog))
      const exclude = ['iframe', ...(isCovered ? ['#main'] : [])]
      // A transition that begins while axe measures, as when a button stops being busy, ends at once.
      const atRest = new CSSStyleSheet()
      atRest.replaceSync('*, *::before, *::after { transition: none !important }')
      document.adoptedStyleSheets.push(atRest)
      try {
        return (await axe?.run({ exclude }, options))?.violations
      } finally {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== atRest)
      }
    },
    { ...options, rules },
  )
  const found = violations?.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => node.html).join('\n  ')}`,
  )
  expect(found?.join('\n'), 'what axe finds').toBe('')
}

/**
 * Waits until every transition or animation with an end has finished. Halfway through one, axe would measure contrasts
 * and sizes that nobody sees at rest.
 */
export async function waitForAnimations(page: Page | Frame): Promise<void> {
  const countRunning = () =>
    document
      .getAnimations()
      .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity)
      .length
  await expect.poll(() => page.evaluate(countRunning), { intervals: [20, 50, 100] }).toBe(0)
}

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const { content, window } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }))
  expect(content).toBeLessThanOrEqual(window)
}
