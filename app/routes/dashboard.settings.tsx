import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { SiteSettings } from '~/components/console/settings/site-settings.tsx'
import { settingsFormId } from '~/forms/site-settings.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { sendMerged } from '~/http/merged-form.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { revisionIn, text, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getSettingsPage, settingValues } from '~/pages/site-settings.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { type SiteSettings as Settings, updateSiteSettings } from '~/services/settings/settings.server.ts'

export const meta = pageTitle('Dashboard : Settings')

export async function loader(args: LoaderFunctionArgs) {
  return getSettingsPage(await requireSection(args, 'settings'))
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'settings')
  return withForm(args, ctx, async (form) => {
    const input = {
      timeZone: text(form, 'timeZone'),
      defaultInstitution: text(form, 'defaultInstitution'),
      features: form.getAll('features'),
      senderName: text(form, 'senderName'),
      replyTo: text(form, 'replyTo'),
      surveyUrl: text(form, 'surveyUrl'),
      recordsEvents: form.has('recordsEvents'),
      tracksMails: form.has('tracksMails'),
      revision: revisionIn(form),
    }
    try {
      await updateSiteSettings(ctx, input as Parameters<typeof updateSiteSettings>[1])
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
      const { state, revision } = error.now as { state: Settings; revision: number }
      const values = settingValues(state)
      const valuesOf = (field: string) => ({ [field]: values[field] ?? '' })
      return sendMerged({ ctx, exchange: args.context.exchange, form }, error, {
        formId: settingsFormId(revision),
        valuesOf,
      })
    }
    return redirectWithNotice(args, '/dashboard/settings/', { kind: 'success', text: 'Settings have been saved.' })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving settings. Please try again later.')
}

export default function SettingsSection() {
  return <SiteSettings {...useLoaderData<typeof loader>()} />
}
