/** What admins can set for their site, as it is stored. `services/settings` decides who may change it. */
import { sql } from 'kysely'
import type { SiteSettingsValues } from '~/forms/site-settings.ts'
import type { Ctx } from '../context.ts'

/** `defaultInstitution` is a uid. */
export type SiteSettings = SiteSettingsValues

/** Reads the settings of the site with their revision. With `isLocked`, until the end of the transaction. */
export async function readSettings(
  ctx: Ctx,
  { isLocked = false } = {},
): Promise<{ state: SiteSettings; revision: number }> {
  const query = ctx.db
    .selectFrom('sites')
    .select([
      'time_zone as timeZone',
      'sender_name as senderName',
      'reply_to as replyTo',
      'survey_url as surveyUrl',
      'records_events as recordsEvents',
      'tracks_mails as tracksMails',
      'revision',
      sql<string | null>`(select uid from universities where id = sites.default_university_id)`.as(
        'defaultInstitution',
      ),
      sql<SiteSettings['features']>`array(
        select name from feature_flags where site_id = sites.id and is_on order by name)`.as('features'),
    ])
    .where('sites.id', '=', ctx.site.id)
  const { revision, ...state } = await (isLocked ? query.forUpdate() : query).executeTakeFirstOrThrow()
  return { state, revision }
}

/** Writes all settings of the site, which the caller has locked. */
export async function writeSettings(ctx: Ctx, settings: SiteSettings, revision: number): Promise<void> {
  const { timeZone, senderName, replyTo, surveyUrl, recordsEvents, tracksMails, defaultInstitution, features } =
    settings
  await ctx.db
    .updateTable('sites')
    .set({
      time_zone: timeZone,
      sender_name: senderName,
      reply_to: replyTo,
      survey_url: surveyUrl,
      records_events: recordsEvents,
      tracks_mails: tracksMails,
      default_university_id: sql<number | null>`(
        select id from universities where uid = ${defaultInstitution} and site_id = ${ctx.site.id})`,
      revision,
      updated_at: ctx.now,
    })
    .where('id', '=', ctx.site.id)
    .execute()
  await sql`
    insert into feature_flags (site_id, name, is_on)
    select ${ctx.site.id}, flag.name, true from unnest(${features}::text[]) flag (name)
    on conflict (site_id, name) do update set is_on = true`.execute(ctx.db)
  await ctx.db
    .updateTable('feature_flags')
    .set({ is_on: false })
    .where('site_id', '=', ctx.site.id)
    .where(sql<boolean>`name <> all(${features}::text[])`)
    .execute()
}

/** Notes the time zone in which the figures of the site have been counted, unless its settings changed since. */
export async function writeFiguresZone(
  ctx: Pick<Ctx, 'db' | 'site'>,
  { revision, zone }: { revision: number; zone: string },
): Promise<void> {
  await ctx.db
    .updateTable('sites')
    .set({ figures_zone: zone })
    .where('id', '=', ctx.site.id)
    .where('revision', '=', revision)
    .where('time_zone', '=', zone)
    .execute()
}
