/** Erasing people thirty days after their accounts were deleted. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deleteUser } from '~/services/accounts/delete-user.server.ts'
import { changeAssignments } from '~/services/assignments/assignments.server.ts'
import { recordAudit } from '~/services/audit/audit.server.ts'
import { eraseDeletedUsers } from '~/services/erasure/erasure.server.ts'
import { restoreUser } from '~/services/users/delete-user.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { ctx, db } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
const after = (days: number) => ({ ...ctx, now: new Date(Date.now() + days * 86_400_000) })

/**
 * What happens to each column that identifies a person when the person is erased. `row`: the row is deleted; `empty`: the
 * column is emptied; anything else is the reason why it stays. A uid or id of an erased person names nobody any more.
 */
const unnamed = 'figures keep counting, and the account behind it has no name any more'
const record = 'the record of changes and published content keeps who did it'
const columns: Record<string, string> = {
  'access_tokens.user_id': 'row',
  'account_mails.user_id': 'row',
  'account_mails.address': 'row',
  'account_mails.email_key': 'deleted within two days',
  'address_changes.created_by': record,
  'address_changes.email': 'row',
  'address_changes.user_id': 'row',
  'announcement_recipients.user_id': unnamed,
  'announcements.author_id': record,
  'announcements.deleted_by': record,
  'announcements.author_name': record,
  'announcements.selected_user_uids': unnamed,
  'assignment_reminders.user_id': 'row',
  'audiences.created_by': record,
  'standing_assignments.created_by': record,
  'standing_assignment_people.user_id': 'row',
  'audiences.deleted_by': record,
  'audiences.updated_by': record,
  'audit_entries.actor_id': record,
  'audit_entries.actor_name': 'only of staff, for what they did to others',
  'bulk_operations.created_by': record,
  'course_assignments.assigned_by': unnamed,
  'course_assignments.user_id': 'row',
  'course_progress.user_id': unnamed,
  'course_versions.author_id': record,
  'course_versions.author_name': record,
  'courses.deleted_by': record,
  'events.user_id': 'empty',
  'favorites.user_id': 'row',
  'form_drafts.user_id': 'row',
  'glossary_terms.deleted_by': record,
  'invitations.invited_by': unnamed,
  'invitations.user_id': 'row',
  'launch_sessions.launched_by': unnamed,
  'launch_sessions.registration_id': unnamed,
  'lecture_progress.user_id': unnamed,
  'lectures.deleted_by': record,
  'mail_suppressions.released_by': record,
  'mails.address': 'empty',
  'mails.user_id': unnamed,
  'logins.user_id': unnamed,
  'module_assignments.assigned_by': unnamed,
  'module_assignments.user_id': 'row',
  'module_progress.user_id': unnamed,
  'module_versions.author_id': record,
  'module_versions.author_name': record,
  'modules.deleted_by': record,
  'one_time_tokens.user_id': 'row',
  'person_years.user_id': unnamed,
  'preview_links.created_by': record,
  'question_answers.registration_id': unnamed,
  'question_answers.user_id': unnamed,
  'reminded_assignments.user_id': 'row',
  'replaced_assignments.assigned_by': unnamed,
  'replaced_assignments.user_id': 'row',
  'registration_blocks.registration_id': unnamed,
  'registration_units.registration_id': unnamed,
  'registrations.user_id': unnamed,
  'removed_tags.deleted_by': record,
  'removed_universities.deleted_by': record,
  'removed_university_people.user_id': 'row',
  'report_files.user_id': 'row',
  'report_run_people.user_id': 'row',
  'saved_views.user_id': 'row',
  'scheduled_changes.created_by': record,
  'scheduled_report_recipients.user_id': 'row',
  'scheduled_reports.deleted_by': record,
  'scheduled_reports.owner_id': 'row',
  'search_queries.user_id': 'empty',
  'session_views.created_by': 'row',
  'session_views.user_id': 'row',
  'sessions.address': 'row',
  'sessions.agent': 'row',
  'sessions.user_id': 'row',
  'stored_files.created_by': record,
  'subscriptions.user_id': 'row',
  'uploads.created_by': record,
  'user_answers.user_id': 'row',
  'user_facets.user_id': 'row',
  'user_groups.user_id': 'row',
  'users.email': 'empty',
  'users.email_key': 'empty',
  'video_plays.user_id': unnamed,
  'video_progress.user_id': unnamed,
  'videos.deleted_by': record,
  'visits.user_id': unnamed,
  'xapi_documents.agent_id': 'row',
  'xapi_documents.registration': unnamed,
  'xapi_forwards.registration': unnamed,
  'xapi_statement_references.actor_id': unnamed,
  'xapi_statement_references.registration': unnamed,
  'xapi_statements.actor_id': unnamed,
  'xapi_statements.registration': unnamed,
}

