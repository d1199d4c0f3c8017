import type { Page } from '@playwright/test'

/** The browser has taken over: keys that come in the very moment in between go where the focus is then. */
export async function isDialog(page: Page): Promise<void> {
  await page.locator('.dlg-layer').waitFor({ state: 'attached' })
}
