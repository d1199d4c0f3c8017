/** What groups may do, held against the services themselves; and why somebody can see something. */
import { describe, expect, test } from 'vitest'
import { createAccessPlan } from '~/services/access/plans.server.ts'
import { deleteUser } from '~/services/accounts/delete-user.server.ts'
import { changeAssignments, listOwnAssignments } from '~/services/assignments/assignments.server.ts'
import { listAuditLog } from '~/services/audit/audit-log.server.ts'
import { waiveUnit } from '~/services/cmi5/staff-actions.server.ts'
import type { Ctx } from '~/services/context.ts'
import { setCourseCatalogItems } from '~/services/courses/catalog.server.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { Forbidden, NotFound, ServiceError } from '~/services/errors.ts'
import { setFavorite } from '~/services/favorites/favorites.server.ts'
import { updateGlossarySettings } from '~/services/glossary/save-settings.server.ts'
import { renameUniversity } from '~/services/institutions/rename-university.server.ts'
import { inviteUser } from '~/services/invitations/invite-users.server.ts'
import { createLecture } from '~/services/lectures/create-lecture.server.ts'
import { listOutboxMails } from '~/services/mail/outbox.server.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import { getModule } from '~/services/modules/modules.server.ts'
import { updateModulesOrders } from '~/services/modules/order.server.ts'
import { createPreviewLink } from '~/services/previews/preview-links.server.ts'
import { listModuleLearners } from '~/services/progress/learners.server.ts'
import { explainAccess, findItemsByName, findPeopleByName } from '~/services/read/explain-access.server.ts'
import {
  countGroups,
  groupsWithRights,
  listGroupRights,
  type RightId,
  rights,
} from '~/services/read/group-rights.server.ts'
import { scheduleChange } from '~/services/schedule/schedule.server.ts'
import { createSession, findVisitor } from '~/services/sessions/sessions.server.ts'
import { updateSiteSettings } from '~/services/settings/settings.server.ts'
import { mergeTags } from '~/services/tags/change-tags.server.ts'
import { deactivateUser } from '~/services/users/deactivate-user.server.ts'
import { saveUser } from '~/services/users/save-user.server.ts'
import { listUserPage } from '~/services/users/table.server.ts'
import { createClient } from '~/services/xapi/clients.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { aLecture } from '../support/films.ts'
import { ctx, db, expectGuarded, site } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
const draft = await aModule(ctx, { name: 'A draft', isPublished: false })

/** Input that no service accepts: whoever may do it is told that it is invalid, and everybody else that they may not. */
const nothing = {} as never

/** What a right allows, tried by somebody. */
const tries: Record<RightId, ((who: Ctx) => Promise<unknown>)[]> = {
  learn: [(who) => listOwnAssignments(who, {}), (who) => setFavorite(who, nothing)],
  seeDrafts: [(who) => getModule(who, { moduleUid: draft.uid })],
  skipQuestionnaire: [questionnaireIsSkipped],
  editContent: [
    (who) => createModule(who, nothing),
    (who) => createCourse(who, nothing),
    (who) => createLecture(who, nothing),
  ],
  schedule: [(who) => scheduleChange(who, nothing)],
  preview: [(who) => createPreviewLink(who, { kind: 'course', itemUid: '', planUid: '' } as never)],
  seeLearners: [(who) => listModuleLearners(who, { moduleUid: draft.uid })],
  changeAttempts: [(who) => waiveUnit(who, { registrationUid: draft.uid, unitUid: '', reason: '' })],
  arrangePages: [(who) => updateModulesOrders(who, { orders: [] }), (who) => setCourseCatalogItems(who, nothing)],
  tags: [(who) => mergeTags(who, nothing)],
  glossary: [(who) => updateGlossarySettings(who, nothing)],
  invite: [(who) => inviteUser(who, nothing)],
  seePeople: [(who) => listUserPage(who, { tab: 'learners' })],
  editPeople: [
    (who) => saveUser(who, nothing),
    (who) => deactivateUser(who, { userUid: '' }),
    (who) => deleteUser(who, { userUid: '' }),
  ],
  assign: [(who) => changeAssignments(who, { kind: 'module', action: 'ASSIGN', userUids: [], itemUids: [] })],
  plans: [(who) => createAccessPlan(who, nothing)],
  institutions: [(who) => renameUniversity(who, { universityUid: '', name: '' })],
  settings: [(who) => updateSiteSettings(who, nothing)],
  audit: [(who) => listAuditLog(who, nothing), (who) => listOutboxMails(who, nothing)],
  keys: [(who) => createClient(who, nothing)],
}

async function questionnaireIsSkipped(who: Ctx): Promise<void> {
  const person = await aUser(db, { groups: who.viewer?.groups, isNew: true })
  const { id } = await createSession(who, { userUid: person.uid, agent: null })
  const { isQuestionnaireDue } = await findVisitor(db, 'institutional', id, new Date())
  if (isQuestionnaireDue) throw new Forbidden()
}

test.each(listGroupRights(admin))('the services agree on who may: $what', async ({ id, groups }) => {
  for (const group of groupsWithRights) {
    const who = await aContext(db, { viewer: await aUser(db, { groups: [group] }) })
    for (const attempt of tries[id]) {
      const error = await attempt(who).then(
        () => null,
        (error: unknown) => error,
      )
      const isRefused = error instanceof Forbidden || (id === 'seeDrafts' && error instanceof NotFound)
      expect(isRefused, `${group}: ${error}`).toBe(!groups.includes(group))
    }
  }
})

