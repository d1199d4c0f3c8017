import { data, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/node'
import { Outlet, type ShouldRevalidateFunctionArgs, useLoaderData } from '@remix-run/react'
import { isRefused } from '~/browser/layout-revalidation.ts'
import { RefusedQuestion, ReportPage } from '~/components/console/reports/report-page.tsx'
import { ReportsPage } from '~/components/console/reports/reports-page.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { getReportView } from '~/pages/report-view.server.ts'

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => {
  const title = data && 'view' in data ? ` : ${data.view.title}` : ''
  return titleFrom(matches, `Dashboard : Reports${title}`)
}

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const params = new URL(args.request.url).searchParams
  const answer = await getReportView(ctx, { id: args.params.report ?? '', params }).catch(throwAsPage)
  if ('view' in answer) return data(answer)
  if (answer.isBusy) args.context.exchange.setHeader('Retry-After', '60')
  return data(answer, { status: answer.isBusy ? 503 : 400 })
}

/**
 * A report can take a moment, so it stays as it is under its dialogs, which have the same question in their address. It also
 * stays after a refusal in one of them: a reload after the session has ended would lead to the login.
 */
export function shouldRevalidate(args: ShouldRevalidateFunctionArgs) {
  if (isRefused(args)) return false
  const { currentUrl, nextUrl, currentParams, nextParams, defaultShouldRevalidate } = args
  const isSameReport = currentParams.report === nextParams.report && currentUrl.search === nextUrl.search
  return isSameReport && currentUrl.pathname !== nextUrl.pathname ? false : defaultShouldRevalidate
}

export default function Report() {
  return (
    <>
      <UnderDialog>
        <Answer />
      </UnderDialog>
      <Outlet />
    </>
  )
}

function Answer() {
  const answer = useLoaderData<typeof loader>()
  if ('sentence' in answer) return <RefusedQuestion sentence={answer.sentence} />
  return 'refused' in answer ? <ReportsPage {...answer.refused} /> : <ReportPage {...answer.view} />
}
