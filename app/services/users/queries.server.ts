import { sql } from 'kysely'
import type { Database } from '~db/client.server.ts'
import { isSentTo } from '../access/announcements.server.ts'
import type { GroupName } from '../context.ts'
import { hasAnsweredAll } from '../questionnaire/questionnaire.server.ts'

/** Selects users with everything that belongs to them one to one. */
export function userQuery(db: Database) {
  return db
    .selectFrom('users')
    .leftJoin('universities', 'universities.id', 'users.university_id')
    .leftJoin('subscriptions', 'subscriptions.user_id', 'users.id')
    .leftJoin('access_plans', 'access_plans.id', 'subscriptions.access_plan_id')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('invitations')
          .leftJoin('access_plans as invited_plan', 'invited_plan.id', 'invitations.access_plan_id')
          .select([
            'invitations.created_at',
            'invitations.last_attempted_send_at',
            'invitations.sent_at',
            'invited_plan.name as plan_name',
          ])
          .whereRef('invitations.user_id', '=', 'users.id')
          .orderBy('invitations.id', 'desc')
          .limit(1)
          .as('invitation'),
      (join) => join.onTrue(),
    )
    .leftJoin('modules as viewed_module', 'viewed_module.id', 'users.last_viewed_module_id')
    .leftJoin('videos as watched_video', 'watched_video.id', 'users.last_watched_video_id')
    .leftJoin('lectures as watched_lecture', 'watched_lecture.id', 'users.last_watched_lecture_id')
    .select([
      'users.uid',
      'users.first_name as firstName',
      'users.last_name as lastName',
      'users.email',
      'users.is_active as isActive',
      'users.joined_at as joinedAt',
      'users.last_login_at as lastLoginAt',
      'users.opted_out_of_emails as optOutOfEmails',
      'universities.uid as universityUid',
      'universities.name as universityName',
      'subscriptions.type as subscriptionType',
      'subscriptions.valid_from as validFrom',
      'subscriptions.valid_to as validTo',
      'access_plans.uid as planUid',
      'access_plans.name as planName',
      'invitation.created_at as invitedAt',
      'invitation.last_attempted_send_at as invitationAttemptedAt',
      'invitation.sent_at as invitationSentAt',
      'invitation.plan_name as invitationPlanName',
      'viewed_module.uid as lastViewedModuleUid',
      'watched_video.uid as lastWatchedVideoUid',
      'watched_lecture.uid as lastWatchedLectureUid',
      sql<GroupName[]>`array(select name from user_groups where user_id = users.id order by name)`.as('groups'),
      hasAnsweredAll({ id: 'users.id', siteId: 'users.site_id' }).as('allQuestionsAnswered'),
      sql<number>`(
        select count(*) from announcement_recipients r join announcements a on a.id = r.announcement_id
        where r.opened_at is null
          and ${isSentTo({ userId: sql.ref('users.id'), siteId: sql.ref('users.site_id') })})`.as(
        'numUnreadAnnouncements',
      ),
    ])
    .where('users.erased_at', 'is', null)
}

export type UserRow = Awaited<ReturnType<ReturnType<typeof userQuery>['executeTakeFirstOrThrow']>>
