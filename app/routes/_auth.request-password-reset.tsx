import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { whenUnanswered } from '~/browser/failed-posts.ts'
import { RequestResetForm, ResetRequested } from '~/components/accounts/request-reset-form.tsx'
import { resetRequested } from '~/forms/account-rules.ts'
import { contextFor } from '~/http/context.server.ts'
import { csrfToken } from '~/http/csrf.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { requestPasswordReset } from '~/services/accounts/password-changes.server.ts'
import { ServiceError } from '~/services/errors.ts'

export const meta = pageTitle('Request Password Reset', 'Ask for a link to choose a new password.')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  return { csrf: await csrfToken(ctx, args.context.exchange) }
}

/** The answer is the same whether or not the request succeeded. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await contextFor(args)
  return withForm(args, ctx, async (form) => {
    await requestPasswordReset(ctx, { email: text(form, 'email') }).catch((error: unknown) => {
      if (error instanceof ServiceError) throw error
      ctx.log.error({ err: error }, 'a password reset could not be requested')
    })
    return { sent: resetRequested }
  })
}

export function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return whenUnanswered(serverAction<typeof action>(), () => ({ sent: resetRequested }))
}

export default function RequestPasswordReset() {
  const { csrf } = useLoaderData<typeof loader>()
  const answer = useActionData<typeof action>()
  if (answer && 'sent' in answer) return <ResetRequested message={answer.sent} />
  return <RequestResetForm csrf={answer?.csrf ?? csrf} answer={answer} />
}
