/** Previews and the checks before publishing: what only a browser can show. */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

test('an author sees what to check, and shows the draft of a course to a colleague', async ({ page, browser }) => {
  await haveSession(page, 'author')
  await page.goto('/dashboard/courses/new/')
  const creating = page.getByRole('dialog', { name: 'Create Course' })
  await creating.getByLabel('Name', { exact: true }).fill('A course to preview')
  await creating.getByRole('button', { name: 'Save', exact: true }).click()
  const editing = page.getByRole('dialog', { name: 'Edit Course' })
  await editing.getByText('2 things to check in what is saved').click()
  await expect(editing.getByText('It has no modules.')).toBeVisible()
  await editing.getByRole('link', { name: 'Preview as …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Preview Course' })
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const address = dialog.getByRole('status').getByRole('link')
  await expect(address).toBeVisible()
  await expect(dialog.getByRole('list', { name: 'Links that work' }).getByRole('listitem')).toHaveCount(1)
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  const to = (await address.getAttribute('href')) ?? ''

  const colleague = await (await browser.newContext()).newPage()
  await haveSession(colleague, 'learner')
  await colleague.goto(to)
  await expect(colleague.getByRole('heading', { name: 'A course to preview' })).toBeVisible()
  await expect(colleague.getByRole('region', { name: 'Preview' })).toContainText('Preview as a learner of')
  await expect(colleague.getByRole('button', { name: /Save|Start/ })).toHaveCount(0)
  await expectAccessible(colleague)
  await colleague.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(colleague)

  await dialog.getByRole('button', { name: /^Revoke/ }).click()
  await expect(page.getByText('The link no longer works.')).toBeVisible()
  await expect(dialog.getByRole('list', { name: 'Links that work' })).toBeHidden()
  await colleague.context().close()
})
