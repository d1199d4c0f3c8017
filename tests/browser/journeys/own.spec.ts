/**
 * The person's own things: saved content, profile and messages. The account menu leads to all of them at every width.
 */
import type { Page } from '@playwright/test'
import type { Hand } from '../support/hands.ts'
import { expect, journey } from '../support/journey.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

async function openMenu({ page, press, reach }: Hand): Promise<void> {
  await press(page.getByLabel(/^Account menu/))
  await reach(page.locator('details.menu[open]'))
}

journey('favorite', '320 px, reduced motion', async (hand, { crowd, comeAs }) => {
  const { page, press, reach, isNarrow } = hand
  const course = 'From a Question to the First Dose'
  await comeAs(await crowd.aLearner())
  await page.goto('/courses/')
  await reach(heading(page, 'Courses'))
  const save = page.getByRole('button', { name: `Save ${course}` })
  // The button changes at once, before the change is recorded.
  const recorded = page.waitForResponse(
    (answer) => /\/favourites(\/|\.data)/.test(answer.url()) && answer.request().method() === 'POST',
  )
  await press(save)
  await expect(save).toHaveAttribute('aria-pressed', 'true')
  await recorded
  await openMenu(hand)
  await press(page.locator('details.menu[open]').getByRole('link', { name: 'My Learning' }))
  await page.waitForURL('**/my-learning/in-progress/')
  await reach(heading(page, 'In Progress'))
  if (isNarrow) await press(page.getByRole('main').locator('summary', { hasText: 'In Progress' }))
  await press(page.getByRole('navigation', { name: 'My Learning' }).getByRole('link', { name: /^Saved/ }))
  await page.waitForURL('**/my-learning/saved/')
  await reach(page.getByRole('link', { name: course, exact: true }))
  await press(save)
  await reach(page.getByText('You have no saved items yet'))
})

journey('profile', 'keyboard only', async (hand, { crowd, comeAs }) => {
  const { page, press, reach, type, choose, hasScripts } = hand
  await comeAs(await crowd.aLearner())
  await page.goto('/courses/')
  await reach(heading(page, 'Courses'))
  await openMenu(hand)
  await press(page.locator('details.menu[open]').getByRole('link', { name: 'Profile', exact: true }))
  // With scripts a dialog over the page; without them the page that the link opens.
  const place = hasScripts ? page.getByRole('dialog', { name: 'Learner Profile' }) : page.getByRole('main')
  await reach(place.getByText('Lindqvist'))
  await press(place.getByRole(hasScripts ? 'button' : 'link', { name: 'Edit' }))
  await reach(place.getByLabel('Last name'))
  await type(place.getByLabel('Last name'), 'Okonkwo-Lindqvist')
  const position = place.getByRole('group', { name: 'Current position' })
  await choose(position.getByLabel('Other', { exact: true }))
  await type(position.getByLabel('Your answer'), 'Nurse')
  await press(place.getByRole('button', { name: 'Save' }))
  await reach(page.getByText('User has been updated.'))
  await expect(place.getByText('Okonkwo-Lindqvist')).toBeVisible()
  await expect(place.getByText('Nurse')).toBeVisible()
  if (hasScripts) await press(place.getByRole('button', { name: 'Close' }))
  await openMenu(hand)
  await expect(page.locator('details.menu[open]')).toContainText('Welcome Mara')
})

journey('message', '320 px, reduced motion', async (hand, { crowd, comeAs }) => {
  const { page, press, reach } = hand
  const subject = 'The laboratory moves on Monday'
  const person = await crowd.aLearner()
  await crowd.sendMessage(person, { subject, text: 'Take **everything** along.' })
  await comeAs(person)
  await page.goto('/courses/')
  await reach(page.getByLabel('Account menu, 1 unread message'))
  await openMenu(hand)
  await press(page.locator('details.menu[open]').getByRole('link', { name: /^My Messages/ }))
  await page.waitForURL('**/my-learning/my-messages/')
  await reach(heading(page, 'My Messages'))
  await expect(page.locator('.messages .is-unread')).toHaveCount(1)
  await press(page.getByRole('link', { name: subject }))
  await reach(page.getByRole('heading', { level: 2, name: subject }))
  await expect(page.locator('.prose strong')).toHaveText('everything')
  await press(page.getByRole('button', { name: 'Pin to the top' }))
  await reach(page.getByRole('button', { name: 'Unpin' }))
  await press(page.getByRole('link', { name: 'All messages' }))
  await reach(page.locator('.messages > li', { hasText: subject }))
  await expect(page.locator('.messages > li').first()).toContainText('Pinned')
  await expect(page.locator('.messages .is-unread')).toHaveCount(0)
  await expect(page.getByLabel('Account menu', { exact: true })).toBeVisible()
})