test('the counts are those of open accounts, and only admins read them', async () => {
  const before = await countGroups(admin)
  await aUser(db, { groups: ['instructors', 'learners'] })
  const closed = await aUser(db, { groups: ['instructors'] })
  await db.updateTable('users').set({ is_active: false }).where('id', '=', closed.id).execute()
  await aUser(db, { site: 'ns', groups: ['instructors'] })
  expect(await countGroups(admin)).toMatchObject({ instructors: before.instructors + 1, learners: before.learners + 1 })
  await expectGuarded(countGroups, undefined as never, { by: ['admins'], elsewhere: null })
  await expectGuarded(async (who) => listGroupRights(who), undefined, { by: ['admins'], elsewhere: null })
  expect(Object.keys(tries)).toEqual(Object.keys(rights))
})

describe('why somebody can see something', () => {
  const explain = (userUid: string, itemUid: string, kind: Parameters<typeof explainAccess>[1]['kind'] = 'modules') =>
    explainAccess(admin, { userUid, kind, itemUid })

  test('the verdict is that of the learner’s own pages, and each reason holds', async () => {
    const learner = await aUser(db)
    const [open, soon, foreign] = [
      await aModule(ctx),
      await aModule(ctx, { comingSoon: true }),
      await aModule(ctx, { plan: 'Free Access' }),
    ]
    expect(await explain(learner.uid, open.uid)).toMatchObject({ verdict: 'open', facts: { isInPlan: true } })
    expect(await explain(learner.uid, soon.uid)).toMatchObject({ verdict: 'listed', facts: { isComingSoon: true } })
    expect(await explain(learner.uid, foreign.uid)).toMatchObject({
      verdict: 'hidden',
      facts: { isPublished: true, isInPlan: false, plansOfItem: ['Free Access'], plan: { name: 'Full Access' } },
    })
    expect(await explain(learner.uid, draft.uid)).toMatchObject({ verdict: 'hidden', facts: { isPublished: false } })
    await changeAssignments(admin, {
      kind: 'module',
      action: 'ASSIGN',
      userUids: [learner.uid],
      itemUids: [foreign.uid],
    })
    const progress = { user_id: learner.id, module_id: foreign.id, site_id: site.id, progress_percent: 40 }
    await db.insertInto('module_progress').values(progress).execute()
    expect(await explain(learner.uid, foreign.uid)).toMatchObject({
      verdict: 'kept',
      facts: { isAssigned: true, isStarted: true },
    })
  })

  test('ended access, no plan, closed accounts and staff', async () => {
    const module = await aModule(ctx)
    const ended = await aUser(db)
    const yesterday = new Date(Date.now() - 86_400_000)
    await db.updateTable('subscriptions').set({ valid_to: yesterday }).where('user_id', '=', ended.id).execute()
    expect(await explain(ended.uid, module.uid)).toMatchObject({
      verdict: 'hidden',
      facts: { isInPlan: true, plan: { isValid: false } },
    })
    const without = await aUser(db, { plan: null })
    expect(await explain(without.uid, module.uid)).toMatchObject({ verdict: 'hidden', facts: { plan: null } })
    const author = await aUser(db, { groups: ['authors'], plan: null })
    expect(await explain(author.uid, draft.uid)).toMatchObject({ verdict: 'open', person: { isStaff: true } })
    const disabled = await aUser(db)
    await db.updateTable('users').set({ is_active: false }).where('id', '=', disabled.id).execute()
    expect(await explain(disabled.uid, module.uid)).toMatchObject({
      verdict: 'hidden',
      person: { account: 'disabled' },
    })
  })

  test('courses and lectures too, also where the site has switched lectures off', async () => {
    const learner = await aUser(db)
    const [course, lecture] = [await aCourse(db), await aLecture(db)]
    expect((await explain(learner.uid, course.uid, 'courses')).verdict).toBe('open')
    expect((await explain(learner.uid, lecture.uid, 'lectures')).verdict).toBe('open')
    const flag = db.updateTable('feature_flags').where('site_id', '=', site.id).where('name', '=', 'LECTURES')
    await flag.set({ is_on: false }).execute()
    expect(await explain(learner.uid, lecture.uid, 'lectures')).toMatchObject({
      verdict: 'hidden',
      facts: { isFeatureOn: false },
    })
    await flag.set({ is_on: true }).execute()
  })

  test('only admins ask, people and content are found by name, and odd input finds nothing', async () => {
    const learner = await aUser(db, { firstName: 'Zoë', lastName: 'Quist' })
    const module = await aModule(ctx, { name: 'Žilina assay' })
    expect(await findPeopleByName(admin, { search: 'zoe qu' })).toMatchObject([{ uid: learner.uid, name: 'Zoë Quist' }])
    expect(await findItemsByName(admin, { kind: 'modules', search: 'zilina' })).toMatchObject([{ uid: module.uid }])
    for (const search of ['', '%', '\0', '\ud800']) {
      expect(await findPeopleByName(admin, { search })).toEqual([])
      expect(await findItemsByName(admin, { kind: 'videos', search })).toEqual([])
    }
    const input = { userUid: learner.uid, kind: 'modules', itemUid: module.uid } as const
    await expectGuarded(explainAccess, input, { by: ['admins'] })
    await expectGuarded(findPeopleByName, { search: 'zoe' }, { by: ['admins'], elsewhere: null })
    await expectGuarded(findItemsByName, { kind: 'modules', search: 'z' }, { by: ['admins'], elsewhere: null })
    await expect(explain('', '')).rejects.toThrow(ServiceError)
  })
})
