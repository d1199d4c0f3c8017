import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { ModulesTable } from '~/components/console/modules-table.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { formatDay } from '~/lib/dates.ts'
import { countModules, listModules } from '~/services/modules/modules.server.ts'
import { listAccessPlansOfModules, listModuleVersions, listTagsOfModules } from '~/services/modules/parts.server.ts'
import { listModuleStatistics } from '~/services/modules/statistics.server.ts'

export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const after = new URL(args.request.url).searchParams.get('after')
  const [{ items, endCursor, hasNextPage }, total] = await Promise.all([
    listModules(ctx, { first: 20, after }).catch(throwAsPage),
    countModules(ctx),
  ])
  const uids = items.map(({ uid }) => uid)
  const [versions, tags, plans, statistics] = await Promise.all([
    listModuleVersions(
      ctx,
      items.flatMap(({ currentVersionUid }) => currentVersionUid ?? []),
    ),
    listTagsOfModules(ctx, uids),
    listAccessPlansOfModules(ctx, uids),
    listModuleStatistics(ctx, uids),
  ])
  return {
    total,
    after,
    next: hasNextPage ? endCursor : null,
    modules: items.map((module) => {
      const version = versions.get(module.currentVersionUid ?? '')
      const numbers = statistics?.get(module.uid)
      const author = version?.author
      return {
        uid: module.uid,
        name: module.name,
        isPublished: version?.status === 'published',
        isComingSoon: module.comingSoon,
        tags: (tags.get(module.uid) ?? []).map(({ text }) => text),
        plans: (plans.get(module.uid) ?? []).map(({ name }) => name),
        author: author
          ? `${author.firstName} ${[...author.lastName][0] ?? ''}`.trim() + (author.lastName ? '.' : '')
          : null,
        version: version ? `v${version.version}` : null,
        updatedOn: formatDay(module.updatedAt, ctx.site.timeZone),
        completions: numbers?.numCompletions ?? 0,
        averageScore: numbers?.avgScore == null ? null : Math.round(numbers.avgScore),
        previewUid: version?.package?.status === 'parsed' ? version.uid : null,
      }
    }),
  }
}

export default function Modules() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <ModulesTable {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
