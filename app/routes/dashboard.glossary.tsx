import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, Outlet, useLoaderData } from '@remix-run/react'
import { GlossaryManager } from '~/components/console/glossary/glossary-manager.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { settingsFormId } from '~/forms/glossary.ts'
import { termsTable } from '~/forms/glossary-tables.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { sendMerged } from '~/http/merged-form.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { revisionIn, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { requireExistingPage, requireKnownFilters } from '~/http/table-page.server.ts'
import { readTableQuery, tableSearch } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getGlossaryForConsole } from '~/pages/glossary-manager.server.ts'
import { getGlossarySettingsToEdit, updateGlossarySettings } from '~/services/glossary/save-settings.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'

export const meta = pageTitle('Dashboard : Glossary')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  const { searchParams } = new URL(args.request.url)
  const isEditing = searchParams.get('edit') === 'heading'
  const [glossary, settings] = await Promise.all([
    getGlossaryForConsole(ctx, readTableQuery(searchParams, termsTable)),
    isEditing ? getGlossarySettingsToEdit(ctx) : null,
  ]).catch(throwAsPage)
  requireKnownFilters(args.request, termsTable, { letter: glossary.letters.map(({ letter }) => ({ value: letter })) })
  return {
    glossary: requireExistingPage(args.request, termsTable, glossary),
    settings: settings && { ...settings.state, revision: settings.revision },
  }
}

/** Saves the heading. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  const list = `/dashboard/glossary/${tableSearch(new URL(args.request.url).search)}`
  return withForm(args, ctx, async (form) => {
    const input = {
      headline: text(form, 'headline'),
      description: text(form, 'description'),
      revision: revisionIn(form),
    }
    try {
      await updateGlossarySettings(ctx, input)
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
      const { state, revision } = error.now as Awaited<ReturnType<typeof getGlossarySettingsToEdit>>
      const { exchange } = args.context
      const values: Record<string, string> = state
      const valuesOf = (field: string) => ({ [field]: values[field] ?? '' })
      return sendMerged({ ctx, exchange, form }, error, { formId: settingsFormId(revision), valuesOf })
    }
    return redirectWithNotice(args, list, { kind: 'success', text: 'Glossary settings have been saved.' })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating glossary settings. Please try again later.')
}

export default function GlossarySection() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <GlossaryManager {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
