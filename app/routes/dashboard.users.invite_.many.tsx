import { type ActionFunctionArgs, type LoaderFunctionArgs, replace } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { InviteMany } from '~/components/console/invitations/invite-many.tsx'
import type { ListCheck } from '~/components/console/invitations/view.ts'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { csvRequired, fixesIn, peopleField, rowsShownOf } from '~/forms/invited-lists.ts'
import { isDocumentPost, requireAdmin } from '~/http/context.server.ts'
import { importOf } from '~/http/csv.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { listReportOf, peopleImport, seenOf } from '~/pages/invitations.server.ts'
import { awaitBulkOperation } from '~/services/bulk/bulk.server.ts'
import { Invalid } from '~/services/errors.ts'
import { checkPeople } from '~/services/invitations/check-people.server.ts'
import { findInvitingList, startInvitingList } from '~/services/invitations/invite-list.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args)
  return { columns: peopleImport.columns }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const work = async (form: FormData): Promise<ListCheck | Response> => {
    const wanted = importOf(form, peopleImport)
    if (wanted.name === '') throw new Invalid(csvRequired, { [peopleField]: csvRequired })
    const file = {
      name: wanted.name,
      originalFileName: text(form, `${peopleField}-fileName`),
      size: Number(text(form, `${peopleField}-fileSize`)),
    }
    // Corrections and the list belong to the file that was checked.
    const isChecked = text(form, 'fixesOf') === wanted.name
    const typed = isChecked ? fixesIn(form) : new Map()
    const list = { csvPath: wanted.name, mapping: wanted.mapping, fixes: typed, field: peopleField }
    const { plan, problem, found, fixes = typed } = await checkPeople(ctx, list)
    if (!plan) return { file, found, problem, report: null }
    const intent = text(form, 'intent')
    const onlyValid = intent === 'invite-valid'
    const isInvite = onlyValid || intent === 'invite'
    if (isInvite && isChecked) {
      const isSeen = text(form, 'seen') === seenOf(plan, wanted, fixes)
      const names = { listUid: text(form, 'list'), fileName: file.originalFileName }
      // After a list has begun, the check finds its people. A form that is sent once more leads to that list.
      const begun =
        isSeen && (onlyValid || plan.faults.length === 0)
          ? await startInvitingList(ctx, { ...list, ...names, isReminded: form.has('remind'), onlyValid })
          : await findInvitingList(ctx, names)
      if (begun && isDocumentPost(args)) await awaitBulkOperation(ctx, begun)
      if (begun) {
        return replace(
          `/dashboard/users/invitations/${begun.operationUid}/${tableSearch(new URL(args.request.url).search)}`,
        )
      }
    }
    const report = listReportOf(plan, { wanted, fixes, shown: rowsShownOf(intent), isCheckedAgain: isInvite })
    return { file, found, problem: null, report }
  }
  return withForm(args, ctx, work, { files: { [peopleField]: 'csv' } })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error inviting users. Please try again later.')
}

export default function InvitePeople() {
  return <InviteMany {...useLoaderData<typeof loader>()} />
}
