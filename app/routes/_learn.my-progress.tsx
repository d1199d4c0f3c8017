import type { LoaderFunctionArgs } from '@remix-run/node'
import { Link, useLoaderData } from '@remix-run/react'
import { ProgressFoot, ProgressTable, progressAddress } from '~/components/learning/progress-table.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { formatDay } from '~/lib/dates.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { listStartedCourses, listStartedModules } from '~/services/progress/started.server.ts'

export const meta = pageTitle('My Progress')

/** Serves the page and the dialog of the account menu. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { searchParams } = new URL(args.request.url)
  const tab = searchParams.get('tab') === 'courses' ? ('courses' as const) : ('modules' as const)
  const page = pageNumber(searchParams.get('page'))
  const size = searchParams.get('size') === '20' ? 20 : 10
  const { items, total } = await (tab === 'courses' ? listStartedCourses : listStartedModules)(ctx, { page, size })
  const rows = items.map(({ startedAt, ...item }) => ({
    ...item,
    startedOn: formatDay(startedAt, ctx.site.timeZone),
    address: tab === 'courses' ? `/courses/${item.uid}/` : item.versionUid && `/modules/?launch=${item.versionUid}`,
  }))
  return { tab, page, size, total, rows }
}

export default function MyProgress() {
  const page = useLoaderData<typeof loader>()
  return (
    <div className="wrap pb-16">
      <header className="pagehead">
        <h1>My Progress</h1>
      </header>
      <nav className="tabs" aria-label="Kinds">
        {(['modules', 'courses'] as const).map((tab) => (
          <Link
            key={tab}
            to={progressAddress({ ...page, tab, page: 1 })}
            aria-current={tab === page.tab ? 'page' : undefined}
          >
            {tab === 'modules' ? 'Modules' : 'Courses'}
          </Link>
        ))}
      </nav>
      <ProgressTable page={page} />
      <ProgressFoot
        page={page}
        link={(change, label, name) => (
          <Link className="btn btn--quiet" to={progressAddress({ ...page, ...change })} aria-label={name}>
            {label}
          </Link>
        )}
      />
    </div>
  )
}
