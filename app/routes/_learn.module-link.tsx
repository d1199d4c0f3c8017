import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireLearner } from '~/http/context.server.ts'
import { notFoundPage } from '~/http/respond.server.ts'
import { findModuleByName } from '~/services/modules/modules.server.ts'

/**
 * Opens a link between modules: a name leads to the module's start page. A module that the viewer may not see reads as
 * not found.
 */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const name = new URL(args.request.url).searchParams.get('module') ?? ''
  const module = await findModuleByName(ctx, { name })
  if (!module?.publishedVersionUid) throw notFoundPage()
  return redirect(`/modules/?launch=${module.publishedVersionUid}`)
}

export default function ModuleLink() {
  return null
}
