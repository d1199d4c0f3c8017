import { expect, type Locator, type Page } from '@playwright/test'

/** The button of a module's card, on any page of the list, which also contains the modules of other tests. */
export function findCard(page: Page, name: string, hash = ''): Promise<Locator> {
  return findInModules(page, page.getByRole('button', { name: new RegExp(`^(Start|Resume|Retake) ${name}$`) }), hash)
}

/** The link of a module's card, like `findCard`. */
export async function findCardLink(page: Page, name: string): Promise<Locator> {
  return (await findInModules(page, page.getByRole('link', { name: new RegExp(`^${name}`) }))).first()
}

async function findInModules(page: Page, what: Locator, hash = ''): Promise<Locator> {
  for (let number = 1; number < 5; number++) {
    await page.goto((number === 1 ? '/modules/' : `/modules/?page=${number}`) + hash)
    await expect(page.getByRole('heading', { level: 1, name: 'Modules' })).toBeVisible()
    if ((await what.count()) > 0) break
  }
  return what
}
