import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { TermDialog } from '~/components/console/glossary/term-dialog.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { type TermValues, termFormId } from '~/forms/glossary.ts'
import { pageTitle } from '~/http/meta.ts'
import { revisionIn, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { problemsInWords } from '~/pages/checks.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { answerSave } from '~/pages/content-forms.server.ts'
import { answerDraft, offeredDraft } from '~/pages/form-drafts.server.ts'
import { getGlossaryTermToEdit, updateGlossaryTerm } from '~/services/glossary/save-term.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Glossary')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  const termUid = args.params.uid ?? ''
  const [term, draft, problems] = await Promise.all([
    getGlossaryTermToEdit(ctx, { termUid }).catch(throwAsPage),
    offeredDraft(ctx, { kind: 'term', uid: termUid }),
    problemsInWords(ctx, { kind: 'glossary', uid: termUid }).catch(throwAsPage),
  ])
  return { term, draft, problems }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  const termUid = args.params.uid ?? ''
  return withForm(args, ctx, async (form) => {
    const offered = await answerDraft(args, ctx, form)
    if (offered) return offered
    const values = { name: text(form, 'name'), definition: text(form, 'definition') }
    return answerSave(args, ctx, form, {
      noun: 'term',
      place: '/dashboard/glossary/',
      notice: ({ term }) => `Term “${term.name}” has been saved.`,
      save: () => updateGlossaryTerm(ctx, { ...values, termUid, revision: revisionIn(form) }),
      merged: ({ now }) => ({
        formId: termFormId(termUid, now.revision),
        valuesOf: (field) => ({ [field]: (now.state as TermValues)[field as keyof TermValues] }),
      }),
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving glossary term. Please try again later.')
}

export default function EditTerm() {
  const { term, draft, problems } = useLoaderData<typeof loader>()
  return <TermDialog uid={term.uid} term={term} draft={draft} problems={problems} />
}
