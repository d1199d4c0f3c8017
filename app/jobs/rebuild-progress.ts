import { rebuildProgress } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'

/** All attempts of the learner and module that this registration is one of. */
export async function rebuildProgressJob(ctx: Ctx, payload: { registrationUid: string }): Promise<void> {
  await rebuildProgress(ctx, payload)
}
