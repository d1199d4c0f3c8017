import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { getModule } from '~/services/modules/modules.server.ts'
import { listModuleVersions } from '~/services/modules/parts.server.ts'

/** The reading status of the newest package. An open dialog asks for it every two seconds. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { currentVersionUid } = await getModule(ctx, { moduleUid: args.params.uid ?? '' }).catch(throwAsPage)
  const versions = currentVersionUid === null ? null : await listModuleVersions(ctx, [currentVersionUid])
  return { status: versions?.get(currentVersionUid ?? '')?.package?.status ?? null }
}
