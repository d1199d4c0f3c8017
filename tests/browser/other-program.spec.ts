/** C016: a unit that opens in another program is kept; learners and authors are told that it cannot be opened here. */
import { createDatabase } from '~db/client.server.ts'
import { aModule, type TestModule } from '../support/cmi5.ts'
import { aContext } from '../support/context.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import type { Product } from './support/product.ts'
import { expect, test } from './support/server.ts'

const sentence = 'This unit opens in another program and cannot be opened in a browser.'
const message =
  'cmi5.xml, line 7: The url “steam://run/1” of the unit opens in another program. The unit is kept, but it cannot be opened here.'

async function aMixedModule(product: Product, site: 'institutional' | 'ns', urls: string[]): Promise<TestModule> {
  const { db, pool } = createDatabase({ connectionString: product.databaseUrl, poolSize: 2 })
  try {
    const system = await aContext(db, { site })
    const units = urls.map((url) => ({ url }))
    const name = `Simulations ${crypto.randomUUID().slice(0, 8)}`
    const module = await aModule(system, { name, plan: null, units })
    const { id } = module
    await db
      .insertInto('module_access_plans')
      .columns(['site_id', 'module_id', 'access_plan_id'])
      .expression((eb) =>
        eb
          .selectFrom('access_plans')
          .select((eb) => ['site_id', eb.val(id).as('module_id'), 'id as access_plan_id'])
          .where('site_id', '=', system.site.id),
      )
      .execute()
    // As the parser leaves it.
    await db
      .updateTable('cmi5_packages')
      .set({ last_msg: message })
      .where('module_version_id', '=', module.versionId)
      .execute()
    return module
  } finally {
    await pool.end()
  }
}

for (const width of [360, 1440]) {
  for (const site of ['institutional', 'ns'] as const) {
    test.describe(`${site} at ${width} px`, () => {
      test.use({ site, viewport: { width, height: 900 } })

      test('learners and authors are told', async ({ page, product }) => {
        const { uid } = await aMixedModule(product, site, ['steam://run/1', 'https://units.example/two'])
        await haveSession(page, 'learner', site)
        await page.goto(`/modules/${uid}/`)
        await expect(page.getByText(sentence)).toHaveCount(1)
        await expect(page.getByRole('button', { name: 'Open Unit 2' })).toBeVisible()
        await expect(page.getByRole('button', { name: 'Open Unit 1' })).toHaveCount(0)
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
        await haveSession(page, 'author', site)
        await page.goto(`/dashboard/modules/${uid}/`)
        await page.getByRole('tab', { name: 'Content' }).click()
        await expect(page.getByText(message)).toBeVisible()
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
      })
    })
  }
}

test.describe('a launch', () => {
  test.use({ allowedErrors: [/status of (404|422)/] })

  test('goes to the units that can be opened, and the viewer has no way to the others', async ({ page, product }) => {
    const { uid } = await aMixedModule(product, 'institutional', ['steam://run/1', 'two/index.html', 'zoommtg:join'])
    await haveSession(page, 'learner')
    await page.goto(`/modules/${uid}/`)
    await page.getByRole('button', { name: /^Start/ }).click()
    await page.waitForURL('**/viewer/**')
    const units = page.locator('.unitlist')
    await expect(units.locator('[aria-current]')).toHaveText('Unit 2')
    await expect(units.getByText('(opens in another program)')).toHaveCount(2)
    await expect(units.getByRole('button')).toHaveCount(0)
    await expectAccessible(page)
  })

  test('is refused in words where there is nothing else to open', async ({ page, product }) => {
    const { uid } = await aMixedModule(product, 'institutional', ['steam://run/1'])
    await haveSession(page, 'learner')
    await page.goto(`/modules/${uid}/`)
    const [reply] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST' && response.url().includes('/launch')),
      page.getByRole('button', { name: /^Start/ }).click(),
    ])
    expect(reply.status()).toBe(422)
    await expect(
      page.getByText('This unit opens in another program (steam:) and cannot be opened in a browser.'),
    ).toBeVisible()
  })
})
