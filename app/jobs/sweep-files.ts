import type { Ctx } from '~/services/context.ts'
import { failPackagesThatAreStuck } from '~/services/packages/packages.server.ts'
import { sweepUploads } from '~/services/uploads/sweep.server.ts'
import { sweepAttachments } from '~/services/xapi/xapi.server.ts'

export async function sweepFiles(ctx: Ctx): Promise<void> {
  const swept = { ...(await sweepUploads(ctx)), attachments: await sweepAttachments(ctx) }
  if (Object.values(swept).some((count) => count > 0)) ctx.log.info(swept, 'files swept')
}

export async function failStuckPackages(ctx: Ctx): Promise<void> {
  const failed = await failPackagesThatAreStuck(ctx)
  if (failed > 0) ctx.log.warn({ failed }, 'packages that nobody reads any more were given up')
}
