import { type BrowserContext, type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test'
import { startSmtp } from '../../support/smtp.ts'
import { openPlace, type Place, type Product } from './product.ts'
import { scriptsRun } from './scripts-run.ts'

export { expect }

export type Smtp = Awaited<ReturnType<typeof startSmtp>>

type Site = 'institutional' | 'ns'

type TestFixtures = {
  /** The product of this test file. */
  product: Product
  /** The site that relative addresses belong to: `test.use({ site: 'ns' })`. */
  site: Site
  /** True in files whose product sends mail to a real SMTP server, and not to the outbox: the `smtp` fixture. */
  usesSmtp: boolean
  /** Settings of this file's product that differ from the usual ones. */
  settings: Record<string, string>
  /** Console errors that the test expects, such as the 404 of a missing page. */
  allowedErrors: RegExp[]
  origin: string
  nsOrigin: string
  /** Another visitor with separate cookies, watched like the first. */
  newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>
  errors: string[]
  logOfFailure: undefined
}

/**
 * Each test file has its own product. The test fails if a page writes an error to the console or throws, also in
 * contexts made by `newContext`. For a failed test, the server's log is shown.
 */
export const test = base.extend<TestFixtures, { place: Place; smtp: Smtp }>({
  place: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      const place = await openPlace()
      await use(place)
      await place.end()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  smtp: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      const smtp = await startSmtp()
      await use(smtp)
      await smtp.close()
    },
    { scope: 'worker' },
  ],
  product: [
    async ({ place, smtp, usesSmtp, settings }, use, { titlePath: [file = ''] }) =>
      use(await place.productFor(file, { ...settings, ...(usesSmtp && { SMTP_URL: smtp.url }) })),
    { timeout: 120_000 },
  ],
  usesSmtp: [false, { option: true }],
  settings: [{}, { option: true }],
  site: ['institutional', { option: true }],
  allowedErrors: [[], { option: true }],
  origin: ({ product }, use) => use(product.origin),
  nsOrigin: ({ product }, use) => use(product.nsOrigin),
  baseURL: ({ product, site }, use) => use(site === 'ns' ? product.nsOrigin : product.origin),
  errors: async ({ allowedErrors }, use) => {
    const errors: string[] = []
    await use(errors)
    const unexpected = errors.filter((error) => !allowedErrors.some((allowed) => allowed.test(error)))
    expect(
      unexpected.join('\n'),
      'the console stays empty: test.use({ allowedErrors }) names what a test expects',
    ).toBe('')
  },
  context: async ({ context, errors, javaScriptEnabled }, use) => {
    watch(context, errors)
    if (javaScriptEnabled !== false) context.on('page', waitForScripts)
    await use(context)
  },
  newContext: async ({ browser, baseURL, errors, javaScriptEnabled }, use) => {
    const made: BrowserContext[] = []
    await use(async (options) => {
      const context = await browser.newContext({ baseURL, javaScriptEnabled, ...options })
      watch(context, errors)
      if ((options?.javaScriptEnabled ?? javaScriptEnabled) !== false) context.on('page', waitForScripts)
      made.push(context)
      return context
    })
    for (const context of made) await context.close()
  },
  logOfFailure: [
    async ({ product }, use, testInfo) => {
      const before = product.log().length
      await use(undefined)
      if (testInfo.status === testInfo.expectedStatus) return
      console.error(
        `The server's log during "${testInfo.title}":\n${product.log().slice(before).slice(-8000) || '(nothing)'}`,
      )
    },
    { auto: true },
  ],
})

function watch(context: BrowserContext, errors: string[]): void {
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (event) => errors.push(String(event.error().stack ?? event.error())))
}

/**
 * Scripts start after the first paint, which may be after the load event. A test that opens a page waits until they
 * run, since earlier actions behave as without JavaScript, which has its own tests. If the scripts do not arrive (a
 * lost chunk, a server that is down), the wait ends.
 */
function waitForScripts(page: Page): void {
  for (const name of ['goto', 'reload', 'goBack', 'goForward', 'waitForURL'] as const) {
    const go = page[name].bind(page) as (...args: unknown[]) => Promise<unknown>
    const goAndWait = async (...args: unknown[]) => {
      const answer = await go(...args)
      // A test that waits only for the first bytes is about what happens before the scripts.
      if ((args[1] as { waitUntil?: string } | undefined)?.waitUntil === 'commit') return answer
      await scriptsRun(page, 6000).catch(() => undefined)
      return answer
    }
    Object.assign(page, { [name]: goAndWait })
  }
}
