import { moveLearners } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'

export async function moveLearnersJob(ctx: Ctx, payload: Parameters<typeof moveLearners>[1]): Promise<void> {
  await moveLearners(ctx, payload)
}
