import type { Ctx } from '~/services/context.ts'
import { failPackagesThatAreStuck } from '~/services/packages/packages.server.ts'
import { sweepUploads } from '~/services/uploads/sweep.server.ts'

export async function sweepFiles(ctx: Ctx): Promise<void> {
  const swept = await sweepUploads(ctx)
  if (swept.files + swept.uploads + swept.strays > 0) ctx.log.info(swept, 'files swept')
}

export async function failStuckPackages(ctx: Ctx): Promise<void> {
  const failed = await failPackagesThatAreStuck(ctx)
  if (failed > 0) ctx.log.warn({ failed }, 'packages that nobody reads any more were given up')
}
