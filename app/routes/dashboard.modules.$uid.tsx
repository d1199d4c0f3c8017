import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { ModuleDialog } from '~/components/console/modules/module-dialog.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { moduleFileKinds, moduleFormId, moduleFormInput, noPackageToPreview } from '~/forms/modules.ts'
import { requireConsole, type SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { refusalOf, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import {
  getModuleEditor,
  listModuleFormChoices,
  moduleFileValues,
  moduleFormValues,
  savedModuleView,
} from '~/pages/module-editor.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import { Conflict, NotFound } from '~/services/errors.ts'
import { isModuleSaved, ModuleChanged, saveModule } from '~/services/modules/edit.server.ts'
import { getModule, requirePublishable } from '~/services/modules/modules.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

const removed = 'Somebody has removed this module meanwhile, so it could not be saved. What you typed is still here.'

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const [editor, choices] = await Promise.all([
    getModuleEditor(ctx, { moduleUid: args.params.uid ?? '' }).catch(throwAsPage),
    listModuleFormChoices(ctx),
  ])
  return {
    choices,
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
    const input = { ...moduleFormInput(form), moduleUid }
    const intent = text(form, 'intent')
    // With JavaScript neither is posted here; without it they must not run over what is not saved.
    if (intent === 'preview') return preview(ctx, { ...input, from: here })
    if (intent === 'publish') {
      if (!(await isModuleSaved(ctx, input))) {
        throw new Conflict('module.unsaved', 'Module needs to be saved before publishing/unpublishing')
      }
      await requirePublishable(ctx, input)
      return redirect(`${place}publish/${list}`)
    }
    try {
      const { keptOfOthers } = await saveModule(ctx, { ...input, revision: Number(text(form, 'revision')) })
      const kept = keptOfOthers.length > 0 ? ' What somebody else changed meanwhile is kept, too.' : ''
      return redirectWithNotice(args, here, { kind: 'success', text: `Module has been saved.${kept}` })
    } catch (error) {
      if (error instanceof NotFound) throw new NotFound(removed)
      if (!(error instanceof ModuleChanged)) throw error
      return giveBack(args, ctx, form, error)
    }
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

/** The form with what somebody else changed in it, and beside each field that both changed what is there now. */
async function giveBack(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, changed: ModuleChanged) {
  const now = moduleFormValues(changed.state)
  const taken = new FormData()
  for (const [name, value] of form) {
    if ((changed.theirs as string[]).includes(name)) continue
    // The section goes with its chapter.
    if (name === 'section' && changed.theirs.includes('chapterUid')) continue
    taken.append(name, value)
  }
  for (const field of changed.theirs) {
    for (const value of [now[field as keyof typeof now] ?? []].flat()) taken.append(field, String(value))
  }
  const files = moduleFileValues(await getModuleEditor(ctx, { moduleUid: args.params.uid ?? '' }))
  for (const field of ['coverImg', 'cmi5Zip'] as const) {
    if (!changed.theirs.includes(field)) continue
    taken.set(`${field}-fileName`, files[field]?.originalFileName ?? '')
    taken.set(`${field}-fileSize`, String(files[field]?.size ?? ''))
  }
  taken.set('revision', String(changed.revision))
  const { message, fieldErrors, revision } = changed
  const formId = moduleFormId(args.params.uid ?? '', revision)
  return data(await refusalOf(ctx, args.context.exchange, taken, { message, fieldErrors, formId }), { status: 409 })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating module. Please try again later.')
}

export default function EditModule() {
  const { module, choices, defaults, files } = useLoaderData<typeof loader>()
  return <ModuleDialog uid={module.uid} choices={choices} defaults={defaults} files={files} module={module} />
}
