/** People that only one test uses, so that tests do not disturb each other. */
import { randomUUID } from 'node:crypto'
import { brands, type SiteKey } from '~/config/brands.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import type { Ctx, GroupName, Viewer } from '~/services/context.ts'
import { createInvitation } from '~/services/invitations/invitations.server.ts'
import { resendInvitations } from '~/services/invitations/invite-users.server.ts'
import { listLectures } from '~/services/lectures/lectures.server.ts'
import { recordFilmProgress } from '~/services/progress/progress.server.ts'
import { findViewer } from '~/services/sessions/sessions.server.ts'
import { listVideos } from '~/services/videos/videos.server.ts'
import { putDocument } from '~/services/xapi/xapi.server.ts'
import { anAnnouncement } from '../../support/announcements.ts'
import { launchAndFetch, send, statementOf, visit } from '../../support/cmi5.ts'
import { aContext, answerRequiredQuestions, aUser, testPassword } from '../../support/context.ts'
import { aVideo } from '../../support/films.ts'
import type { Product } from './product.ts'

export type Person = Viewer & { password: string }

export type Crowd = {
  /** A learner with the site's usual plan. With `isNew`, the questionnaire is not answered. */
  aLearner: (options?: { isNew?: boolean }) => Promise<Person>
  anAuthor: () => Promise<Person>
  anAdmin: () => Promise<Person>
  /** Somebody who registered with the password of all tests; the questionnaire is answered. */
  find: (email: string) => Promise<Person>
  /** A person who gets an invitation by mail. */
  anInvitee: () => Promise<{ email: string; firstName: string }>
  sendMessage: (person: Person, message: { subject: string; text: string }) => Promise<void>
  /** Makes the person finish the first unit of a module and close the second one on its second page. */
  leaveOnSecondPage: (person: Person, moduleName: string) => Promise<void>
  /** Makes the person complete every unit of a module. */
  complete: (person: Person, moduleName: string) => Promise<void>
  /** Makes the person begin every film of the site, more than a list shows on a page. Returns their number. */
  beginFilms: (person: Person) => Promise<number>
}

export async function openCrowd(product: Product, site: SiteKey): Promise<Crowd> {
  const { db } = product
  const ctx = await aContext(db, { site, isOperator: true })
  const plan = brands[site].subsidizedPlan
  const newAddress = () => `${randomUUID()}@people.example`
  return {
    aLearner: async ({ isNew = false } = {}) => {
      const person = await aUser(db, {
        site,
        plan,
        isNew,
        email: newAddress(),
        firstName: 'Mara',
        lastName: 'Lindqvist',
      })
      return { ...person, password: testPassword }
    },
    anAuthor: async () => {
      const author = { groups: ['authors'] as const, email: newAddress(), firstName: 'Iris', lastName: 'Novak' }
      const person = await aUser(db, { site, plan: null, ...author, groups: [...author.groups] })
      return { ...person, password: testPassword }
    },
    anAdmin: async () => {
      const admin = { groups: ['admins'] as GroupName[], email: newAddress(), firstName: 'Nora', lastName: 'Haddad' }
      return { ...(await aUser(db, { site, plan: null, ...admin })), password: testPassword }
    },
    find: async (email) => {
      const { uid } = await db.selectFrom('users').select('uid').where('email', '=', email).executeTakeFirstOrThrow()
      const person = await findViewer(ctx, { userUid: uid })
      if (!person) throw new Error(`${email} has no open account`)
      await answerRequiredQuestions(db, person.id)
      return { ...person, password: testPassword }
    },
    anInvitee: async () => {
      const invitee = { email: newAddress(), firstName: 'Tomás', lastName: 'Ferreira' }
      const { userUid } = await createInvitation(ctx, { ...invitee, groups: ['learners'], planName: plan })
      await resendInvitations(ctx, { userUids: [userUid] })
      return invitee
    },
    sendMessage: async (person, message) => {
      await anAnnouncement(db, [person], message)
    },
    leaveOnSecondPage: (person, moduleName) => leaveOnSecondPage({ ...ctx, viewer: person }, moduleName),
    complete: (person, moduleName) => complete({ ...ctx, viewer: person }, moduleName),
    beginFilms: (person) => beginFilms({ ...ctx, viewer: person }),
  }
}

type PersonCtx = Ctx & { viewer: Viewer }

async function complete(ctx: PersonCtx, moduleName: string): Promise<void> {
  for (const { versionUid, unitUid } of await unitsOf(ctx, moduleName)) {
    await visit(ctx, { moduleVersionUid: versionUid, unitUid }, 'completed', 'passed')
  }
}

async function beginFilms(ctx: PersonCtx): Promise<number> {
  for (let number = (await listVideos(ctx)).items.length; number <= itemsPerPage; number++) {
    await aVideo(ctx.db, { site: ctx.site.key, name: `Video ${number}`, plans: [brands[ctx.site.key].subsidizedPlan] })
  }
  const [{ items: lectures }, { items: videos }] = [await listLectures(ctx), await listVideos(ctx)]
  const open = [
    ...lectures.map((film) => ({ ...film, kind: 'lecture' as const })),
    ...videos.map((film) => ({ ...film, kind: 'video' as const })),
  ].filter(({ isOpenable }) => isOpenable)
  for (const { kind, uid } of open) await recordFilmProgress(ctx, { kind, uid, percent: 10 })
  return open.length
}

async function unitsOf(ctx: Ctx, moduleName: string): Promise<{ versionUid: string; unitUid: string }[]> {
  return ctx.db
    .selectFrom('modules')
    .innerJoin('module_versions', 'module_versions.id', 'modules.published_version_id')
    .innerJoin('cmi5_packages', 'cmi5_packages.module_version_id', 'module_versions.id')
    .innerJoin('cmi5_units', 'cmi5_units.package_id', 'cmi5_packages.id')
    .select(['module_versions.uid as versionUid', 'cmi5_units.uid as unitUid'])
    .where('modules.site_id', '=', ctx.site.id)
    .where('modules.name', '=', moduleName)
    .orderBy('cmi5_units.position')
    .execute()
}

async function leaveOnSecondPage(ctx: PersonCtx, moduleName: string): Promise<void> {
  const units = await unitsOf(ctx, moduleName)
  const [first, second] = units
  if (!first || !second) throw new Error(`"${moduleName}" does not have two units`)
  const moduleVersionUid = first.versionUid
  await visit(ctx, { moduleVersionUid, unitUid: first.unitUid }, 'completed')
  const { session } = await launchAndFetch(ctx, { moduleVersionUid, unitUid: second.unitUid })
  await send(ctx, session, statementOf(session, 'initialized'))
  const place = { page: 1, seen: [0, 1], answers: {} }
  const { unitIri: activityIri, actor: agent, registrationUid: registration } = session
  await putDocument(
    { ...ctx, site: session.site },
    { kind: 'state', activityIri, agent, registration, documentId: 'bookmark' },
    { content: Buffer.from(JSON.stringify(place)), contentType: 'application/json' },
  )
  await send(ctx, session, statementOf(session, 'terminated'))
}
