import { randomUUID } from 'node:crypto'
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { OutboxNotice } from '~/components/console/outbox-notice.tsx'
import { CloseFooter, dialogHandle, RouteDialog } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { nameOf } from '~/pages/scheduled-reports.server.ts'
import { getScheduledReport } from '~/services/reports/scheduled-reports.server.ts'
import { sendReportNow } from '~/services/reports/send-report-now.server.ts'

const list = '/dashboard/reports/scheduled/'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Reports')

/** The loader makes the uid of the run, so a double click sends one report. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const report = await getScheduledReport(ctx, { reportUid: args.params.uid ?? '' }).catch(throwAsPage)
  const people = report.recipients.filter(({ problem }) => problem === null).map(({ name }) => name)
  return { name: nameOf(report), people, problem: report.described.problem, runUid: randomUUID() }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  return withForm(args, ctx, async (form) => {
    const input = { reportUid: args.params.uid ?? '', runUid: text(form, 'runUid') || undefined }
    const { recipients } = await sendReportNow(ctx, input)
    const to = `${list}${tableSearch(new URL(args.request.url).search)}`
    return redirectWithNotice(args, to, {
      kind: 'success',
      subject: input.reportUid,
      text: `The report goes out to ${recipients === 1 ? 'one colleague' : `${recipients} colleagues`}.`,
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error sending the report. Please try again later.')
}

export default function SendReportNow() {
  const { name, people, problem, runUid } = useLoaderData<typeof loader>()
  const title = 'Send Report Now'
  if (problem !== null) {
    return (
      <RouteDialog title={title} size="md" closeTo={list} footer={<CloseFooter closeTo={list} />}>
        <p>
          “{name}” cannot go out. {problem}
        </p>
      </RouteDialog>
    )
  }
  return (
    <ConfirmRoute
      title={title}
      question={
        <>
          <OutboxNotice />
          <p>
            “{name}” goes out now{people.length > 0 && ` to ${people.join(', ')}`}, in addition to its usual times.
            {people.length === 0 && ' None of its recipients can get it.'}
          </p>
        </>
      }
      actionLabel="Send now"
      fields={{ runUid }}
      closeTo={list}
    />
  )
}
