import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import {
  type ClientActionFunctionArgs,
  type ShouldRevalidateFunctionArgs,
  useActionData,
  useLoaderData,
  useLocation,
} from '@remix-run/react'
import { unansweredRefusal, whenUnanswered } from '~/browser/failed-posts.ts'
import { ChangePasswordPage, PasswordChanged } from '~/components/accounts/change-password-page.tsx'
import { useShell } from '~/components/layout/shell.ts'
import { requireLearner } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { listAccessTokens } from '~/services/accounts/access-tokens.server.ts'
import { changePassword } from '~/services/accounts/password-changes.server.ts'

export const meta = pageTitle('Change Password')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args, { isGated: false })
  return { email: ctx.viewer.email, hasTokens: !ctx.viewAs && (await listAccessTokens(ctx)).length > 0 }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  return withForm(args, ctx, async (form) => {
    const { msg } = await changePassword(ctx, {
      currentPassword: text(form, 'currentPassword'),
      password: text(form, 'password'),
      password2: text(form, 'password2'),
      revokeTokens: text(form, 'revoke') === 'on',
    })
    if (isFromAccount(new URL(args.request.url).search)) {
      return redirectWithNotice(args, accountAddress, { kind: 'success', text: msg ?? '' })
    }
    return { changed: msg ?? '' }
  })
}

/** The answer to the form says all. Reading the page again would only keep the form of the dialog busy for longer. */
export function shouldRevalidate({ formMethod, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs): boolean {
  return formMethod === undefined && defaultShouldRevalidate
}

const accountAddress = '/my-learning/my-account/#password'

/** Tells whether the account page linked here, so that the reader returns there. */
function isFromAccount(search: string): boolean {
  return new URLSearchParams(search).get('from') === 'my-account'
}

export function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return whenUnanswered(serverAction<typeof action>(), () =>
    unansweredRefusal('Your password could not be changed. Please check your connection and try again.'),
  )
}

/** The same form as the dialog of the account menu, which posts here. */
export default function ChangePassword() {
  const { email, hasTokens } = useLoaderData<typeof loader>()
  const answer = useActionData<typeof action>()
  const { csrf } = useShell()
  const { search } = useLocation()
  if (answer && 'changed' in answer) return <PasswordChanged message={answer.changed} />
  const closeTo = isFromAccount(search) ? accountAddress : '/home/'
  return <ChangePasswordPage {...{ email, hasTokens, answer, closeTo }} csrf={answer?.csrf || csrf} />
}
