import type { Page } from '@playwright/test'

/**
 * Waits until the page's scripts show it as a dialog. Keys pressed before that would go to the element that has the focus
 * then.
 */
export async function isDialog(page: Page): Promise<void> {
  await page.locator('.dlg-layer').waitFor({ state: 'attached' })
}
