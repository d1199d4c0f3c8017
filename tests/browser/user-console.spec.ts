/** Manage Users: what only a browser can show. */
import { createInvitation } from '~/services/invitations/invitations.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { currentProduct } from './support/product.ts'
import { scriptsRun } from './support/scripts-run.ts'
import { expect, test } from './support/server.ts'

test('C-084 C-091 C-094 an admin finds a learner, edits, deletes and brings back the account', async ({ page }) => {
  await aUser(currentProduct().db, { firstName: 'Zora', lastName: 'Quist', email: 'zora@users.example' })
  await haveSession(page, 'admin')
  await page.goto('/dashboard/users/')
  await expect(page.getByRole('heading', { level: 1, name: 'Manage Users' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: /^Admins \(/ }).click()
  await expect(page.getByRole('link', { name: /^Admins \(/ })).toHaveAttribute('aria-current', 'page')
  await page.getByRole('link', { name: /^Learners \(/ }).click()
  await expect(page.getByRole('link', { name: /^Learners \(/ })).toHaveAttribute('aria-current', 'page')
  // C-083: the table is searched once, when typing has paused.
  const addresses: string[] = []
  page.on('framenavigated', (frame) => addresses.push(frame.url()))
  await page.getByRole('searchbox', { name: 'Search name or email' }).pressSequentially('zora@users', { delay: 20 })
  await expect(page).toHaveURL(/search=zora%40users/)
  expect(addresses.filter((address) => address.includes('search='))).toHaveLength(1)
  await page.getByRole('link', { name: 'Zora Quist' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Zora Quist' })
  await dialog.getByRole('link', { name: 'Progress' }).click()
  await expect(dialog.getByRole('link', { name: 'In Progress' })).toHaveAttribute('aria-current', 'page')
  await dialog.getByRole('link', { name: 'Profile' }).click()
  await dialog.getByLabel('First name').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('First name is required')).toBeVisible()
  await dialog.getByLabel('First name').fill('Zoe')
  await dialog.getByLabel('Institution').fill('Helvik University')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('User has been updated.')).toBeVisible()
  await page.getByRole('link', { name: 'Zoe Quist' }).first().click()
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('link', { name: 'Delete user' }).click()
  await page.getByLabel('Type DELETE to confirm').fill('Delete')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByText('Please enter the confirmation text above')).toBeVisible()
  await page.getByLabel('Type DELETE to confirm').fill('DELETE')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByText('User "Zoe Quist" has been deleted')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('User "Zoe Quist" is back.')).toBeVisible()
})

test('C-087 pending users are selected and invited again; disabled ones cannot be', async ({ page }) => {
  await createInvitation(await aContext(currentProduct().db, { isOperator: true }), {
    email: 'yul@users.example',
    firstName: 'Yul',
    lastName: 'Quist',
    groups: ['learners'],
  })
  await haveSession(page, 'admin')
  await page.goto('/dashboard/users/?tab=pending&search=yul@users')
  await expect(page.getByRole('button', { name: 'Resend invites' })).toBeHidden()
  await page.getByLabel('Select Yul Quist').check()
  await page.getByRole('button', { name: 'Resend invites' }).click()
  await expect(page.getByText('The invitation is being sent again.')).toBeVisible()
  await expect(page.getByRole('link', { name: /^Pending Users \(/ })).toHaveAttribute('aria-current', 'page')
})

test('everybody found is assigned content with a due date, which is undone', async ({ page }) => {
  const { db } = currentProduct()
  for (const firstName of ['Una', 'Uri']) await aUser(db, { firstName, lastName: 'Dueling' })
  const module = await aModule(await aContext(db), { name: 'Dueling doses' })
  await haveSession(page, 'admin')
  await page.goto('/dashboard/users/?search=dueling')
  await page.getByLabel('Select Una Dueling').check()
  await page.getByRole('button', { name: 'Assign content to all 2 found' }).click()
  const dialog = page.getByRole('dialog', { name: 'Assign Content' })
  await expect(dialog.getByText('To 2 people')).toBeVisible()
  await dialog.getByLabel(/^Due date/).fill('2020-01-01')
  await dialog.getByLabel('Note').fill('Before the talk')
  await dialog.getByRole('searchbox', { name: 'Search modules and courses' }).fill('dueling')
  await dialog.getByRole('button', { name: 'Search' }).click()
  await dialog.getByLabel('Dueling doses').check()
  await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
  await expect(dialog.getByText('Please choose today or a later day.')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await dialog.getByLabel(/^Due date/).fill('2099-03-01')
  await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
  await expect(page.getByText('Assigned 1 item to 2 people.')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  const result = page.getByRole('dialog', { name: 'Assign Content' })
  await expect(result.getByText('2 people restored to what they had before')).toBeVisible()
  const rows = await db.selectFrom('module_assignments').select('id').where('module_id', '=', module.id).execute()
  expect(rows).toEqual([])
})

test.describe('in one browser', () => {
  test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED|Failed to load resource/] })

  test('C-086 C-168 C-264 the selection goes once content is assigned, Admin clears the plan, Resend has words offline, and View as counts down', async ({
    page,
    context,
  }) => {
    const { db } = currentProduct()
    const learner = await aUser(db, { firstName: 'Vera', lastName: 'Quist', email: 'vera@users.example' })
    await createInvitation(await aContext(db, { isOperator: true }), {
      email: 'una@users.example',
      firstName: 'Una',
      lastName: 'Quist',
      groups: ['learners'],
    })
    await haveSession(page, 'admin')
    await page.goto('/dashboard/users/?search=vera@users')
    // C-085: whoever has selected learners is not offered to invite.
    const invite = page.getByRole('link', { name: 'Invite User' })
    await expect(invite).toBeVisible()
    await page.getByLabel('Select Vera Quist').check()
    await expect(invite).toHaveCount(0)
    await page.getByRole('button', { name: 'Assign content' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox').first().check()
    await dialog
      .getByRole('button', { name: /^Assign/ })
      .last()
      .click()
    await expect(page.getByText('Assigned 1 item to 1 person.')).toBeVisible()
    await expect(page.getByLabel('Select Vera Quist')).not.toBeChecked()
    await expect(page.getByText('1 selected')).toBeHidden()

    await page.goto('/dashboard/users/?tab=pending&search=una@users')
    await page.getByLabel('Select Una Quist').check()
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Resend invites' }).click()
    await expect(page.getByText('Error resending user invitations. Please try again later.')).toBeVisible()
    await expect(page.getByLabel('Select Una Quist')).toBeChecked()
    await context.setOffline(false)
    await expect(invite).toBeVisible()

    await page.goto(`/dashboard/users/${learner.uid}/`)
    const plan = page.getByRole('dialog').getByRole('combobox', { name: /^Access plan/ })
    await expect(plan).not.toHaveValue('')
    await page.getByRole('checkbox', { name: /^Admin/ }).check()
    await expect(plan).toBeDisabled()
    await expect(plan).toHaveValue('')
    await page.getByRole('checkbox', { name: /^Admin/ }).uncheck()
    await expect(plan).toBeEnabled()
    await expect(plan).not.toHaveValue('')

    await test.step('C-262 C-265 deleting and inviting say that they failed, and the dialogs stay', async () => {
      await page.goto(`/dashboard/users/${learner.uid}/delete/`)
      await page.getByLabel('Type DELETE to confirm').fill('DELETE')
      await scriptsRun(page)
      await context.setOffline(true)
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await expect(page.getByText('Error deleting user. Please try again later.').first()).toBeVisible()
      await expect(page.getByLabel('Type DELETE to confirm')).toHaveValue('DELETE')
      await context.setOffline(false)
      await page.goto('/dashboard/users/invite/')
      const inviting = page.getByRole('dialog', { name: 'Invite User' })
      await inviting.getByLabel('First name').fill('Ivy')
      await inviting.getByLabel('Last name').fill('Quist')
      await inviting.getByLabel('Email address').fill('ivy@users.example')
      await inviting.getByRole('combobox', { name: 'Institution' }).fill('Helvik University')
      await inviting.getByRole('combobox', { name: 'Access plan' }).selectOption({ index: 1 })
      await scriptsRun(page)
      await context.setOffline(true)
      await inviting.getByRole('button', { name: 'Invite', exact: true }).click()
      await expect(page.getByText('Error inviting user. Please try again later.').first()).toBeVisible()
      await expect(inviting.getByLabel('First name')).toHaveValue('Ivy')
      await context.setOffline(false)
    })

    await test.step('C-036 C-156 C-212 C-255 a message stays open beside a click, on Escape and when it cannot be saved', async () => {
      await page.setViewportSize({ width: 1920, height: 1080 })
      await page.goto('/dashboard/messages/new/')
      await scriptsRun(page)
      const writing = page.getByRole('dialog', { name: 'Create Message' })
      const panel = writing.locator('.dlg')
      expect((await panel.boundingBox())?.width).toBeGreaterThanOrEqual(1200)
      await writing.getByLabel('Name', { exact: true }).fill('News')
      await writing.getByLabel('Subject', { exact: true }).fill('Hello')
      await writing.getByRole('textbox', { name: 'Message text' }).click()
      await page.keyboard.type('Good to see you.')
      await page.mouse.click(20, 500)
      await expect(panel).toBeVisible()
      await page.keyboard.press('Escape')
      await page.getByRole('alertdialog').getByRole('button', { name: 'NO' }).click()
      await context.setOffline(true)
      await writing.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByText('Error saving message. Please try again later.').first()).toBeVisible()
      await expect(writing.getByLabel('Name', { exact: true })).toHaveValue('News')
      await context.setOffline(false)
      await writing.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByText('Message "News" has been created.')).toBeVisible()
      await expect(page.getByRole('link', { name: 'News', exact: true })).toBeVisible()
      await page.setViewportSize({ width: 1440, height: 900 })
    })

    await page.goto(`/dashboard/users/${learner.uid}/view-as/`)
    await page.getByRole('button', { name: 'View as' }).click()
    const banner = page.getByRole('region', { name: 'View as' })
    await expect(banner).toContainText('You are viewing as Vera Quist. Nothing can be changed.')
    await expect(page).toHaveURL(/\/home\//)
    await expect(banner).toContainText('29:5')
    const atFirst = await banner.innerText()
    await expect.poll(() => banner.innerText(), 'it counts down').not.toBe(atFirst)
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page)
    await banner.getByRole('button', { name: 'Stop' }).click()
    await expect(page.getByRole('heading', { name: 'Vera Quist' })).toBeVisible()
  })
})
