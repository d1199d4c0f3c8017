import { randomUUID } from 'node:crypto'
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { OutboxNotice } from '~/components/console/outbox-notice.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { nameOf } from '~/pages/scheduled-reports.server.ts'
import { getScheduledReport, sendReportNow } from '~/services/reports/scheduled-reports.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Reports')

/** The loader makes the uid of the run, so a double click sends one report. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const report = await getScheduledReport(ctx, { reportUid: args.params.uid ?? '' }).catch(throwAsPage)
  const people = report.recipients.filter(({ problem }) => problem === null).map(({ name }) => name)
  return { name: nameOf(report), people, runUid: randomUUID() }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  return withForm(args, ctx, async (form) => {
    const input = { reportUid: args.params.uid ?? '', runUid: text(form, 'runUid') || undefined }
    const { recipients } = await sendReportNow(ctx, input)
    const to = `/dashboard/reports/scheduled/${tableSearch(new URL(args.request.url).search)}`
    return redirectWithNotice(args, to, {
      kind: 'success',
      text: `The report goes out to ${recipients === 1 ? 'one colleague' : `${recipients} colleagues`}.`,
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error sending the report. Please try again later.')
}

export default function SendReportNow() {
  const { name, people, runUid } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title="Send Report Now"
      question={
        <>
          <OutboxNotice />
          <p>
            “{name}” goes out now{people.length > 0 && ` to ${people.join(', ')}`}, beside its usual times.
            {people.length === 0 && ' None of its recipients can get it.'}
          </p>
        </>
      }
      actionLabel="Send now"
      fields={{ runUid }}
      closeTo="/dashboard/reports/scheduled/"
    />
  )
}
