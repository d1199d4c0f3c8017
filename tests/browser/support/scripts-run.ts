import type { Page } from '@playwright/test'

/**
 * Resolves when the scripts have taken over the document from the server; at once for a document that is not ours.
 * Before that, a page behaves as without JavaScript: a menu link opens its page and not a dialog.
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
