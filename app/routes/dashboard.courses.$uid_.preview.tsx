import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { PreviewDialog } from '~/components/console/previews/preview-dialog.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerPreviews, loadPreviews } from '~/pages/previews.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Courses')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  return loadPreviews(ctx, { kind: 'course', itemUid: args.params.uid ?? '' }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, (form) => answerPreviews(args, ctx, 'course', form))
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error creating preview link. Please try again later.')
}

export default function PreviewCourse() {
  const made = useActionData<{ made?: string } | null>()?.made ?? null
  return <PreviewDialog {...useLoaderData<typeof loader>()} made={made} />
}
