import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { AudienceDialog } from '~/components/console/audiences/audience-dialog.tsx'
import { revalidatesAudience } from '~/components/console/audiences/revalidation.ts'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerNewAudience, getCopyForm, withRows } from '~/pages/audience-form.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Audiences')

/** A new audience that begins with the rule of another one. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  return getCopyForm(ctx, { audienceUid: args.params.uid ?? '' }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const answer = await withForm(args, ctx, (form) => answerNewAudience(args, ctx, form))
  return withRows(ctx, answer)
}

export const shouldRevalidate = revalidatesAudience

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the audience. Please try again later.')
}

export default function DuplicateAudience() {
  return <AudienceDialog isNew view={useLoaderData<typeof loader>()} />
}
