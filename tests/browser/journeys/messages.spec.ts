/**
 * An admin writes a message, chooses 300 people by a filter and an audience, tests it, plans it, changes her mind and
 * sends it. She stops it halfway and goes on. One of its readers ends such emails with the button of the mail program, and
 * reads a copy on the dashboard. In the end four messages are compared.
 */
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { expect } from '@playwright/test'
import { deliveryLabels } from '~/forms/announcements.ts'
import { localTimeOf } from '~/lib/zoned-time.ts'
import { anAnnouncement } from '../../support/announcements.ts'
import { aContext } from '../../support/context.ts'
import { isLong } from '../../support/long.ts'
import { manyPeople } from '../../support/messages.ts'
import type { Hand } from '../support/hands.ts'
import { journey } from '../support/journey.ts'
import { test } from '../support/server.ts'

const dayMs = 86_400_000
const list = '/dashboard/messages/'

// Slow enough to stop it halfway.
test.use({ usesSmtp: true, settings: { MAIL_PER_SECOND: '30' } })

// By keyboard it takes almost a minute, so that way is part of the long run.
// tests/http/message-journey.test.ts does the same without JavaScript.
journey('messages', [], async (hand, { crowd, product, site, smtp, comeAs }) => {
  const { page, press, reach, type, choose, hasScripts } = hand
  const mark = `N${randomUUID().slice(0, 6)}`
  const named = (name: string) => `${name} ${mark}`
  const [admin, learner] = [await crowd.anAdmin(), await crowd.aLearner()]
  const ctx = await aContext(product.db, { site, viewer: admin })
  const count = isLong ? 40_000 : 2000
  const { audience } = await manyPeople(ctx, { count, firstName: mark, reader: learner })
  for (const subject of ['Older news', 'Oldest news']) {
    await anAnnouncement(product.db, [learner], { subject: named(subject) })
  }
  const mails = () => smtp.received.filter(({ headers }) => headers.get('subject') === named('For those who teach'))
  await comeAs(admin)

  await page.goto(list)
  await press(page.getByRole('link', { name: 'CREATE MESSAGE' }))
  await reach(page.getByLabel('Name', { exact: true }))
  await type(page.getByLabel('Name', { exact: true }), named('Teaching'))
  await choose(page.getByRole('radio', { name: deliveryLabels.email }))
  await type(page.getByLabel('Subject', { exact: true }), named('For those who teach'))
  if (hasScripts) await expect(page.locator('.editor-text')).toBeVisible()
  await type(page.getByRole('textbox', { name: 'Message text' }), 'The laboratory moves on Monday.')

  await press(page.getByRole('button', { name: 'Preview', exact: true }))
  await reach(page.getByRole('heading', { name: 'Preview Message' }))
  await press(page.getByRole('button', { name: 'Send a test to yourself' }))
  await reach(page.getByText(`A test is on its way to ${admin.email}.`).first())
  await press(page.getByRole('button', { name: 'Return to Create Message' }))
  await press(page.getByRole('button', { name: 'Next', exact: true }))

  await choosePeople(hand, { search: mark, audience })
  await press(page.getByRole('button', { name: 'Review', exact: true }))
  const send = page.getByRole('button', { name: 'Send to 300 recipients' })
  await reach(send)
  await choose(page.getByRole('radio', { name: 'Send it at this time' }))
  const tomorrow = localTimeOf(new Date(Date.now() + dayMs), ctx.site.timeZone)
  await page.getByLabel('Send at').fill(tomorrow)
  await press(hasScripts ? page.getByRole('button', { name: 'Schedule for 300 recipients' }) : send)
  await reach(page.getByText(`Message "${named('Teaching')}" has been scheduled.`).first())
  await openMessage(hand, named('Teaching'))
  await press(page.getByRole('button', { name: 'Cancel the schedule' }))
  await reach(page.getByText('The schedule has been canceled.').first())
  expect(mails()).toEqual([])

  const uid = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(page.url())?.[0] ?? ''
  await page.goto(`${list}${uid}/?step=review`)
  await reach(send)
  await choose(page.getByRole('radio', { name: 'Send it now' }))
  await press(send)
  await reach(page.getByText(`Message "${named('Teaching')}" is being sent`).first())
  await openMessage(hand, named('Teaching'))
  await press(page.getByRole('button', { name: 'Stop', exact: true }))
  await reach(page.getByText('Sending has stopped.').first())
  expect(mails().length).toBeLessThan(300)
  await press(page.getByRole('button', { name: 'Resume', exact: true }))
  await reach(page.getByText('Sending has resumed.').first())
  await expect(async () => expect(mails()).toHaveLength(300)).toPass({ timeout: 30_000 })
  expect(new Set(mails().map(({ to }) => to[0])).size).toBe(300)

  const mail = mails().find(({ to }) => to[0] === learner.email)
  expect(mail?.text).toContain('The laboratory moves on Monday.')
  await pressUnsubscribe(mail?.headers.get('list-unsubscribe') ?? '')
  await page.goto(`${list}${uid}/`)
  await reach(page.getByText('One person has unsubscribed with the link in the email.'))

  await press(page.getByRole('link', { name: 'Duplicate', exact: true }))
  await reach(page.getByRole('radio', { name: deliveryLabels.dashboard }))
  await choose(page.getByRole('radio', { name: deliveryLabels.dashboard }))
  await press(page.getByRole('button', { name: 'Next', exact: true }))
  await reach(page.getByRole('heading', { name: 'Recipients (300)' }))
  await press(page.getByRole('button', { name: 'Review', exact: true }))
  await reach(send)
  await press(send)
  await reach(page.getByText(`Message "${named('Copy of Teaching')}" has been sent.`).first())

  await compareFour(hand, mark, ['Teaching', 'Copy of Teaching', 'Older news', 'Oldest news'].map(named))

  await comeAs(learner)
  await page.goto('/my-learning/my-messages/')
  const subject = named('For those who teach')
  await expect(page.getByRole('link', { name: subject })).toHaveCount(1)
  await press(page.getByRole('link', { name: subject }))
  await reach(page.getByRole('heading', { level: 2, name: subject }))
  await expect(page.locator('.prose')).toHaveText('The laboratory moves on Monday.')
})

