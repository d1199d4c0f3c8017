import { expect, type Locator, type Page } from '@playwright/test'

/** The button of a module's card, on whatever page of the list it stands: modules of other tests stand there too. */
export async function findCard(page: Page, name: string, hash = ''): Promise<Locator> {
  const button = page.getByRole('button', { name: new RegExp(`^(Start|Resume|Retake) ${name}$`) })
  for (let number = 1; number < 5; number++) {
    await page.goto((number === 1 ? '/modules/' : `/modules/?page=${number}`) + hash)
    await expect(page.getByRole('heading', { level: 1, name: 'Modules' })).toBeVisible()
    if ((await button.count()) > 0) break
  }
  return button
}
