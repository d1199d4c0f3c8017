/** The settings of a site in the console: their form, and what it offers to choose from. */
import type { SiteSettingsView } from '~/components/console/settings/view.ts'
import { brands } from '~/config/brands.ts'
import type { Ctx } from '~/services/context.ts'
import { listAllUniversities } from '~/services/institutions/institutions.server.ts'
import type { Revised } from '~/services/revisions.ts'
import { getSiteSettings, type SiteSettings } from '~/services/settings/settings.server.ts'

export async function getSettingsPage(ctx: Ctx): Promise<SiteSettingsView> {
  const [{ state, revision }, institutions] = await Promise.all([getSiteSettings(ctx), listAllUniversities(ctx)])
  return {
    revision,
    values: settingValues(state),
    institutions: institutions.map(({ uid, name }) => ({ value: uid, label: name })),
    timeZones: timeZonesWith(state.timeZone),
    brandName: brands[ctx.site.key].name,
  }
}

/** The values that the form has for a state: a box that is not ticked posts nothing. */
export function settingValues(state: Revised<SiteSettings>['state']): SiteSettingsView['values'] {
  const { timeZone, defaultInstitution, features, senderName, replyTo, surveyUrl, recordsEvents, tracksMails } = state
  return {
    ...{ timeZone, features },
    defaultInstitution: defaultInstitution ?? '',
    senderName: senderName ?? '',
    replyTo: replyTo ?? '',
    surveyUrl: surveyUrl ?? '',
    recordsEvents: recordsEvents ? 'on' : [],
    tracksMails: tracksMails ? 'on' : [],
  }
}

/** The time zones that this server knows, and the one that is set, which may have an older name. */
function timeZonesWith(current: string): string[] {
  return [...new Set([current, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort()
}
