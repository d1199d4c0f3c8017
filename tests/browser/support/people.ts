import type { Page } from '@playwright/test'
import type { SiteKey } from '~/config/brands.ts'
import { createSession } from '~/services/sessions/sessions.server.ts'
import { aContext } from '../../support/context.ts'
import { currentProduct } from './product.ts'

export type DemoPerson = 'learner' | 'instructor' | 'author' | 'admin'

export function demoPassword(): string {
  const password = process.env.TEST_DEMO_PASSWORD
  if (!password) throw new Error('TEST_DEMO_PASSWORD is not set: the browser tests’ global setup has not run')
  return password
}

export function emailOf(person: DemoPerson, site: SiteKey = 'institutional'): string {
  return `${person}@${site === 'ns' ? 'ns.' : ''}titrate.example`
}

/** Signs in as one of the demo people through the form, as a person would. Works without JavaScript too. */
export async function signIn(page: Page, person: DemoPerson, site: SiteKey = 'institutional'): Promise<void> {
  await page.goto('/login/')
  await fillSignIn(page, person, site)
  await page.waitForURL(person === 'admin' ? '**/dashboard/**' : '**/home/')
}

/** Fills in and submits the sign-in form that is open. */
export async function fillSignIn(page: Page, person: DemoPerson, site: SiteKey = 'institutional'): Promise<void> {
  await page.getByLabel('Email').fill(emailOf(person, site))
  await page.getByLabel('Password', { exact: true }).fill(demoPassword())
  await page.getByLabel(/I agree to the/).check()
  await page.getByRole('button', { name: 'Log In' }).click()
}

/** Gives the page a session of this person, and opens the page that follows sign-in. */
export async function enter(page: Page, person: DemoPerson, site: SiteKey = 'institutional'): Promise<void> {
  await haveSession(page, person, site)
  await page.goto(person === 'admin' ? '/dashboard/modules/' : '/home/')
}

/** Gives a page the session that the form would give, without the form: for tests of something else. */
export async function haveSession(page: Page, person: DemoPerson, site: SiteKey = 'institutional'): Promise<void> {
  await haveSessionOf(page, emailOf(person, site), site)
}

/** Gives a page a session of the person with this address. */
export async function haveSessionOf(page: Page, email: string, site: SiteKey = 'institutional'): Promise<void> {
  const { db, origin, nsOrigin } = currentProduct()
  const ctx = await aContext(db, { site })
  const { uid: userUid } = await db
    .selectFrom('users')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('email_key', '=', email.toLowerCase())
    .executeTakeFirstOrThrow()
  const { id: value } = await createSession(ctx, { userUid, agent: null })
  const { hostname: domain } = new URL(site === 'ns' ? nsOrigin : origin)
  const cookie = { name: 'titrate_session', value, domain, path: '/', httpOnly: true, sameSite: 'Lax' } as const
  await page.context().addCookies([cookie])
}
