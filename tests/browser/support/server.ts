import { type BrowserContext, type BrowserContextOptions, test as base, expect } from '@playwright/test'
import { type Product, startProduct } from './product.ts'

export { expect }

type Site = 'institutional' | 'ns'

type TestFixtures = {
  /** The site that relative addresses belong to: `test.use({ site: 'ns' })`. */
  site: Site
  /** Console errors that belong to what is tested, such as the 404 of a missing page. */
  allowedErrors: RegExp[]
  origin: string
  nsOrigin: string
  /** A further visitor with cookies of their own, watched like the first. */
  newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>
  errors: string[]
  logOfFailure: undefined
}

/**
 * Each worker has its own product. Whatever a page of it writes to the console as an error, or throws, fails the test; so do contexts made by
 * `newContext`. The server's log of a failed test is shown.
 */
export const test = base.extend<TestFixtures, { product: Product }>({
  product: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      const product = await startProduct()
      await use(product)
      await product.end()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  site: ['institutional', { option: true }],
  allowedErrors: [[], { option: true }],
  origin: ({ product }, use) => use(product.origin),
  nsOrigin: ({ product }, use) => use(product.nsOrigin),
  baseURL: ({ product, site }, use) => use(site === 'ns' ? product.nsOrigin : product.origin),
  errors: async ({ allowedErrors }, use) => {
    const errors: string[] = []
    await use(errors)
    expect(errors.filter((error) => !allowedErrors.some((allowed) => allowed.test(error))).join('\n')).toBe('')
  },
  context: async ({ context, errors }, use) => {
    watch(context, errors)
    await use(context)
  },
  newContext: async ({ browser, baseURL, errors }, use) => {
    const made: BrowserContext[] = []
    await use(async (options) => {
      const context = await browser.newContext({ baseURL, ...options })
      watch(context, errors)
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
