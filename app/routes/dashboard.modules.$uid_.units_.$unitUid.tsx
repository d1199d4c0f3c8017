import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { UnitRulesForm } from '~/components/console/modules/unit-rules.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { type UnitOverride, unitOverrideValues, unitRulesFormId } from '~/forms/unit-override.ts'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { type MergedForm, sendMerged } from '~/http/merged-form.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { revisionIn, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { keptInWords } from '~/pages/content-forms.server.ts'
import { unitRulesView } from '~/pages/unit-rules.server.ts'
import { getUnitRule, setUnitOverride } from '~/services/modules/overrides.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'

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
      revision: revisionIn(form),
    }).catch((error) => {
      if (error instanceof ChangedMeanwhile) return error
      throw error
    })
    if (saved instanceof ChangedMeanwhile) {
      return sendMerged({ ctx, exchange: args.context.exchange, form }, saved, mergedRulesForm(saved))
    }
    return redirectWithNotice(
      args,
      `/dashboard/modules/${uid}/units/${tableSearch(new URL(args.request.url).search)}`,
      {
        kind: 'success',
        text: `${saved.isChanged ? 'The unit has been saved. The new rules apply to launches from now on.' : 'Nothing was changed.'}${keptInWords(saved)}`,
      },
    )
  })
}

/** Returns the stored value of each rule in the form in which the page posts it. */
function mergedRulesForm({ now }: ChangedMeanwhile): MergedForm {
  const values: Record<string, string> = unitOverrideValues(now.state as UnitOverride)
  return { formId: unitRulesFormId(now.revision), valuesOf: (field) => ({ [field]: values[field] ?? '' }) }
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the unit. Please try again later.')
}

export default function EditUnitRules() {
  return <UnitRulesForm {...useLoaderData<typeof loader>()} />
}
