import type { Page } from '@playwright/test'

/**
 * When the page has taken over from the document that the server sent; at once for a document that is none of ours. Before that a page is what it is
 * without JavaScript: a link of a menu leads to its page, and opens no dialog.
 */
export async function scriptsRun(page: Page, timeout?: number): Promise<void> {
  await page.waitForFunction(
    () =>
      !document.querySelector('script[type="late"]') ||
      Object.keys(document.body).some((key) => key.startsWith('__reactFiber')),
    undefined,
    timeout === undefined ? {} : { timeout },
  )
}
