import { redirect } from '@remix-run/node'
import type { Exchange } from '~/http/exchange.server.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import type { OwnAnnouncement } from '~/services/announcements/announcements.server.ts'
import type { Ctx } from '~/services/context.ts'
import { ownLearningOf } from './own-learning.server.ts'

/** Redirects to the first part of My Learning if the site has no announcements. */
export async function requireMessages(ctx: Ctx, exchange: Exchange): Promise<void> {
  const { flags } = await ownLearningOf(ctx, exchange)
  if (!flags.includes('ANNOUNCEMENTS')) throw redirect('/my-learning/in-progress/')
}

export function attachmentView({ attachment }: OwnAnnouncement) {
  if (!attachment) return null
  const { name, originalFileName, size } = attachment
  return { name: originalFileName, size: formatFileSize(size), address: fileAddress(name) }
}
