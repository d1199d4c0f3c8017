import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { UnitRulesForm } from '~/components/console/modules/unit-rules.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { unitOverrideValues, unitRulesFormId } from '~/forms/unit-override.ts'
import { requireConsole, type SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { refusalOf, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { unitRulesView } from '~/pages/unit-rules.server.ts'
import { getUnitRule, setUnitOverride, UnitRulesChanged } from '~/services/modules/overrides.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid = '', unitUid = '' } = args.params
  const unit = await getUnitRule(ctx, { moduleUid: uid, unitUid }).catch(throwAsPage)
  return {
    module: { uid: unit.moduleUid, name: unit.moduleName },
    unit: unitRulesView(args.request, unit),
    revision: unit.revision,
  }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid = '', unitUid = '' } = args.params
  return withForm(args, ctx, async (form) => {
    const saved = await setUnitOverride(ctx, {
      moduleUid: uid,
      unitUid,
      moveOn: text(form, 'moveOn'),
      masteryScore: text(form, 'masteryScore'),
      launchParameters: text(form, 'launchParameters'),
      revision: Number(text(form, 'revision')),
    }).catch((error) => {
      if (error instanceof UnitRulesChanged) return error
      throw error
    })
    if (saved instanceof UnitRulesChanged) return giveBack(args, ctx, form, saved)
    const kept = saved.keptOfOthers.length > 0 ? ' What somebody else changed meanwhile is kept, too.' : ''
    return redirectWithNotice(
      args,
      `/dashboard/modules/${uid}/units/${tableSearch(new URL(args.request.url).search)}`,
      {
        kind: 'success',
        text: `${saved.isChanged ? 'The unit has been saved. Launches from now on go by it.' : 'Nothing was changed.'}${kept}`,
      },
    )
  })
}

/** The form with what somebody else changed in it, and beside each rule that both changed what is there now. */
async function giveBack(args: ActionFunctionArgs, ctx: SignedIn, form: FormData, changed: UnitRulesChanged) {
  const now = unitOverrideValues(changed.override)
  for (const field of changed.theirs) form.set(field, now[field])
  const { message, fieldErrors, revision } = changed
  form.set('revision', String(revision))
  const formId = unitRulesFormId(revision)
  return data(await refusalOf(ctx, args.context.exchange, form, { message, fieldErrors, formId }), { status: 409 })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the unit. Please try again later.')
}

export default function EditUnitRules() {
  return <UnitRulesForm {...useLoaderData<typeof loader>()} />
}
