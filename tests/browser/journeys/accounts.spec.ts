/** From outside into the learner area: sign-in, a new password, an invitation, the questionnaire. */
import type { Page } from '@playwright/test'
import type { Hand } from '../support/hands.ts'
import { expect, journey } from '../support/journey.ts'
import { mailedLink } from '../support/mails.ts'

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })

async function logIn({ page, type, choose, press }: Hand, email: string, password: string): Promise<void> {
  await type(page.getByLabel('Email'), email)
  await type(page.getByLabel('Password', { exact: true }), password)
  await choose(page.getByRole('checkbox', { name: /I agree to the/ }))
  await press(page.getByRole('button', { name: 'Log In' }))
}

journey('sign in', 'keyboard only', async (hand, { crowd }) => {
  const { page, press, reach } = hand
  const person = await crowd.aLearner()
  await page.goto('/my-learning/saved/')
  await page.waitForURL('**/login/?next=%2Fmy-learning%2Fsaved%2F')
  await reach(heading(page, 'Log In'))
  await logIn(hand, person.email, person.password)
  await page.waitForURL('**/my-learning/saved/')
  await reach(heading(page, 'Saved'))
  await press(page.getByLabel('Account menu'))
  await press(page.locator('details.menu[open]').getByRole('button', { name: 'Logout' }))
  await page.waitForURL('**/login/')
  await reach(heading(page, 'Log In'))
})

journey('reset', '320 px, reduced motion', async (hand, { crowd, product }) => {
  const { page, press, reach, type } = hand
  const person = await crowd.aLearner()
  await page.goto('/login/')
  await reach(heading(page, 'Log In'))
  await press(page.getByRole('link', { name: 'Forgot password?' }))
  await reach(heading(page, 'Request Password Reset'))
  await type(page.getByLabel('Email'), person.email)
  await press(page.getByRole('button', { name: 'Send Link' }))
  await reach(page.getByText('If an account exists for this email address, you will receive a message with a link'))

  await page.goto(await mailedLink(product, person.email, 'reset-password'))
  await reach(heading(page, 'Reset Password'))
  await type(page.getByLabel('New password'), 'Solution8Drop')
  await type(page.getByLabel('Confirm password'), 'Solution8Drop')
  await press(page.getByRole('button', { name: 'Reset Password' }))
  await reach(page.getByText('Your password has been reset.'))
  await press(page.getByRole('main').getByRole('link', { name: 'Log In' }))
  await reach(heading(page, 'Log In'))
  await logIn(hand, person.email, 'Solution8Drop')
  await page.waitForURL('**/home/')
  await reach(heading(page, /Welcome, Mara/))
})

journey(
  'C-164 C-006 accept an invitation',
  '320 px, reduced motion',
  async ({ page, press, reach, type, choose }, { crowd, product }) => {
    const { email, firstName } = await crowd.anInvitee()
    await page.goto(await mailedLink(product, email, 'confirm-invitation'))
    await reach(heading(page, 'Confirm Invitation'))
    await type(page.getByLabel('Password', { exact: true }), 'Titration7')
    await type(page.getByLabel('Confirm password'), 'Titration7')
    await choose(page.getByRole('checkbox'))
    await press(page.getByRole('button', { name: 'Confirm' }))
    await page.waitForURL('**/questionnaire/**')
    await reach(heading(page, `Welcome, ${firstName}`))
  },
)

journey('questionnaire', 'keyboard only', async ({ page, press, reach, type, choose }, { crowd, comeAs }) => {
  await comeAs(await crowd.aLearner({ isNew: true }))
  await page.goto('/modules/?phase=discover')
  await reach(page.getByRole('dialog', { name: 'Welcome, Mara' }))
  const question = (name: string) => page.getByRole('group', { name })
  const answer = async (name: string, ...options: string[]) => {
    for (const option of options) await choose(question(name).getByLabel(option, { exact: true }))
  }
  await answer('Institution or company', 'Other')
  await type(question('Institution or company').getByLabel('Your answer'), 'A hospital')
  await answer('Current position', 'Research scientist')
  await answer('Type of research engaged in', 'Basic research')
  await press(page.getByRole('button', { name: 'Save' }))
  await reach(page.getByText('Your answers have been saved. Complete all required questions to continue.').first())
  await answer('Modality your translational', 'Vaccine')
  await answer('Geographical region', 'Europe')
  await answer('Steps of drug development', 'Regulation and approval', 'Animal and safety studies')
  await press(page.getByRole('button', { name: 'Save' }))
  await page.waitForURL('**/modules/?phase=discover')
  await reach(heading(page, 'Modules'))
  await expect(page.getByRole('dialog')).toHaveCount(0)
})
