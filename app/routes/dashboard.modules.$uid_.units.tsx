import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { UnitRulesList } from '~/components/console/modules/unit-rules.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { unitRulesView } from '~/pages/unit-rules.server.ts'
import { getUnitRules } from '~/services/modules/overrides.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const version = Number(new URL(args.request.url).searchParams.get('version') ?? 0)
  const rules = await getUnitRules(ctx, {
    moduleUid: args.params.uid ?? '',
    version: Number.isSafeInteger(version) ? version : -1,
  }).catch(throwAsPage)
  return {
    module: { uid: rules.moduleUid, name: rules.moduleName },
    version: rules.version,
    versions: rules.versions,
    units: rules.units.map((unit) => unitRulesView(args.request, unit)),
  }
}

export default function Units() {
  return <UnitRulesList {...useLoaderData<typeof loader>()} />
}
