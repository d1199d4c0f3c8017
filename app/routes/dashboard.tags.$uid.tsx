import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { revalidatesAfterPosts } from '~/components/console/grid/revalidation.ts'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { TagDialog } from '~/components/console/tags/tag-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getTagDialog } from '~/pages/tag-manager.server.ts'
import { Conflict, Invalid, NameTaken } from '~/services/errors.ts'
import { renameTag } from '~/services/tags/change-tags.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Tags')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'tags')
  return getTagDialog(ctx, { tagUid: args.params.uid ?? '' }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'tags')
  return withForm(args, ctx, async (form) => {
    const tagUid = args.params.uid ?? ''
    if (text(form, 'intent') === 'merge') {
      const params = new URLSearchParams(tableSearch(new URL(args.request.url).search))
      const sameText = text(form, 'sameText')
      if (!isUid(sameText)) throw new Invalid('Choose the other tag.')
      params.set('into', sameText)
      return redirect(`/dashboard/tags/${encodeURIComponent(tagUid)}/merge/?${params}`)
    }
    form.delete('sameText')
    const input = { text: text(form, 'text'), openedText: text(form, 'openedText') }
    await renameTag(ctx, { ...input, tagUid }).catch((error: unknown) => {
      // The form goes on from the text that is stored now.
      if (error instanceof Conflict && error.code === 'tag.changed') form.delete('openedText')
      if (error instanceof NameTaken && error.otherUid !== null) form.set('sameText', error.otherUid)
      throw error
    })
    return redirectWithNotice(args, '/dashboard/tags/', { kind: 'success', text: 'Tags have been updated.' })
  })
}

export const shouldRevalidate = revalidatesAfterPosts

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating Tags. Please try again later.')
}

export default function EditTag() {
  return <TagDialog {...useLoaderData<typeof loader>()} />
}
