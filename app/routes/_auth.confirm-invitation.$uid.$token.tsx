import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { ConfirmInvitationForm, InvalidInvitation } from '~/components/accounts/confirm-invitation-form.tsx'
import { confirmInvitationPageForm, passwordRules } from '~/forms/accounts.ts'
import { contextFor, landingOf } from '~/http/context.server.ts'
import { csrfToken } from '~/http/csrf.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { parseInput } from '~/services/input.ts'
import { confirmInvitation, findInvitedUser, invalidInvitation } from '~/services/invitations/invitations.server.ts'

export const meta = pageTitle('Confirm Invitation')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  const { uid = '', token = '' } = args.params
  const account = await findInvitedUser(ctx, { userUid64b: uid, token })
  if (!account) return data({ account: null, message: invalidInvitation }, { status: 404 })
  return {
    account: { firstName: account.firstName, email: account.email },
    rules: [...passwordRules.map((rule) => rule.text), 'Passwords must match'],
    csrf: await csrfToken(ctx, args.context.exchange),
  }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await contextFor(args)
  const { uid = '', token = '' } = args.params
  return withForm(args, ctx, async (form) => {
    const passwords = { password: text(form, 'password'), password2: text(form, 'password2') }
    parseInput(confirmInvitationPageForm, { ...passwords, privacy: form.get('privacy') ?? undefined })
    const account = await confirmInvitation(ctx, { userUid64b: uid, token, ...passwords })
    return redirect(landingOf(account.groups))
  })
}

export default function ConfirmInvitation() {
  const page = useLoaderData<typeof loader>()
  const refusal = useActionData<typeof action>()
  if (!page.account) return <InvalidInvitation message={page.message} />
  const { account, rules, csrf } = page
  return <ConfirmInvitationForm account={account} rules={rules} csrf={refusal?.csrf ?? csrf} refusal={refusal} />
}
