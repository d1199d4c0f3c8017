import { expect, type Page } from '@playwright/test'

export type DemoPerson = 'learner' | 'instructor' | 'author' | 'admin'

export function demoPassword(): string {
  const password = process.env.TEST_DEMO_PASSWORD
  if (!password) throw new Error('TEST_DEMO_PASSWORD is not set: the browser tests’ global setup has not run')
  return password
}

export function emailOf(person: DemoPerson, site: 'institutional' | 'ns' = 'institutional'): string {
  return `${person}@${site === 'ns' ? 'ns.' : ''}titrate.example`
}

/** Signs in as one of the demo people through the form, as a person would; works without JavaScript too. */
export async function signIn(
  page: Page,
  person: DemoPerson,
  site: 'institutional' | 'ns' = 'institutional',
): Promise<void> {
  await page.goto('/login/')
  await page.getByLabel('Email').fill(emailOf(person, site))
  await page.getByLabel('Password', { exact: true }).fill(demoPassword())
  await page.getByLabel(/I agree to the/).check()
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL(person === 'admin' ? '**/dashboard/**' : '**/home/')
}

/** The session that the form would give, by the same post but without its pages: for tests of something else. */
export async function haveSession(
  page: Page,
  person: DemoPerson,
  site: 'institutional' | 'ns' = 'institutional',
): Promise<void> {
  // From within the browser, which knows ns.localhost where Node does not.
  await page.goto('/healthz')
  const landing = await page.evaluate(
    async ({ username, password }) => {
      const form = await (await fetch('/login/')).text()
      const csrf = /name="csrf" value="([^"]+)"/.exec(form)?.[1] ?? ''
      const body = new URLSearchParams({ csrf, username, password, terms: 'on', intent: 'login' })
      const { url } = await fetch('/login/', { method: 'POST', body })
      return new URL(url).pathname
    },
    { username: emailOf(person, site), password: demoPassword() },
  )
  expect(landing).toBe(person === 'admin' ? '/dashboard/modules/' : '/home/')
}
