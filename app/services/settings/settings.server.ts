/** The settings of a site, which its admins change. Each change is in the audit log with its values before and after. */
import type { z } from 'zod'
import { siteSettingsForm } from '~/forms/site-settings.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import { findUniversityByUid } from '../institutions/institutions.server.ts'
import { projectGroupsOf } from '../questionnaire/questionnaire.server.ts'
import { queue } from '../queue/queue.server.ts'
import { changedFields, mergeSave, pickFields, type Revised } from '../revisions.ts'
import { readSettings, type SiteSettings, writeSettings } from '../sites/stored-settings.server.ts'

export type { SiteSettings }

/** Returns the settings for their form, for admins. */
export async function getSiteSettings(ctx: Ctx): Promise<Revised<SiteSettings>> {
  requireAdmin(ctx)
  return readSettings(ctx)
}

/**
 * Changes the settings of the site, for admins. With the `revision` at which the form was opened, the change is merged
 * with what others have saved since (ChangedMeanwhile).
 */
export async function updateSiteSettings(
  ctx: Ctx,
  input: z.input<typeof siteSettingsForm> & { revision?: number },
): Promise<SiteSettings> {
  requireAdmin(ctx, 'write')
  const mine = parseInput(siteSettingsForm, input)
  return inTransaction(ctx, async (ctx) => {
    const now = await readSettings(ctx, { isLocked: true })
    const { state } = now
    const { changes } = await mergeSave<SiteSettings>(ctx, {
      entity: 'site',
      entityUid: ctx.site.uid,
      subject: 'the settings',
      now,
      revision: input.revision,
      mine,
      describe: (field, now) => describeSetting(ctx, field, now),
    })
    const fields = changedFields(state, changes)
    if (fields.length === 0) return state
    const next = { ...state, ...changes }
    const universityUids = fields.includes('defaultInstitution') ? await checkInstitutions(ctx, state, next) : []
    const revision = now.revision + 1
    await writeSettings(ctx, next, revision)
    await projectGroupsOf(ctx, { universityUids })
    if (fields.includes('timeZone')) await queue(ctx, 'renew-figures', {})
    await recordAudit(ctx, {
      action: 'site.updated',
      entity: 'site',
      entityUid: ctx.site.uid,
      before: pickFields(state, fields),
      after: { ...changes, revision },
    })
    return next
  })
}

/** Checks the new default institution, and returns the institutions whose people change their group with it. */
async function checkInstitutions(ctx: Ctx, before: SiteSettings, after: SiteSettings): Promise<string[]> {
  const problem = 'This institution no longer exists.'
  if (after.defaultInstitution && !(await findUniversityByUid(ctx, { uid: after.defaultInstitution }))) {
    throw new Invalid(problem, { defaultInstitution: problem })
  }
  return [before.defaultInstitution, after.defaultInstitution].flatMap((uid) => uid ?? [])
}

/** Says what a setting is now, to somebody who has changed it too. */
async function describeSetting(ctx: Ctx, field: keyof SiteSettings, now: SiteSettings): Promise<string> {
  const value = now[field]
  if (field === 'recordsEvents' || field === 'tracksMails') {
    return value ? 'It is switched on now.' : 'It is switched off now.'
  }
  if (field === 'features') return 'Other areas are switched on now.'
  if (value === null) return 'It is empty now.'
  const shown = field === 'defaultInstitution' ? (await findUniversityByUid(ctx, { uid: String(value) }))?.name : value
  return `It is now “${shown}”.`
}
