import { checkLaunchSession, launchInfo } from '~/services/cmi5/cmi5.server.ts'
import type { GraphqlContext } from '../schema.server.ts'

type LaunchArguments = {
  moduleVersionUid: string
  preview?: boolean | null
  unitUid?: string | null
  unitIndex?: number | null
}

export const launchResolvers = {
  Query: {
    moduleLaunchInfo: (_: unknown, { preview, ...input }: LaunchArguments, { ctx }: GraphqlContext) =>
      launchInfo(ctx, { ...input, preview: preview ?? false }),
    auLaunchSessionCheck: (_: unknown, input: { auLaunchSessionUid: string }, { ctx }: GraphqlContext) =>
      checkLaunchSession(ctx, input),
  },
}