const personal =
  /^(user_id|actor|actor_id|actor_name|author_name|email|email_key|address|agent|agent_id|registration|registration_id|selected_user_uids)$/

test('every column that is about a person is erased, or stays for a reason', async () => {
  const { rows } = await sql<{ name: string; column: string; isPerson: boolean }>`
    select k.relname || '.' || a.attname as name, a.attname as column, exists (
      select from pg_constraint c
      where c.conrelid = k.oid and c.confrelid = 'users'::regclass and a.attnum = any(c.conkey)
        and a.attname <> 'site_id') as "isPerson"
    from pg_class k join pg_attribute a on a.attrelid = k.oid and a.attnum > 0 and not a.attisdropped
    where k.relnamespace = 'public'::regnamespace and k.relkind in ('r', 'p') and not k.relispartition
      and k.relname <> 'xapi_statement_ids'`.execute(db)
  const found = rows.filter(({ column, isPerson }) => isPerson || personal.test(column)).map(({ name }) => name)
  expect(
    found.filter((name) => !(name in columns)),
    'say above, and in services/erasure, what happens to these',
  ).toEqual([])
  expect(
    Object.keys(columns).filter((name) => !found.includes(name)),
    'these columns are gone',
  ).toEqual([])
})

test('what is to be erased is erased thirty days after the deletion, and not before', async () => {
  const person = await aUser(db, { email: 'erased@titrate.example' })
  const module = await aModule(ctx, { name: 'Screening' })
  await changeAssignments(admin, { kind: 'module', action: 'ASSIGN', userUids: [person.uid], itemUids: [module.uid] })
  await sql`
    insert into events (site_id, user_id, name) values (${person.siteId}, ${person.id}, 'test')`.execute(db)
  await sql`
    insert into search_queries (site_id, user_id, query, type, results) values (${person.siteId}, ${person.id}, 'x', 'all', 0)`.execute(
    db,
  )
  await sql`insert into visits (site_id, user_id) values (${person.siteId}, ${person.id})`.execute(db)
  await deleteUser(admin, { userUid: person.uid })
  expect(await eraseDeletedUsers(after(29))).toBe(0)
  expect(await eraseDeletedUsers(after(31))).toBe(1)
  expect(await eraseDeletedUsers(after(31)), 'again').toBe(0)
  const count = async (name: string) => {
    const [table = '', column = ''] = name.split('.')
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)} where ${sql.ref(column)} = ${person.id}`.execute(db)
    return rows[0]?.count
  }
  const ids = Object.keys(columns).filter(
    (name) => name.endsWith('.user_id') && ['row', 'empty'].includes(columns[name] ?? ''),
  )
  for (const name of ids) expect([name, await count(name)]).toEqual([name, 0])
  expect(await count('visits.user_id')).toBe(1)
  const row = await db.selectFrom('users').selectAll().where('id', '=', person.id).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ first_name: null, last_name: null, email: null, email_key: null, password_hash: null })
  expect(JSON.stringify(row)).not.toMatch(/ada|okafor|erased@/i)
  await expect(restoreUser(admin, { userUid: person.uid })).rejects.toThrow(/can no longer be restored/)
  expect(await aUser(db, { email: 'erased@titrate.example' }), 'the address is free again').toBeDefined()
})

test('the record of changes keeps the names of staff, and not of learners or what stood for a name', async () => {
  const [learner, author, unnamed] = [
    await aUser(db, { firstName: 'Zoe', lastName: 'Quill' }),
    await aUser(db, { firstName: 'Ann', lastName: 'Quill', groups: ['authors'], plan: null }),
    await aUser(db, { firstName: '', lastName: '', groups: ['authors'], plan: null }),
  ]
  const other = await aUser(db)
  for (const viewer of [learner, author, unnamed]) {
    const own = await aContext(db, { viewer })
    const entry = { action: 'user.changed', entity: 'user' }
    await recordAudit(own, { ...entry, entityUid: viewer.uid }, { ...entry, entityUid: other.uid })
    await deleteUser(admin, { userUid: viewer.uid })
  }
  await sql`
    update audit_entries set actor_name = 'her.earlier@titrate.example'
    where actor_id = ${unnamed.id} and entity_uid = ${other.uid}`.execute(db)
  await eraseDeletedUsers(after(31))
  const namesOf = async ({ id }: { id: number }) => {
    const { rows } = await sql<{ name: string }>`
      select actor_name as name from audit_entries where actor_id = ${id} order by id`.execute(db)
    return rows.map(({ name }) => name)
  }
  expect(await namesOf(learner)).toEqual(['Deleted user', 'Deleted user'])
  expect(await namesOf(author)).toEqual(['Deleted user', 'Ann Quill'])
  expect(await namesOf(unnamed)).toEqual(['Deleted user', 'Deleted user'])
})
