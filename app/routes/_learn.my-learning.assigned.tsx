import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { AssignedList } from '~/components/learning/assigned-list.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { formatDay } from '~/lib/dates.ts'
import { dueInWords } from '~/lib/due.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { listAssignedViews } from '~/pages/assigned.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const page = pageNumber(new URL(args.request.url).searchParams.get('page'))
  const today = dayOf(ctx.now, ctx.site.timeZone)
  const { items, total } = await listAssignedViews(ctx, { page, size: itemsPerPage })
  return {
    page,
    size: itemsPerPage,
    total,
    items: items.map(
      ({ uid, name, kind, assignedAt, dueOn, isCompleted, isComingSoon, hasAccess, module, course }) => ({
        uid,
        name,
        kind,
        isComingSoon,
        hasAccess,
        module,
        course,
        assignedOn: formatDay(assignedAt, ctx.site.timeZone),
        due: dueOn === null || isCompleted ? null : dueInWords(dueOn, today),
      }),
    ),
  }
}

export default function Assigned() {
  return <AssignedList {...useLoaderData<typeof loader>()} />
}
