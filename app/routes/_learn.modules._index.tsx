import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { ModuleList } from '~/components/modules/module-list.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { notFoundPage } from '~/http/respond.server.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { viewsOfCards } from '~/pages/modules.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listCardsOfModules, listModuleCards } from '~/services/modules/cards.server.ts'
import { countModulesBySection, findModuleUidOfVersion } from '~/services/read/own-learning.server.ts'

export const meta = pageTitle('Self-Guided Learning')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { searchParams } = new URL(args.request.url)
  const page = pageNumber(searchParams.get('page'))
  // Ignores a value that is not a phase.
  const phase = ['discover', 'develop', 'deliver'].find((one) => one === searchParams.get('phase')) ?? null
  const [phases, cards, launch] = await Promise.all([
    countModulesBySection(ctx),
    listModuleCards(ctx, { frontendId: phase, limit: itemsPerPage, offset: (page - 1) * itemsPerPage }),
    findToLaunch(ctx, searchParams.get('launch')),
  ])
  const chosen = phases.find(({ frontendId }) => frontendId === phase && phase !== null)
  const total = chosen ? chosen.total : phases.reduce((sum, { total }) => sum + total, 0)
  const modules = await viewsOfCards(ctx, cards)
  return { phases, page, size: itemsPerPage, total, phase: chosen ? phase : null, launch, modules }
}

async function findToLaunch(ctx: Ctx, versionUid: string | null) {
  if (versionUid === null) return null
  const moduleUid = isUid(versionUid) ? await findModuleUidOfVersion(ctx, { versionUid }) : null
  if (!moduleUid) throw notFoundPage()
  const [view] = await viewsOfCards(ctx, [...(await listCardsOfModules(ctx, [moduleUid])).values()])
  return view ?? null
}

export default function Modules() {
  return <ModuleList {...useLoaderData<typeof loader>()} />
}
