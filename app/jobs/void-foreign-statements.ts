import { voidForeignStatements } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import type { Jobs } from '~/services/queue/queue.server.ts'

export async function voidForeignStatementsJob(ctx: Ctx, payload: Jobs['void-foreign-statements']): Promise<void> {
  const voided = await voidForeignStatements(ctx, payload)
  if (voided > 0) ctx.log.info({ voided }, 'statements that break the rules of cmi5 were voided')
}
