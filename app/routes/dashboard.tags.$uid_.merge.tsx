import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { type MergePreview, MergeTag } from '~/components/console/tags/merge-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerRemoval } from '~/http/undo.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getMergeDialog, previewMerge } from '~/pages/tag-manager.server.ts'
import { mergeTags } from '~/services/tags/change-tags.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Tags')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'tags')
  const into = new URL(args.request.url).searchParams.get('into') ?? ''
  return getMergeDialog(ctx, { tagUid: args.params.uid ?? '', into }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'tags')
  const answer = await withForm(args, ctx, async (form): Promise<{ preview: MergePreview } | Response> => {
    const input = { tagUid: args.params.uid ?? '', into: text(form, 'into') }
    // Only a merger whose consequences somebody has seen is done.
    const isSeen = text(form, 'intent') === 'merge' && text(form, 'previewed') === input.into
    if (!isSeen) return { preview: await previewMerge(ctx, input) }
    const { removalUid, from, into } = await mergeTags(ctx, input)
    return redirectWithNotice(args, '/dashboard/tags/', {
      kind: 'success',
      text: `Tag “${from.text}” has been merged into “${into.text}”.`,
      undo: { action: `/dashboard/tags/removed/${removalUid}/restore/`, label: 'Undo' },
    })
  })
  return answerRemoval(args, '/dashboard/tags/', answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating Tags. Please try again later.')
}

export default function Merge() {
  const answer = useActionData<{ preview?: MergePreview } | null>()
  return <MergeTag {...useLoaderData<typeof loader>()} preview={answer?.preview ?? null} />
}