/** Adds everybody whom a filter and a search find, and an audience. */
async function choosePeople(hand: Hand, { search, audience }: { search: string; audience: string }): Promise<void> {
  const { page, press, reach, type, choose, pick, hasScripts } = hand
  const people = page.getByRole('region', { name: 'People to choose from' })
  await reach(people.getByLabel('Search name or email'))
  await press(people.getByRole('button', { name: 'Status', exact: true }))
  const filter = page.locator('.popover:popover-open')
  await choose(filter.getByRole('checkbox', { name: 'Registered and Inactive' }))
  if (hasScripts) await page.keyboard.press('Escape')
  else await press(filter.getByRole('button', { name: 'Apply' }))
  await reach(people.getByRole('button', { name: 'Status: Registered and Inactive' }))
  await type(people.getByLabel('Search name or email'), search)
  await press(people.getByRole('button', { name: 'Search', exact: true }))
  await press(people.getByRole('button', { name: 'Add all 200 found' }))
  await reach(page.getByRole('heading', { name: 'Recipients (200)' }))
  await pick(page.getByLabel('Audience', { exact: true }), audience)
  await press(page.getByRole('button', { name: 'Add', exact: true }))
  await reach(page.getByRole('heading', { name: 'Recipients (300)' }))
}

async function openMessage({ page, reach, press }: Hand, name: string): Promise<void> {
  const link = page.getByRole('link', { name, exact: true })
  await reach(link)
  await press(link)
}

async function compareFour(hand: Hand, search: string, names: string[]): Promise<void> {
  const { page, press, reach } = hand
  await page.goto(`${list}?search=${search}`)
  await reach(page.getByRole('heading', { level: 1, name: 'Manage Messages' }))
  for (const name of names) await hand.choose(page.getByRole('checkbox', { name: `Select ${name}`, exact: true }))
  await press(page.getByRole('button', { name: 'COMPARE' }))
  await reach(page.getByRole('heading', { name: 'Message Comparison' }))
  for (const name of names) await reach(page.getByRole('heading', { level: 3, name, exact: true }))
}

/** Does what the button of a mail program does: a POST without cookies (RFC 8058). Node does not resolve ns.localhost. */
async function pressUnsubscribe(header: string): Promise<void> {
  const { host, port, pathname } = new URL(/^<(.*)>$/.exec(header)?.[1] ?? '')
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' }
  const status = await new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path: pathname, method: 'POST', headers }, (reply) => {
      reply.resume()
      resolve(reply.statusCode)
    })
    request.on('error', reject)
    request.end('List-Unsubscribe=One-Click')
  })
  expect(status).toBe(200)
}
