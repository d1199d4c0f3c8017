/** Sends the messages of the demo's year, and lets people open them. */
import { brands } from '../../app/config/brands.ts'
import { markClicked, markOpened } from '../../app/services/announcements/announcements.server.ts'
import { sendDashboardAnnouncement } from '../../app/services/announcements/send-announcement.server.ts'
import { inTransaction } from '../../db/transaction.server.ts'
import { uidOf } from '../demo-parts.ts'
import { type DemoSite, dayBefore, minuteMs, viewerAt } from './demo-site.ts'
import type { YearMessage } from './messages.ts'
import { isThere } from './people.ts'
import { adaJoined } from './plan.ts'
import { randomOf } from './random.ts'

/** Sends a message and records who opened it and followed its link, in one transaction. */
export async function sendToAll(demo: DemoSite, message: YearMessage): Promise<void> {
  const { slug, daysAgo, subject, text, opened, clicked } = message
  const names = [
    ...(adaJoined > daysAgo ? ['learner'] : []),
    ...demo.people.filter((person) => isThere(person, daysAgo)).map(({ name }) => name),
  ]
  const recipients = names.flatMap((name) => {
    const userUid = demo.accounts.get(name)
    return userUid ? [{ name, userUid }] : []
  })
  if (recipients.length === 0) return
  const uid = uidOf(demo.ctx, 'message', slug)
  await inTransaction({ ...demo.ctx, now: dayBefore(demo, daysAgo) }, async (ctx) => {
    const { isNew } = await sendDashboardAnnouncement(ctx, {
      uid,
      subject,
      text: text((address) => `${ctx.site.baseUrl}${address}`),
      from: `The ${brands[ctx.site.key].name} team`,
      userUids: recipients.map(({ userUid }) => userUid),
      attachment: null,
    })
    if (!isNew) return
    for (const { name, userUid } of recipients) {
      const random = randomOf(`${slug}|${name}`)
      if (name !== 'learner' && !random.isLucky(opened)) continue
      const at = new Date(ctx.now.getTime() + random.between(30, 3 * 24 * 60) * minuteMs)
      const reader = await viewerAt(ctx, userUid, at)
      if (!reader) continue
      await (random.isLucky(clicked) ? markClicked(reader, { uid }) : markOpened(reader, { uid }))
    }
  })
}
