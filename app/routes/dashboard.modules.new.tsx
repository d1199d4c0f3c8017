import { randomUUID } from 'node:crypto'
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { ModuleDialog } from '~/components/console/modules/module-dialog.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { moduleFileKinds, moduleFormInput } from '~/forms/modules.ts'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { answerDraft, endDraft, offeredDraft } from '~/pages/form-drafts.server.ts'
import { listModuleFormChoices } from '~/pages/module-editor.server.ts'
import { Conflict } from '~/services/errors.ts'
import { createModule } from '~/services/modules/create-module.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const [choices, draft] = await Promise.all([listModuleFormChoices(ctx), offeredDraft(ctx, { kind: 'module' })])
  return { uid: randomUUID(), choices, draft }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const work = async (form: FormData) => {
    const offered = await answerDraft(args, ctx, form)
    if (offered) return offered
    // This button reaches the server only without JavaScript.
    if (text(form, 'intent') === 'preview') {
      throw new Conflict('module.unsaved', 'Module needs to be saved before previewing')
    }
    // With the uid of the page, a form that is sent twice creates one module.
    const { uid } = await createModule(ctx, { ...moduleFormInput(form), uid: text(form, 'uid') })
    await endDraft(ctx, form)
    const to = `/dashboard/modules/${uid}/${tableSearch(new URL(args.request.url).search)}`
    // Replaces the form in the history; otherwise Back would open an empty form.
    return redirectWithNotice(args, to, { kind: 'success', text: 'Module has been saved.' }, { isReplacing: true })
  }
  return withForm(args, ctx, work, { files: moduleFileKinds })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving module. Please try again later.')
}

export default function CreateModule() {
  const { uid, choices, draft } = useLoaderData<typeof loader>()
  return (
    <ModuleDialog
      uid={uid}
      choices={choices}
      defaults={{ inSelfStudy: 'on', showsTerms: 'on', accessPlanUids: [] }}
      files={{ coverImg: null, cmi5Zip: null }}
      module={null}
      draft={draft}
    />
  )
}
