import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { TermDialog } from '~/components/console/glossary/term-dialog.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { type TermValues, termFormId } from '~/forms/glossary.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { sendMerged } from '~/http/merged-form.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { revisionIn, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { problemsInWords } from '~/pages/checks.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { answerDraft, endDraft, offeredDraft } from '~/pages/form-drafts.server.ts'
import { NotFound } from '~/services/errors.ts'
import { getGlossaryTermToEdit, updateGlossaryTerm } from '~/services/glossary/save-term.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Glossary')

const removed =
  'Someone removed this term while you were editing it, so it could not be saved. What you typed is still here.'

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
  const list = `/dashboard/glossary/${tableSearch(new URL(args.request.url).search)}`
  return withForm(args, ctx, async (form) => {
    const offered = await answerDraft(args, ctx, form)
    if (offered) return offered
    const values = { name: text(form, 'name'), definition: text(form, 'definition') }
    try {
      const saved = await updateGlossaryTerm(ctx, { ...values, termUid, revision: revisionIn(form) })
      await endDraft(ctx, form)
      const kept = saved.keptOfOthers.length > 0 ? ' Other changes that were made in the meantime were kept.' : ''
      return redirectWithNotice(args, list, {
        kind: 'success',
        text: `Term “${saved.term.name}” has been saved.${kept}`,
      })
    } catch (error) {
      if (error instanceof NotFound) throw new NotFound(removed)
      if (!(error instanceof ChangedMeanwhile)) throw error
      const now = error.now.state as TermValues
      const valuesOf = (field: string) => ({ [field]: now[field as keyof TermValues] })
      const { exchange } = args.context
      return sendMerged({ ctx, exchange, form }, error, { formId: termFormId(termUid, error.now.revision), valuesOf })
    }
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving glossary term. Please try again later.')
}

export default function EditTerm() {
  const { term, draft, problems } = useLoaderData<typeof loader>()
  return <TermDialog uid={term.uid} term={term} draft={draft} problems={problems} />
}
