/** Drafts of forms: what a closed tab, a crash or another device leaves. */
import type { Page, Request } from '@playwright/test'
import { isLong } from '../support/long.ts'
import { expectAccessible } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

const path = '/dashboard/courses/new/'
const dialogIn = (page: Page) => page.getByRole('dialog', { name: 'Create Course' })

async function open(page: Page): Promise<Page> {
  await page.goto(path)
  await expect(dialogIn(page).getByLabel('Name', { exact: true })).toBeVisible()
  return page
}

async function restore(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Restore changes' }).click()
  await expect(page.getByText(/Your unsaved changes from .* are back/)).toBeVisible()
}

/** As when the browser ends: nothing is asked, and the page does nothing more. */
const kill = (page: Page) => page.close({ runBeforeUnload: false })

test('what was typed is offered after a closed tab, restored with the parts of the course, and saved once', async ({
  page,
  context,
}) => {
  await haveSession(page, 'author')
  const first = dialogIn(await open(await context.newPage()))
  await first.getByLabel('Name', { exact: true }).fill('Half a Course')
  await first.getByRole('tab', { name: 'Sections' }).click()
  await first.getByRole('button', { name: 'Add section' }).click()
  await first.getByLabel('Section name').fill('Basics')
  await kill(first.page())

  await open(page)
  const again = dialogIn(page)
  await expect(again.getByText(/You have unsaved changes from/)).toBeVisible()
  await expectAccessible(page)
  await restore(page)
  await expect(again.getByLabel('Name', { exact: true })).toHaveValue('Half a Course')
  await again.getByRole('tab', { name: 'Sections' }).click()
  await expect(again.getByLabel('Section name')).toHaveValue('Basics')
  await again.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Course "Half a Course" has been created.')).toBeVisible()
  await open(page)
  await expect(page.getByRole('button', { name: 'Restore changes' })).toBeHidden()
})

test('another device has what was typed, without a save; giving up and discarding delete it everywhere', async ({
  page,
  newContext,
}) => {
  await haveSession(page, 'author')
  const other = await (await newContext()).newPage()
  await haveSession(other, 'author')
  const name = () => dialogIn(page).getByLabel('Name', { exact: true })
  await open(page)
  const sent = page.waitForResponse((answer) => answer.url().endsWith('/dashboard/drafts/') && answer.status() === 204)
  await name().fill('On the Train')
  await sent
  await open(other)
  // The question stays until it is answered, although the page is still loading when it is asked.
  const afterRestoring = (request: Request) => request.method() === 'GET' && /\/courses\/new\.data/.test(request.url())
  const loaded = other.waitForResponse((answer) => afterRestoring(answer.request()))
  await other.route('**/courses/new.data*', async (route) => {
    if (afterRestoring(route.request())) await expect(other.getByRole('button', { name: 'YES' })).toBeVisible()
    await route.continue()
  })
  await restore(other)
  await expect(dialogIn(other).getByLabel('Name', { exact: true })).toHaveValue('On the Train')
  await dialogIn(other).getByRole('link', { name: 'Close' }).click()
  await loaded
  await expect.poll(() => other.evaluate(() => window.__remixRouter.state.navigation.state)).toBe('idle')
  await other.getByRole('button', { name: 'YES' }).click()
  await expect(dialogIn(other).getByLabel('Name', { exact: true })).toBeHidden()

  // The page that is still open on the first device keeps its own copy until that is discarded.
  await kill(page)
  const later = await page.context().newPage()
  await open(later)
  await later.getByRole('button', { name: 'Discard changes' }).click()
  await expect(later.getByRole('button', { name: 'Discard changes' })).toBeHidden()
  await expect(dialogIn(later).getByLabel('Name', { exact: true })).toHaveValue('')
  await open(later)
  await expect(later.getByRole('button', { name: 'Discard changes' })).toBeHidden()
})

/** Returns a text that depends only on the seed, of some of the characters that people type. */
function someText(seed: number, length: number): string {
  const characters = [...'abcdefg hijk–lmnopqrs “tuvwxyz” éßλ🧬0123456789,;.!&<>"']
  let state = seed + 1
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return characters[state % characters.length]
  }
  // Fields trim what they show again.
  return `x${Array.from({ length }, next).join('')}x`
}

test('interruptions in the middle of typing lose no character', async ({ page, context }) => {
  const times = isLong ? 200 : 2
  test.setTimeout(60_000 + times * 6_000)
  await haveSession(page, 'author')
  const labels = ['Name', 'Synopsis (optional)', 'Description (optional)']
  const typed = new Map(labels.map((label) => [label, '']))
  for (let round = 0; round < times; round++) {
    const tab = await open(await context.newPage())
    if (round > 0) {
      await restore(tab)
      for (const [label, value] of typed) {
        await expect(dialogIn(tab).getByRole('textbox', { name: label, exact: true })).toHaveValue(value)
      }
    }
    for (let field = 0; field < 3; field++) {
      const label = labels[(round + field) % 3] ?? 'Name'
      const text = someText(round * 3 + field, 5 + ((round * 7) % 20))
      const box = dialogIn(tab).getByRole('textbox', { name: label, exact: true })
      await box.fill('')
      await box.pressSequentially(text)
      typed.set(label, text)
    }
    await kill(tab)
  }
})
