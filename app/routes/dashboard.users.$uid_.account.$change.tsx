import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { updateFailed } from '~/forms/profile-rules.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { notFoundPage, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getUserHead } from '~/pages/user-dialog.server.ts'
import { sendResetLink } from '~/services/accounts/send-reset-link.server.ts'
import type { Ctx } from '~/services/context.ts'
import { deactivateUser } from '~/services/users/deactivate-user.server.ts'
import { enableUser } from '~/services/users/save-user.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

type Change = {
  title: string
  question: string
  action: string
  done: string
  /** What is said if somebody else has done it already. */
  before?: string
  run: (
    ctx: Ctx,
    input: { userUid: string; disabledAt?: number },
  ) => Promise<{ isChanged: boolean; disabledAt?: number }>
}

const changes: Record<string, Change> = {
  disable: {
    title: 'Disable account',
    question: 'will be logged out everywhere and can no longer log in. Progress, assignments and messages stay.',
    action: 'Disable',
    done: 'The account has been disabled. It is now on the Pending Users tab.',
    before: 'The account was already disabled.',
    run: deactivateUser,
  },
  enable: {
    title: 'Enable account',
    question: 'will be able to log in again, with the same password.',
    action: 'Enable',
    done: 'The account has been enabled. It is listed under Learners or Admins again.',
    before: 'The account was already enabled.',
    run: enableUser,
  },
  reset: {
    title: 'Send a link to reset the password',
    question: 'will get an email with a link to choose a new password. The current password keeps working until then.',
    action: 'Send',
    done: 'A link to reset the password is being sent.',
    run: async (ctx, input) => {
      await sendResetLink(ctx, input)
      return { isChanged: true }
    },
  },
}

function changeOf(name: string | undefined): Change {
  const change = name !== undefined && Object.hasOwn(changes, name) ? changes[name] : undefined
  if (!change) throw notFoundPage()
  return change
}

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { run: _, ...change } = changeOf(args.params.change)
  const { uid, name, email } = await getUserHead(ctx, { userUid: args.params.uid ?? '' }).catch(throwAsPage)
  return { uid, name, email, change }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { run, done, before } = changeOf(args.params.change)
  const { search, searchParams } = new URL(args.request.url)
  const table = tableSearch(search)
  const list = `/dashboard/users/${table}`
  let isUndo = false
  const answer = await withForm(args, ctx, async (form) => {
    isUndo = text(form, 'intent') === 'undo'
    const userUid = args.params.uid ?? ''
    const undone = isUndo ? { disabledAt: Number(searchParams.get('disabled')) } : {}
    const { isChanged, disabledAt } = await run(ctx, { userUid, ...undone })
    const unchanged = isUndo ? 'There is nothing left to undo.' : before
    if (!isChanged && unchanged) return redirectWithNotice(args, list, { kind: 'info', text: unchanged })
    const undo = new URLSearchParams(table)
    if (disabledAt) undo.set('disabled', String(disabledAt))
    return redirectWithNotice(args, list, {
      kind: 'success',
      text: done,
      ...(disabledAt && { undo: { action: `/dashboard/users/${userUid}/account/enable/?${undo}`, label: 'Undo' } }),
    })
  })
  return isUndo ? answerUndo(args, list, answer) : answer
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, updateFailed)
}

export default function ChangeAccount() {
  const { uid, name, email, change } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title={change.title}
      question={
        <p>
          {name} ({email}) {change.question}
        </p>
      }
      actionLabel={change.action}
      closeTo={`/dashboard/users/${uid}/`}
    />
  )
}
