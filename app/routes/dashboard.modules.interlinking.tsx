import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { Interlinking } from '~/components/console/modules/interlinking.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { listModuleNames } from '~/services/modules/table.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const module = new URL(args.request.url).searchParams.get('module') ?? ''
  return { module, origin: ctx.site.baseUrl, names: await listModuleNames(ctx).catch(throwAsPage) }
}

export default function ModuleInterlinking() {
  return <Interlinking {...useLoaderData<typeof loader>()} />
}
