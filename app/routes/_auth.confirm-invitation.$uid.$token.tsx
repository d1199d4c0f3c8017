import { type ActionFunctionArgs, type LoaderFunctionArgs, replace } from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { BadLink } from '~/components/accounts/bad-link.tsx'
import { ConfirmInvitationForm } from '~/components/accounts/confirm-invitation-form.tsx'
import { RenewInvitation } from '~/components/accounts/renew-invitation.tsx'
import { useShell } from '~/components/layout/shell.ts'
import { metRules, renewalAsked, usedInvitation } from '~/forms/account-rules.ts'
import { confirmInvitationPageForm } from '~/forms/accounts.ts'
import { contextFor, landingOf } from '~/http/context.server.ts'
import { csrfToken } from '~/http/csrf.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { openLink } from '~/pages/account-links.server.ts'
import { parseInput } from '~/services/input.ts'
import { confirmInvitation, explainInvitation, findInvitedUser } from '~/services/invitations/invitations.server.ts'
import { askForNewInvitation } from '~/services/invitations/send-again.server.ts'

export const meta = pageTitle('Confirm Invitation')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  const { uid = '', token = '' } = args.params
  const { exchange } = args.context
  const named = { userUid64b: uid, token }
  const link = await openLink(exchange, findInvitedUser(ctx, named), () => explainInvitation(ctx, named))
  return { ...link, data: { ...link.data, csrf: await csrfToken(ctx, exchange) } }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await contextFor(args)
  const { uid = '', token = '' } = args.params
  return withForm(args, ctx, async (form) => {
    if (text(form, 'intent') === 'renew') {
      await askForNewInvitation(ctx, { userUid64b: uid })
      return redirectWithNotice(args, '/login/', { kind: 'info', text: renewalAsked })
    }
    const passwords = { password: text(form, 'password'), password2: text(form, 'password2') }
    // The page does not get the passwords back, only which rules they meet.
    form.set('rulesMet', metRules(passwords).join(' '))
    parseInput(confirmInvitationPageForm, { ...passwords, privacy: text(form, 'privacy') })
    const account = await confirmInvitation(ctx, { userUid64b: uid, token, ...passwords })
    return replace(landingOf(account.groups))
  })
}

export default function ConfirmInvitation() {
  const page = useLoaderData<typeof loader>()
  const answer = useActionData<typeof action>()
  const { supportEmail } = useShell().brand
  if (!page.account) {
    const next = { label: 'Go to Log In', to: '/login/' }
    return (
      <BadLink
        title="Confirm Invitation"
        message={page.message || 'Error processing invitation link'}
        isUsed={page.message === usedInvitation}
        supportEmail={supportEmail}
        next={next}
      >
        {page.message !== usedInvitation && <RenewInvitation csrf={answer?.csrf ?? page.csrf} answer={answer} />}
      </BadLink>
    )
  }
  return <ConfirmInvitationForm account={page.account} csrf={answer?.csrf ?? page.csrf} answer={answer} />
}
