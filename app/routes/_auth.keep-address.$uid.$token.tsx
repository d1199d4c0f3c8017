import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node'
import { type ShouldRevalidateFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { AddressLinkForm, AddressLinkOutcome } from '~/components/accounts/address-link.tsx'
import { contextFor } from '~/http/context.server.ts'
import { csrfToken } from '~/http/csrf.server.ts'
import { unlistedTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { addressPageOf, keepSentences, openAddressLink } from '~/pages/address-links.server.ts'
import { findLinkedChange, keepAddress } from '~/services/accounts/address-links.server.ts'

const title = 'Keep Email Address'

export const meta = unlistedTitle(title)

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  const { uid = '', token = '' } = args.params
  const { exchange } = args.context
  const found = findLinkedChange(ctx, 'object', { changeUid64b: uid, token })
  const page = await openAddressLink(exchange, found, keepSentences)
  return { ...page, data: { ...page.data, csrf: await csrfToken(ctx, exchange) } }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await contextFor(args)
  const { uid = '', token = '' } = args.params
  return withForm(args, ctx, async () => {
    const change = await keepAddress(ctx, { changeUid64b: uid, token })
    return data({ outcome: addressPageOf(change, keepSentences) }, { status: 200 })
  })
}

/** Skips the loader after a refusal, which the page keeps beside the button. */
export function shouldRevalidate({ actionStatus = 200, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  return actionStatus < 400 && defaultShouldRevalidate
}

export default function KeepAddress() {
  const page = useLoaderData<typeof loader>()
  const answer = useActionData<typeof action>()
  const outcome = answer && 'outcome' in answer ? answer.outcome : page
  const refusal = answer && 'fieldErrors' in answer ? answer : undefined
  if (!outcome.isOpen || outcome.email === null) {
    const next = outcome.needsPassword
      ? { label: 'Ask for a new password', to: '/request-password-reset/' }
      : { label: 'Go to Log In', to: '/login/' }
    return <AddressLinkOutcome title={title} message={outcome.message} isGood={outcome.isGood} next={next} />
  }
  return (
    <AddressLinkForm
      title={title}
      text="Your account keeps this address, or gets it back if it was changed already. In that case you will be logged out everywhere, your access tokens will be revoked, and you choose a new password with a link that we send to this address."
      email={outcome.email}
      button="Keep this address"
      csrf={refusal?.csrf || page.csrf}
      answer={refusal}
    />
  )
}
