import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { ModuleDialog } from '~/components/console/modules/module-dialog.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import type { SentFile } from '~/components/console/send-file.ts'
import { moduleFileKinds, moduleFormId, moduleFormInput, noPackageToPreview } from '~/forms/modules.ts'
import { requireConsole, type SignedIn } from '~/http/context.server.ts'
import type { MergedForm } from '~/http/merged-form.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { revisionIn, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { problemsInWords } from '~/pages/checks.server.ts'
import { answerSave, fileInputs } from '~/pages/content-forms.server.ts'
import { answerDraft, offeredDraft } from '~/pages/form-drafts.server.ts'
import {
  getModuleEditor,
  listModuleFormChoices,
  moduleFileValues,
  moduleFormValues,
  savedModuleView,
} from '~/pages/module-editor.server.ts'
import { plannedInWords } from '~/pages/schedule.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import { Conflict } from '~/services/errors.ts'
import type { ModuleState } from '~/services/modules/module-state.server.ts'
import { getModule, requirePublishable } from '~/services/modules/modules.server.ts'
import { isModuleSaved, saveModule } from '~/services/modules/save-module.server.ts'
import type { ChangedMeanwhile } from '~/services/revisions.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const uid = args.params.uid ?? ''
  const [editor, choices, draft, problems, planned] = await Promise.all([
    getModuleEditor(ctx, { moduleUid: uid }).catch(throwAsPage),
    listModuleFormChoices(ctx),
    offeredDraft(ctx, { kind: 'module', uid }),
    problemsInWords(ctx, { kind: 'module', uid }).catch(throwAsPage),
    plannedInWords(ctx, { kind: 'module', itemUid: uid }),
  ])
  return {
    choices,
    draft,
    problems,
    planned,
    module: savedModuleView(ctx, editor),
    defaults: moduleFormValues(editor.state),
    files: moduleFileValues(editor),
  }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const moduleUid = args.params.uid ?? ''
  const place = `/dashboard/modules/${moduleUid}/`
  const list = tableSearch(new URL(args.request.url).search)
  const here = place + list
  const work = async (form: FormData) => {
    const offered = await answerDraft(args, ctx, form)
    if (offered) return offered
    const input = { ...moduleFormInput(form), moduleUid }
    const intent = text(form, 'intent')
    // With JavaScript these intents are posted elsewhere. Without it they must not ignore unsaved changes.
    if (intent === 'preview') return preview(ctx, { ...input, from: here })
    if (intent === 'publish') {
      if (!(await isModuleSaved(ctx, input))) {
        throw new Conflict('module.unsaved', 'Module needs to be saved before publishing/unpublishing')
      }
      await requirePublishable(ctx, input)
      return redirect(`${place}publish/${list}`)
    }
    return answerSave(args, ctx, form, {
      noun: 'module',
      place,
      notice: () => 'Module has been saved.',
      save: () => saveModule(ctx, { ...input, revision: revisionIn(form) }),
      merged: (changed) => mergedModuleForm(ctx, moduleUid, changed),
    })
  }
  return withForm(args, ctx, work, { files: moduleFileKinds })
}

async function preview(ctx: SignedIn, input: Parameters<typeof isModuleSaved>[1] & { from: string }) {
  if (!(await isModuleSaved(ctx, input))) {
    throw new Conflict('module.unsaved', 'Module needs to be saved before previewing')
  }
  const { currentVersionUid } = await getModule(ctx, input)
  if (currentVersionUid === null) throw new Conflict('module.no_package', noPackageToPreview)
  const { auLaunchSessionUid } = await launchUnit(ctx, { moduleVersionUid: currentVersionUid, preview: true })
  return redirect(`/viewer/${auLaunchSessionUid}/?${new URLSearchParams({ from: input.from })}`)
}

/** Returns the stored value of each field in the form in which the dialog posts it. */
async function mergedModuleForm(ctx: SignedIn, moduleUid: string, { now }: ChangedMeanwhile): Promise<MergedForm> {
  const values: Record<string, string | string[]> = moduleFormValues(now.state as ModuleState)
  const files: Record<string, SentFile | null> = moduleFileValues(await getModuleEditor(ctx, { moduleUid }))
  return {
    formId: moduleFormId(moduleUid, now.revision),
    valuesOf: (field) => ({
      ...(field in files ? fileInputs(field, files[field] ?? null) : { [field]: values[field] ?? [] }),
      // A section changes with its chapter.
      ...(field === 'chapterUid' && { section: [] }),
    }),
  }
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating module. Please try again later.')
}

export default function EditModule() {
  const { module, choices, draft, problems, planned, defaults, files } = useLoaderData<typeof loader>()
  return (
    <ModuleDialog
      uid={module.uid}
      choices={choices}
      defaults={defaults}
      files={files}
      module={module}
      draft={draft}
      problems={problems}
      planned={planned}
    />
  )
}
