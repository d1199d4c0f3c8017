import { abandonLaunch, checkLaunchSession, launchInfo, waiveUnit } from '~/services/cmi5/cmi5.server.ts'
import { Conflict, Invalid } from '~/services/errors.ts'
import type { GraphqlContext } from '../context.ts'

type LaunchArguments = {
  moduleVersionUid: string
  preview?: boolean | null
  unitUid?: string | null
  unitIndex?: number | null
  launchMode?: string | null
  registration?: string | null
  userUid?: string | null
}

type WaiveArguments = { registration: string; unitUid: string; reason: string }

export const launchResolvers = {
  Query: {
    moduleLaunchInfo: (
      _: unknown,
      { preview, launchMode, registration, ...input }: LaunchArguments,
      { ctx }: GraphqlContext,
    ) => launchInfo(ctx, { ...input, preview: preview ?? false, mode: launchMode, registrationUid: registration }),
    auLaunchSessionCheck: (_: unknown, input: { auLaunchSessionUid: string }, { ctx }: GraphqlContext) =>
      checkLaunchSession(ctx, input),
  },
  Mutation: {
    abandonLaunchSession: (_: unknown, input: { auLaunchSessionUid: string }, { ctx }: GraphqlContext) =>
      resultOf(abandonLaunch(ctx, input)),
    waiveModuleUnit: (_: unknown, { registration, ...input }: WaiveArguments, { ctx }: GraphqlContext) =>
      resultOf(waiveUnit(ctx, { ...input, registrationUid: registration })),
  },
}

/**
 * Status false with the sentence, and no error, for an operation that the current state does not allow or that has an
 * unknown reason.
 */
async function resultOf(work: Promise<unknown>): Promise<{ status: boolean; msg: string | null }> {
  try {
    await work
    return { status: true, msg: null }
  } catch (error) {
    if (!(error instanceof Conflict || error instanceof Invalid)) throw error
    return { status: false, msg: error.message }
  }
}
