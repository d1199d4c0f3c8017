import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  type NewDashboardAnnouncement,
  sendDashboardAnnouncement,
} from '~/services/announcements/send-announcement.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { receiveUpload } from '~/services/uploads/uploads.server.ts'
import type { Database } from '~db/client.server.ts'
import { aContext } from './context.ts'

type TestFile = { fileName: string; source: Readable }

/** Sends a message to the dashboards of these people, on the site of the first one. Returns its uid. */
export async function anAnnouncement(
  db: Database,
  to: Viewer[],
  values: Partial<Omit<NewDashboardAnnouncement, 'attachment'>> & { attachment?: TestFile; now?: Date } = {},
): Promise<string> {
  const { now, attachment, ...input } = values
  const ctx = await operatorOf(db, to[0], now)
  const { announcementUid } = await sendDashboardAnnouncement(ctx, {
    uid: randomUUID(),
    subject: 'News',
    text: 'Something is new.',
    from: 'The Titrate team',
    userUids: to.map(({ uid }) => uid),
    attachment: attachment ? (await receiveUpload(ctx, { kind: 'attachment', ...attachment })).name : null,
    ...input,
  })
  return announcementUid
}

async function operatorOf(db: Database, person: Viewer | undefined, now?: Date): Promise<Ctx> {
  const options = { isOperator: true, ...(now && { now }) }
  const ctx = await aContext(db, { ...options })
  return person && person.siteId !== ctx.site.id ? aContext(db, { site: 'ns', ...options }) : ctx
}
