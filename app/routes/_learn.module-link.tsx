import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireLearner } from '~/http/context.server.ts'
import { notFoundPage } from '~/http/respond.server.ts'
import { findModuleByName } from '~/services/modules/modules.server.ts'

/** The entry of module interlinking: a name leads to the start panel; what is not visible reads as not there. */
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
