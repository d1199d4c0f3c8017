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
  const form = await (await page.request.get('/login/')).text()
  const answer = await page.request.post('/login/', {
    form: {
      csrf: /name="csrf" value="([^"]+)"/.exec(form)?.[1] ?? '',
      username: emailOf(person, site),
      password: demoPassword(),
      terms: 'on',
    },
    maxRedirects: 0,
  })
  expect(answer.headers().location).toBe(person === 'admin' ? '/dashboard/' : '/home/')
}
