import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerRemoval } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getAudienceRow } from '~/pages/audiences.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { deleteAudience } from '~/services/audiences/save-audience.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Audiences')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const { name, people } = await getAudienceRow(ctx, { audienceUid: args.params.uid ?? '' }).catch(throwAsPage)
  return { name, people }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const list = `/dashboard/audiences/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async () => {
    const { uid, name } = await deleteAudience(ctx, { audienceUid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, {
      kind: 'success',
      text: `Audience “${name}” has been deleted.`,
      undo: { action: `/dashboard/audiences/removed/${uid}/restore/`, label: 'Undo' },
    })
  })
  return answerRemoval(args, list, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error deleting the audience. Please try again later.')
}

export default function DeleteAudience() {
  const { name, people } = useLoaderData<typeof loader>()
  const who = people === 0 ? 'Nobody is' : people === 1 ? 'One person is' : `${people.toLocaleString('en')} people are`
  return (
    <ConfirmRoute
      title="Delete Audience"
      question={
        <p>
          {who} in “{name}” now. Only the rule is deleted: people keep their accounts, their access and what they have
          learned. Nothing more is assigned to people who would join it. You can undo this for thirty days.
        </p>
      }
      actionLabel="Delete"
      tone="danger"
      closeTo="/dashboard/audiences/"
    />
  )
}
