/**
 * cmi5 13.1.4: a unit that opens in another program is kept, and learners and authors read that it cannot be opened
 * here.
 */
import type { Database } from '~db/client.server.ts'
import { aModule, type TestModule } from '../support/cmi5.ts'
import { aContext } from '../support/context.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { emailOf, haveSession } from './support/people.ts'
import type { Product } from './support/product.ts'
import { expect, test } from './support/server.ts'

const sentence = 'This unit opens in another program and cannot be opened in a browser.'
const message =
  'cmi5.xml, line 7: The url “steam://run/1” of the unit opens in another program. The unit is kept, but it cannot be opened here.'

async function aMixedModule(
  { db }: Product,
  site: 'institutional' | 'ns',
  urls: string[],
): Promise<TestModule & { name: string }> {
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
  // The rows as the parser leaves them.
  await db
    .updateTable('cmi5_packages')
    .set({ last_msg: message })
    .where('module_version_id', '=', module.versionId)
    .execute()
  return { ...module, name }
}

/** The state after the demo learner has completed one of two units. */
async function haveDone(db: Database, site: 'institutional' | 'ns', module: TestModule, unitId: number): Promise<void> {
  const { id: userId, site_id } = await db
    .selectFrom('users')
    .select(['id', 'site_id'])
    .where('email', '=', emailOf('learner', site))
    .executeTakeFirstOrThrow()
  const whose = { site_id, user_id: userId, module_id: module.id, progress_percent: 50 }
  const { id } = await db
    .insertInto('registrations')
    .values({ ...whose, module_version_id: module.versionId, number: 1 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('registration_units')
    .values({ registration_id: id, unit_id: unitId, move_on: 'Completed', progress: 100, completed_at: new Date() })
    .execute()
  await db
    .insertInto('module_progress')
    .values({ ...whose, started_at: new Date(), last_visited_at: new Date() })
    .execute()
}

test('learners and authors read that the unit opens elsewhere', async ({ page, product }) => {
  const { uid } = await aMixedModule(product, 'institutional', ['steam://run/1', 'https://units.example/two'])
  await haveSession(page, 'learner')
  await page.goto(`/modules/${uid}/`)
  await expect(page.getByText(sentence)).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Open Unit 2' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open Unit 1' })).toHaveCount(0)
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await haveSession(page, 'author')
  await page.goto(`/dashboard/modules/${uid}/`)
  await page.getByRole('tab', { name: 'Content' }).click()
  await expect(page.getByText(message)).toBeVisible()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
})

test.describe('a launch', () => {
  test.use({ allowedErrors: [/status of (404|422)/] })

  test('opens a unit that works here, and the viewer has no links to the others', async ({ page, product }) => {
    const { uid } = await aMixedModule(product, 'institutional', ['steam://run/1', 'two/index.html', 'zoommtg:join'])
    await haveSession(page, 'learner')
    await page.goto(`/modules/${uid}/`)
    await page.getByRole('button', { name: /^Start/ }).click()
    await page.waitForURL('**/viewer/**')
    const units = page.locator('.unitlist')
    await expect(units.locator('[aria-current]')).toHaveText('Unit 2')
    await expect(units.getByText('(opens in another program)')).toHaveCount(2)
    await expect(units.getByRole('button')).toHaveCount(0)
  })

  test('shows a message if the module changed after its page was loaded', async ({ page, product }) => {
    const { uid, versionId } = await aMixedModule(product, 'institutional', ['one/index.html'])
    await haveSession(page, 'learner')
    await page.goto(`/modules/${uid}/`)
    await product.db
      .updateTable('cmi5_units')
      .set({ url: 'steam://run/1' })
      .where('package_id', 'in', (eb) =>
        eb.selectFrom('cmi5_packages').select('id').where('module_version_id', '=', versionId),
      )
      .execute()
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

test.describe('nothing is offered that cannot work, on a phone', () => {
  test.use({ site: 'ns', viewport: { width: 360, height: 900 } })

  test('when no unit opens here', async ({ page, product }) => {
    const { uid, versionUid } = await aMixedModule(product, 'ns', ['steam://run/1'])
    await haveSession(page, 'learner', 'ns')
    await page.goto(`/modules/${uid}/`)
    const main = page.getByRole('main')
    await expect(
      main.getByText('Opens in another program and cannot be opened in a browser.', { exact: true }),
    ).toBeVisible()
    await expect(main.getByRole('button', { name: /^(Start|Resume|Retake|Open) / })).toHaveCount(0)
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    // An old bookmark shows the same message, too, not an error.
    await page.goto(`/modules/?launch=${versionUid}`)
    await expect(
      main.getByRole('status').filter({ hasText: 'opens in another program and cannot be opened in a browser.' }),
    ).toBeVisible()
  })

  test('when all units that open here are completed', async ({ page, product }) => {
    const module = await aMixedModule(product, 'ns', ['one/index.html', 'steam://run/1'])
    await haveDone(product.db, 'ns', module, module.units[0]?.id ?? 0)
    await haveSession(page, 'learner', 'ns')
    await page.goto(`/modules/${module.uid}/`)
    const main = page.getByRole('main')
    const note = 'The rest opens in another program'
    await expect(main.getByText(`${note} and cannot be opened in a browser.`)).toBeVisible()
    await expect(main.getByRole('button', { name: /^Resume/ })).toHaveCount(0)
    // Completed units can be opened again.
    await expect(main.getByRole('button', { name: 'Open Unit 1' })).toBeVisible()
    for (const address of ['/my-learning/in-progress/', '/my-progress/']) {
      await page.goto(address)
      const row = main.getByRole(address.includes('learning') ? 'listitem' : 'row').filter({ hasText: module.name })
      await expect(row.getByText(note)).toBeVisible()
      await expect(row.getByText('Resume')).toHaveCount(0)
      await expectNoSidewaysScroll(page)
    }
  })
})
