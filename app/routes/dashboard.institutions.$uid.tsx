import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { revalidatesAfterPosts } from '~/components/console/grid/revalidation.ts'
import { InstitutionDialog } from '~/components/console/institutions/institution-dialogs.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { Conflict, Invalid, NameTaken } from '~/services/errors.ts'
import { renameUniversity } from '~/services/institutions/rename-university.server.ts'
import { getUniversity } from '~/services/users/university-list.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Institutions')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'institutions')
  return getUniversity(ctx, { universityUid: args.params.uid ?? '' }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'institutions')
  return withForm(args, ctx, async (form) => {
    const universityUid = args.params.uid ?? ''
    const sameName = text(form, 'sameName')
    if (text(form, 'intent') === 'merge') {
      if (!isUid(sameName)) throw new Invalid('Choose the other institution.')
      // The default institution stays, so the other one is merged into it.
      const { isDefault } = await getUniversity(ctx, { universityUid })
      const [from, into] = isDefault ? [sameName, universityUid] : [universityUid, sameName]
      const params = new URLSearchParams(tableSearch(new URL(args.request.url).search))
      params.set('into', into)
      return redirect(`/dashboard/institutions/${encodeURIComponent(from)}/merge/?${params}`)
    }
    form.delete('sameName')
    const input = { name: text(form, 'name'), openedName: text(form, 'openedName') }
    await renameUniversity(ctx, { ...input, universityUid }).catch((error: unknown) => {
      // The form goes on from the name that is stored now.
      if (error instanceof Conflict && error.code === 'university.changed') form.delete('openedName')
      if (error instanceof NameTaken && error.otherUid !== null) form.set('sameName', error.otherUid)
      throw error
    })
    return redirectWithNotice(args, '/dashboard/institutions/', {
      kind: 'success',
      text: 'Universities have been updated.',
    })
  })
}

export const shouldRevalidate = revalidatesAfterPosts

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating Universities. Please try again later.')
}

export default function EditInstitution() {
  return <InstitutionDialog {...useLoaderData<typeof loader>()} />
}
