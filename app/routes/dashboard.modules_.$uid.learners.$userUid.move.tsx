import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { MoveAttempt } from '~/components/console/modules/attempt-dialogs.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { attemptOfDialog, attemptsAddress, registrationOf } from '~/pages/learner-attempts.server.ts'
import { moveAttempt } from '~/services/cmi5/cmi5.server.ts'
import { listVersionsOfModules } from '~/services/modules/parts.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { attempt, ...page } = await attemptOfDialog(ctx, args)
  const { units: _, ...summary } = attempt
  const all = (await listVersionsOfModules(ctx, [page.module.uid])).get(page.module.uid) ?? []
  const versions = all
    .filter((one) => one.package?.status === 'parsed' && one.version !== attempt.version)
    .map(({ uid, version, status }) => ({
      value: uid,
      label: `v${version}${status === 'published' ? ', published' : ''}`,
    }))
  return { ...page, attempt: summary, versions }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, async (form) => {
    const moved = await moveAttempt(ctx, {
      registrationUid: registrationOf(args),
      moduleVersionUid: text(form, 'moduleVersionUid'),
    })
    return redirectWithNotice(args, attemptsAddress(args, moved.registrationUid), {
      kind: 'success',
      text: `The attempt continues in v${moved.version}. ${countInWords(moved.waivedUnits)}`,
    })
  })
}

function countInWords(count: number): string {
  if (count === 0) return 'No completed unit carries over.'
  return count === 1 ? '1 completed unit carries over.' : `${count} completed units carry over.`
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error moving the attempt. Please try again later.')
}

export default function Move() {
  return <MoveAttempt {...useLoaderData<typeof loader>()} />
}
