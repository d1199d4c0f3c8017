import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { ReportInstitution } from '~/components/console/reports/report-institution.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getReportInstitution } from '~/pages/scheduled-reports.server.ts'
import { replaceReportInstitution } from '~/services/reports/report-institution.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return getReportInstitution(ctx, { reportUid: args.params.uid ?? '' }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  return withForm(args, ctx, async (form) => {
    const input = { reportUid: args.params.uid ?? '', institution: text(form, 'institution') }
    const { nextAt } = await replaceReportInstitution(ctx, input)
    const when = nextAt ? `It goes out on ${formatMoment(nextAt, ctx.site.timeZone)}.` : 'It stays paused.'
    const to = `/dashboard/reports/scheduled/${tableSearch(new URL(args.request.url).search)}`
    return redirectWithNotice(args, to, {
      kind: 'success',
      subject: input.reportUid,
      text: `The report has another institution. ${when}`,
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the scheduled report. Please try again later.')
}

export default function ReportInstitutionRoute() {
  return <ReportInstitution {...useLoaderData<typeof loader>()} />
}
