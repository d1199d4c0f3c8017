import { randomUUID } from 'node:crypto'
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { TermDialog } from '~/components/console/glossary/term-dialog.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { answerDraft, endDraft, offeredDraft } from '~/pages/form-drafts.server.ts'
import { createGlossaryTerm } from '~/services/glossary/save-term.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Glossary')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  return { uid: randomUUID(), draft: await offeredDraft(ctx, { kind: 'term' }) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  return withForm(args, ctx, async (form) => {
    const offered = await answerDraft(args, ctx, form)
    if (offered) return offered
    // With the uid of the page, a form that is sent twice creates one term.
    const input = { uid: text(form, 'uid'), name: text(form, 'name'), definition: text(form, 'definition') }
    const { name } = await createGlossaryTerm(ctx, input)
    await endDraft(ctx, form)
    // The list shows the new term, whatever part of it was open before.
    const list = `/dashboard/glossary/?${new URLSearchParams({ search: name })}`
    return redirectWithNotice(args, list, { kind: 'success', text: `Term “${name}” has been added.` })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving glossary term. Please try again later.')
}

export default function AddTerm() {
  const { uid, draft } = useLoaderData<typeof loader>()
  return <TermDialog uid={uid} term={null} draft={draft} />
}
