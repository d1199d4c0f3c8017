import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node'
import {
  type ClientActionFunctionArgs,
  type ShouldRevalidateFunctionArgs,
  useActionData,
  useLoaderData,
} from '@remix-run/react'
import { unansweredRefusal, whenUnanswered } from '~/browser/failed-posts.ts'
import { PasswordWasReset, ResetPasswordForm } from '~/components/accounts/reset-password-form.tsx'
import { metRules } from '~/forms/account-rules.ts'
import { contextFor } from '~/http/context.server.ts'
import { csrfToken } from '~/http/csrf.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { openLink } from '~/pages/account-links.server.ts'
import { findResetAccount, invalidReset, resetPassword } from '~/services/accounts/password-changes.server.ts'

export const meta = pageTitle('Reset Password')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  const { uid = '', token = '' } = args.params
  const { exchange } = args.context
  const link = await openLink(exchange, findResetAccount(ctx, { userUid64b: uid, token }), () => invalidReset)
  return { ...link, data: { ...link.data, csrf: await csrfToken(ctx, exchange) } }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await contextFor(args)
  const { uid = '', token = '' } = args.params
  return withForm(args, ctx, async (form) => {
    const passwords = { password: text(form, 'password'), password2: text(form, 'password2') }
    // The page does not get the passwords back, only which rules they meet.
    form.set('rulesMet', metRules(passwords).join(' '))
    const { msg } = await resetPassword(ctx, { userUid64b: uid, token, ...passwords })
    // The status is explicit, because the loader would now find the link used up.
    return data({ done: msg ?? '' }, { status: 200 })
  })
}

export function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return whenUnanswered(serverAction<typeof action>(), () =>
    unansweredRefusal('Password reset error. Please try again later.'),
  )
}

/** Skips the loader after success: the link is used up now. */
export function shouldRevalidate({
  actionResult,
  actionStatus = 200,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs) {
  return actionResult?.done === undefined && actionStatus < 400 && defaultShouldRevalidate
}

export default function ResetPassword() {
  const page = useLoaderData<typeof loader>()
  const answer = useActionData<typeof action>()
  if (answer && 'done' in answer) return <PasswordWasReset message={answer.done} />
  return (
    <ResetPasswordForm
      account={page.account}
      problem={page.account ? undefined : page.message}
      csrf={answer?.csrf || page.csrf}
      answer={answer}
    />
  )
}
