import { randomUUID } from 'node:crypto'
import {
  type OperatorAnnouncement,
  sendDashboardAnnouncementAsOperator,
} from '~/services/announcements/operator.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import type { Database } from '~db/client.server.ts'
import { aContext } from './context.ts'

/** Sends a message to the dashboards of these people, on the site of the first; returns its uid. */
export async function anAnnouncement(
  db: Database,
  to: Viewer[],
  values: Partial<OperatorAnnouncement> & { now?: Date } = {},
): Promise<string> {
  const { now, ...input } = values
  const ctx = await operatorOf(db, to[0], now)
  const { announcementUid } = await sendDashboardAnnouncementAsOperator(ctx, {
    uid: randomUUID(),
    subject: 'News',
    text: 'Something is new.',
    from: 'The Titrate team',
    userUids: to.map(({ uid }) => uid),
    ...input,
  })
  return announcementUid
}

async function operatorOf(db: Database, person: Viewer | undefined, now?: Date): Promise<Ctx> {
  const options = now && { now }
  const ctx = await aContext(db, { ...options })
  return person && person.siteId !== ctx.site.id ? aContext(db, { site: 'ns', ...options }) : ctx
}
