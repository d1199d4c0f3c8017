import { randomUUID } from 'node:crypto'
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { PrepareFile } from '~/components/console/reports/report-files.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { longReport } from '~/forms/report-files.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { getPrepareFile } from '~/pages/report-files.server.ts'
import { askedAt } from '~/pages/saved-views.server.ts'
import { createReportFile } from '~/services/reports/report-files.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Reports')

/** The loader makes the uid of the file, so a double click asks for one. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const view = await getPrepareFile(ctx, args).catch((error: unknown) => throwAsPage(error, args.context.exchange))
  return { ...view, uid: randomUUID() }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  return withForm(args, ctx, async (form) => {
    const { isNew } = await createReportFile(ctx, { ...askedAt(args), uid: text(form, 'uid') || undefined })
    return redirectWithNotice(args, '/dashboard/reports/files/', {
      kind: isNew ? 'success' : 'info',
      text: isNew ? longReport : 'You have already asked for this file. It is in the list.',
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error requesting the file. Please try again later.')
}

export default function PrepareFileRoute() {
  return <PrepareFile {...useLoaderData<typeof loader>()} />
}
