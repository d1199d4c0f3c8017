import { describe, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import {
  checkLaunchSession,
  endIdleLaunches,
  endLaunch,
  endLaunchesOfPerson,
  fetchToken,
  findUnitSession,
  getLaunch,
  launchInfo,
  launchUnit,
  recordAuStatements,
  touchLaunchesOfPackage,
  touchUnitSession,
} from '~/services/cmi5/cmi5.server.ts'
import { fetchSecretOf } from '~/services/cmi5/secrets.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, Forbidden, NotFound } from '~/services/errors.ts'
import { findOwnModulesProgress, listOwnAttempts } from '~/services/progress/progress.server.ts'
import { getUser, recordViewedModule } from '~/services/users/users.server.ts'
import { aModule, aModuleVersion, launchAndFetch, send, statementOf, storyOf, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { ctx, db } from '../support/test.ts'

async function aLearner(options: Parameters<typeof aUser>[1] & { now?: Date } = {}): Promise<Ctx> {
  const { now, ...user } = options
  const viewer = await aUser(db, user)
  return aContext(db, { ...(user.site && { site: user.site }), ...(now && { now }), viewer })
}

async function progressOf(learner: Ctx, moduleUid: string) {
  return (await findOwnModulesProgress(learner, { moduleUids: [moduleUid] })).get(moduleUid)
}

async function registrationsOf(learner: Ctx) {
  return db
    .selectFrom('registrations')
    .select(['uid', 'number', 'module_version_id as versionId', 'closed_at as closedAt', 'is_preview as isPreview'])
    .where('user_id', '=', learner.viewer?.id ?? 0)
    .orderBy('id')
    .execute()
}

test('a learner launches, works and leaves, and her progress and score are recorded', async () => {
  const module = await aModule(ctx, { units: [{ moveOn: 'CompletedAndPassed', masteryScore: 0.8 }] })
  const learner = await aLearner()
  const { session, uid } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await send(learner, session, statementOf(session, 'initialized'))
  await send(learner, session, statementOf(session, 'experienced', { progress: 40 }))
  expect((await progressOf(learner, module.uid))?.percent).toBe(40)
  await send(learner, session, [
    statementOf(session, 'completed'),
    statementOf(session, 'passed', { score: { scaled: 0.9 } }),
  ])
  await send(learner, session, statementOf(session, 'terminated'))
  expect(await progressOf(learner, module.uid)).toMatchObject({ percent: 100, highestScore: 90, retakingPercent: null })
  const story = await storyOf(db, session.registrationUid)
  expect(story.map(({ verb }) => verb)).toEqual([
    'launched',
    'initialized',
    'experienced',
    'completed',
    'passed',
    'satisfied',
    'terminated',
  ])
  expect(await getLaunch(learner, { auLaunchSessionUid: uid })).toMatchObject({ status: 'terminated', launchUrl: null })
  const [attempt] = await listOwnAttempts(learner, { moduleUid: module.uid })
  expect(attempt).toMatchObject({ number: 1, percent: 100, score: 90, isSatisfied: true })
  expect(attempt?.units).toMatchObject([{ state: 'passed', percent: 100, score: 90, seconds: 10 }])
})

test('the launch address adds our parameters to the unit’s and keeps its fragment (cmi5 8.1, 8.1.1 to 8.1.5)', async () => {
  const module = await aModule(ctx, { units: [{ url: 'start.html?paramA=1&b=2#/p' }] })
  const learner = await aLearner()
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
  const { launchUrl, fallbackUrl, programUrl, returnUrl, units } = await getLaunch(learner, { auLaunchSessionUid })
  const url = new URL(launchUrl as string)
  const origin = `http://${module.uid}.content.localhost:3001`
  expect(url.origin).toBe(origin)
  expect(url.hash).toBe('#/p')
  expect([...url.searchParams.keys()]).toEqual([
    'paramA',
    'b',
    'endpoint',
    'fetch',
    'actor',
    'registration',
    'activityId',
  ])
  expect(url.searchParams.get('endpoint')).toBe(`${origin}/xapi/`)
  const fetchUrl = url.searchParams.get('fetch') as string
  expect(fetchUrl).toMatch(/\/launch\/fetch\/[\w-]{43}$/)
  expect(fetchUrl.startsWith(`${origin}/`)).toBe(true)
  // For a browser that cannot resolve names below localhost, all of it is on the host that modules share.
  const shared = new URL(fallbackUrl as string)
  expect([shared.origin, shared.hash]).toEqual(['http://127.0.0.1:3001', '#/p'])
  expect([...shared.searchParams.keys()]).toEqual([...url.searchParams.keys()])
  expect(shared.href).not.toContain('content.localhost')
  expect(shared.pathname).not.toBe(url.pathname)
  // Programs, which resolve none of these names, call the shared host for the same unit.
  const program = new URL(programUrl as string)
  expect([program.origin, program.pathname]).toEqual([origin, url.pathname])
  expect(program.searchParams.get('endpoint')).toBe('http://127.0.0.1:3001/xapi/')
  expect(program.searchParams.get('fetch')).toBe(shared.searchParams.get('fetch'))
  const actor = JSON.parse(url.searchParams.get('actor') as string)
  expect(actor).toEqual({
    objectType: 'Agent',
    account: { homePage: 'http://localhost:3000/xapi/activities/', name: learner.viewer?.uid },
  })
  expect(url.searchParams.get('activityId')).toBe(module.units[0]?.iri)
  expect(module.units[0]?.iri).not.toBe(module.units[0]?.publisherId)
  expect(returnUrl).toBe(`http://localhost:3000/module-exit/${module.versionUid}/`)
  expect(units).toMatchObject([{ index: 0, percent: 0, isCurrent: true, title: { en: 'Unit 1' } }])
})

test('where the operator names the content hosts, there is no shared address', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  env().CONTENT_ORIGIN = 'https://*.content.example.net'
  try {
    const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
    const { launchUrl, fallbackUrl, programUrl } = await getLaunch(learner, { auLaunchSessionUid })
    expect(programUrl).toBe(launchUrl)
    const url = new URL(launchUrl as string)
    const origin = `https://${module.uid}.content.example.net`
    expect([url.origin, url.searchParams.get('endpoint'), fallbackUrl]).toEqual([origin, `${origin}/xapi/`, null])
  } finally {
    env().CONTENT_ORIGIN = undefined
  }
})

test.each([
  ['index.html', 'AnyWindow', 'frame'],
  ['index.html', 'OwnWindow', 'window'],
  ['https://elsewhere.example/unit', 'AnyWindow', 'frame'],
  // Who asks for a window there may forbid frames, and nothing of ours would show.
  ['https://elsewhere.example/unit', 'OwnWindow', 'alone'],
  ['http://elsewhere.example/unit', 'AnyWindow', 'alone'],
  ['HTTP://elsewhere.example/unit', 'OwnWindow', 'alone'],
])('F8 a unit at %s for %s opens in: %s', async (url, launchMethod, opening) => {
  const module = await aModule(ctx, { units: [{ url }] })
  await db
    .updateTable('cmi5_units')
    .set({ launch_method: launchMethod })
    .where('id', '=', module.units[0]?.id ?? 0)
    .execute()
  const learner = await aLearner()
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
  expect((await getLaunch(learner, { auLaunchSessionUid })).opening).toBe(opening)
})

test.each([
  'http://localhost:3000/logout/',
  'http://LOCALHOST.:3000/logout/',
  'http://ns.localhost:3000/',
  'http://127.0.0.1:3000/logout/',
  'http://[::1]:3001/x',
  'http://0.0.0.0:3000/logout/',
  'http://[::ffff:127.0.0.1]:3000/logout/',
  'http://00000000-0000-4000-8000-000000000000.content.localhost:3001/x',
])('F16 a unit at our own address %s is not launched', async (url) => {
  const module = await aModule(ctx, { units: [{ url }] })
  const learner = await aLearner()
  const { error, launchUrl } = await launchInfo(learner, { moduleVersionUid: module.versionUid })
  expect([error, launchUrl]).toEqual(['This unit’s address is on this site, where no content may run.', null])
  expect(await listOwnAttempts(learner, { moduleUid: module.uid })).toEqual([])
})

test('a unit with an absolute address opens there', async () => {
  const module = await aModule(ctx, { units: [{ url: 'https://elsewhere.example/unit' }] })
  const learner = await aLearner()
  const info = await launchInfo(learner, { moduleVersionUid: module.versionUid })
  expect(info.error).toBeNull()
  expect(info.launchUrl).toMatch(/^https:\/\/elsewhere\.example\/unit\?endpoint=/)
})

test('cmi5 13.1.4: a unit for another program is not launched, with a message; without a chosen unit another one opens', async () => {
  const spec = { units: [{ url: 'steam://run/1' }, {}, { url: 'zoommtg:join' }] }
  const { uid, versionUid, units } = await aModule(ctx, spec)
  const learner = await aLearner()
  const refused = 'This unit opens in another program (steam:) and cannot be opened in a browser.'
  const launch = { moduleVersionUid: versionUid }
  for (const named of [{ unitIndex: 0 }, { unitUid: units[0]?.uid }]) {
    await expect(launchUnit(learner, { ...launch, ...named })).rejects.toThrow(Conflict)
    expect(await launchInfo(learner, { ...launch, ...named })).toMatchObject({ error: refused, launchUrl: null })
  }
  // Nothing was written: no attempt was begun.
  expect(await listOwnAttempts(learner, { moduleUid: uid })).toEqual([])
  expect((await visit(learner, launch, 'completed')).session.unitId).toBe(units[1]?.id)
  expect((await launchAndFetch(learner, launch)).session.unitId).toBe(units[1]?.id)
  const { auLaunchSessionUid } = await launchUnit(learner, launch)
  const shown = await getLaunch(learner, { auLaunchSessionUid })
  expect(shown.units.map(({ isElsewhere }) => isElsewhere)).toEqual([true, false, true])
  await expect(launchUnit(learner, { ...launch, unitIndex: 2 })).rejects.toThrow('(zoommtg:)')
  // A refused launch ends no session.
  expect((await getLaunch(learner, { auLaunchSessionUid })).status).toBe('open')
  const only = await aModule(ctx, { units: [{ url: 'steam://run/1' }] })
  await expect(launchUnit(learner, { moduleVersionUid: only.versionUid })).rejects.toThrow(refused)
})

test('launch data and the launched statement contain what the course structure says (cmi5 9.3.1, 10.1, 10.2.1 to 10.2.7)', async () => {
  const module = await aModule(ctx, {
    units: [
      { masteryScore: 0.75, launchParameters: 'a=b', entitlementKey: 'key', moveOn: 'Passed', url: 'x.html?q=1#f' },
    ],
  })
  const learner = await aLearner()
  const { session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  expect(session.launchData).toEqual({
    contextTemplate: {
      contextActivities: { grouping: [{ id: module.units[0]?.publisherId }] },
      extensions: { 'https://w3id.org/xapi/cmi5/context/extensions/sessionid': session.uid },
    },
    launchMode: 'Normal',
    launchParameters: 'a=b',
    masteryScore: 0.75,
    moveOn: 'Passed',
    returnURL: `http://localhost:3000/module-exit/${module.versionUid}/`,
    entitlementKey: { courseStructure: 'key' },
  })
  const [launched] = await storyOf(db, session.registrationUid)
  const base = 'https://w3id.org/xapi/cmi5/context/extensions/'
  expect(launched?.body.context.extensions).toMatchObject({
    [`${base}sessionid`]: session.uid,
    [`${base}launchmode`]: 'Normal',
    [`${base}moveon`]: 'Passed',
    [`${base}masteryscore`]: 0.75,
    [`${base}launchparameters`]: 'a=b',
  })
  const launchUrl = new URL(launched?.body.context.extensions[`${base}launchurl`])
  expect([...launchUrl.searchParams.keys()]).toEqual(['q'])
  expect(launched?.body.context.contextActivities.grouping).toEqual([{ id: module.units[0]?.publisherId }])
})

test('the token is given once, and never for an unknown address or an ended session (cmi5 8.1.2, 8.2.1, 8.2.3)', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  const { auLaunchSessionUid: first } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
  const secret = await fetchSecretOf(db, first)
  expect(await fetchToken(learner, { secret })).toHaveProperty('token')
  expect(await fetchToken(learner, { secret })).toMatchObject({ errorCode: '1' })
  expect(await fetchToken(learner, { secret: 'made-up' })).toMatchObject({ errorCode: '2' })
  expect(await findUnitSession(learner, { token: 'bWFkZTp1cA==' })).toBeNull()
  const { auLaunchSessionUid: second } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
  await launchUnit(learner, { moduleVersionUid: module.versionUid })
  expect(await fetchToken(learner, { secret: await fetchSecretOf(db, second) })).toMatchObject({ errorCode: '1' })
})

test('every launch resumes the open attempt and abandons its older session (cmi5 8.1.4, 8.1.5, 9.3.6)', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  const old = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await send(learner, old.session, statementOf(old.session, 'initialized'))
  const next = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  expect(next.session.registrationUid).toBe(old.session.registrationUid)
  expect(next.session.unitIri).toBe(old.session.unitIri)
  const story = await storyOf(db, old.session.registrationUid)
  expect(story.map(({ verb }) => verb)).toEqual(['launched', 'initialized', 'abandoned', 'launched'])
  const abandoned = story[2]?.body
  expect(abandoned.result.duration).toMatch(/^PT[\d.]+S$/)
  expect(abandoned.context.contextActivities.grouping).toEqual([{ id: module.units[0]?.publisherId }])
  expect(abandoned.context.extensions['https://w3id.org/xapi/cmi5/context/extensions/sessionid']).toBe(old.uid)
  await expect(send(learner, old.session, statementOf(old.session, 'terminated'))).rejects.toThrow(Forbidden)
  expect(await checkLaunchSession(learner, { auLaunchSessionUid: old.uid })).toMatchObject({ status: false })
  expect(await checkLaunchSession(learner, { auLaunchSessionUid: next.uid })).toEqual({ status: true, error: null })
})

test('Retake at 100 % closes the attempt and opens another; below 100 % it resumes', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  const input = { moduleVersionUid: module.versionUid }
  await visit(learner, input)
  await visit(learner, { ...input, retake: true }, ['completed', { score: undefined }])
  expect(await registrationsOf(learner)).toHaveLength(1)
  await visit(learner, input)
  expect(await registrationsOf(learner)).toHaveLength(1)
  const again = await launchAndFetch(learner, { ...input, retake: true })
  await send(learner, again.session, statementOf(again.session, 'initialized'))
  await send(learner, again.session, statementOf(again.session, 'experienced', { progress: 30 }))
  const registrations = await registrationsOf(learner)
  expect(registrations.map(({ number }) => number)).toEqual([1, 2])
  expect(registrations[0]?.closedAt).not.toBeNull()
  expect(await progressOf(learner, module.uid)).toMatchObject({ percent: 100, retakingPercent: 30 })
  const attempts = await listOwnAttempts(learner, { moduleUid: module.uid })
  expect(attempts.map(({ number, percent }) => [number, percent])).toEqual([
    [2, 30],
    [1, 100],
  ])
})

test('a begun attempt stays on its version, and an unused one moves to the published version', async () => {
  const module = await aModule(ctx)
  const [begun, waiting] = [await aLearner(), await aLearner()]
  const first = await launchAndFetch(begun, { moduleVersionUid: module.versionUid })
  await send(begun, first.session, statementOf(first.session, 'initialized'))
  await launchUnit(waiting, { moduleVersionUid: module.versionUid })
  const next = await aModuleVersion(ctx, module)
  const resumed = await launchAndFetch(begun, { moduleVersionUid: next.versionUid })
  expect(resumed.session.registrationUid).toBe(first.session.registrationUid)
  await launchUnit(waiting, { moduleVersionUid: module.versionUid })
  const [old, moved] = await registrationsOf(waiting)
  expect(old).toMatchObject({ versionId: module.versionId, closedAt: expect.any(Date) })
  expect(moved).toMatchObject({ versionId: next.versionId, closedAt: null })
  expect(await listOwnAttempts(waiting, { moduleUid: module.uid })).toMatchObject([{ number: 1, version: 2 }])
})

test('a unit of another version selects the unit with the same publisher id', async () => {
  const module = await aModule(ctx, { units: [{ id: 'a' }, { id: 'b' }] })
  const learner = await aLearner()
  const { session } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await send(learner, session, statementOf(session, 'initialized'))
  const next = await aModuleVersion(ctx, module, { units: [{ id: 'a' }, { id: 'b' }] })
  const opened = await launchAndFetch(learner, { moduleVersionUid: next.versionUid, unitUid: next.units[1]?.uid ?? '' })
  expect(opened.session.unitId).toBe(module.units[1]?.id)
})

test('without a chosen unit, the launch opens the one where the learner stopped', async () => {
  const module = await aModule(ctx, { units: [{}, {}, {}] })
  const learner = await aLearner()
  const input = { moduleVersionUid: module.versionUid }
  const unitOf = async () => (await launchAndFetch(learner, input)).session.unitId
  expect(await unitOf()).toBe(module.units[0]?.id)
  await visit(learner, { ...input, unitIndex: 1 }, 'completed')
  expect(await unitOf()).toBe(module.units[2]?.id)
  await visit(learner, { ...input, unitUid: module.units[2]?.uid ?? '' }, 'completed')
  expect(await unitOf()).toBe(module.units[0]?.id)
  await expect(launchUnit(learner, { ...input, unitIndex: 3 })).rejects.toThrow(NotFound)
})

test('a preview is for staff, opens the given version and counts nowhere', async () => {
  const module = await aModule(ctx, { isPublished: false })
  const author = await aLearner({ groups: ['authors'] })
  const input = { moduleVersionUid: module.versionUid }
  await expect(launchUnit(author, input)).rejects.toThrow(NotFound)
  const { session } = await launchAndFetch(author, { ...input, preview: true })
  expect(session.launchData.launchMode).toBe('Browse')
  await send(author, session, statementOf(session, 'initialized'))
  await expect(send(author, session, statementOf(session, 'completed'))).rejects.toThrow('10.2.2')
  expect(await progressOf(author, module.uid)).toBeUndefined()
  expect(await listOwnAttempts(author, { moduleUid: module.uid })).toEqual([])
  const published = await aModule(ctx)
  const learner = await aLearner()
  await expect(launchUnit(learner, { moduleVersionUid: published.versionUid, preview: true })).rejects.toThrow(
    Forbidden,
  )
})

test.each([
  ['nobody signed in', null, {}],
  ['another plan', {}, { plan: null }],
  ['no plan', { plan: null }, {}],
  ['a draft', {}, { isPublished: false }],
  ['the other site', { site: 'ns' as const }, {}],
])('a launch is refused: %s', async (_name, user, module) => {
  const { versionUid } = await aModule(ctx, module)
  const learner = user ? await aLearner(user) : ctx
  await expect(launchUnit(learner, { moduleVersionUid: versionUid })).rejects.toThrow(
    user ? NotFound : 'Login required.',
  )
  if (user)
    expect(await launchInfo(learner, { moduleVersionUid: versionUid })).toMatchObject({
      error: expect.stringContaining('This module is not available to you'),
    })
})

test('a Coming Soon module is refused with a message', async () => {
  const { versionUid } = await aModule(ctx, { comingSoon: true })
  await expect(launchUnit(await aLearner(), { moduleVersionUid: versionUid })).rejects.toThrow(Conflict)
})

test('another learner’s launch is not found when viewed, checked or ended', async () => {
  const module = await aModule(ctx)
  const [owner, other] = [await aLearner(), await aLearner()]
  const { auLaunchSessionUid } = await launchUnit(owner, { moduleVersionUid: module.versionUid })
  await expect(getLaunch(other, { auLaunchSessionUid })).rejects.toThrow(NotFound)
  await expect(endLaunch(other, { auLaunchSessionUid })).rejects.toThrow(NotFound)
  expect(await checkLaunchSession(other, { auLaunchSessionUid })).toMatchObject({ status: false })
  await endLaunch(owner, { auLaunchSessionUid })
  await endLaunch(owner, { auLaunchSessionUid })
  expect(await getLaunch(owner, { auLaunchSessionUid })).toMatchObject({ status: 'abandoned' })
})

test('an admin can end the launch of any person of the site, not of another site', async () => {
  const module = await aModule(ctx)
  const learner = await aLearner()
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
  const foreign = await aLearner({ site: 'ns', groups: ['admins'] })
  await expect(endLaunch(foreign, { auLaunchSessionUid })).rejects.toThrow(NotFound)
  await endLaunch(await aLearner({ groups: ['admins'] }), { auLaunchSessionUid })
  expect(await checkLaunchSession(learner, { auLaunchSessionUid })).toMatchObject({ status: false })
})

test('a job abandons a session that has been idle for 12 hours', async () => {
  const module = await aModule(ctx)
  const then = new Date(Date.now() - (env().LAUNCH_IDLE_HOURS * 60 + 1) * 60_000)
  const learner = await aLearner({ now: then })
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
  const later = { ...learner, now: new Date() }
  expect(await checkLaunchSession(later, { auLaunchSessionUid })).toMatchObject({ status: false })
  expect(await endIdleLaunches(later)).toBe(1)
  expect(await endIdleLaunches(later)).toBe(0)
  const [registration] = await registrationsOf(learner)
  const story = await storyOf(db, registration?.uid ?? '')
  expect(story.map(({ verb }) => verb)).toEqual(['launched', 'abandoned'])
})

test('a job ends what somebody had open when the password was reset, and nothing of others or of later', async () => {
  const [module, next] = [await aModule(ctx), await aModule(ctx)]
  const [learner, other] = [await aLearner(), await aLearner()]
  const open = async (who: Ctx, { versionUid }: typeof module) =>
    (await launchAndFetch(who, { moduleVersionUid: versionUid })).token
  const [before, theirs] = [await open(learner, module), await open(other, module)]
  const until = new Date(learner.now.getTime() + 1000)
  const after = await open({ ...learner, now: new Date(until.getTime() + 1000) }, next)
  const job = { userUid: learner.viewer?.uid ?? '', until: until.toISOString() }
  // What staff opened in the attempt of a learner is theirs.
  const staff = await aLearner({ groups: ['admins'] })
  const { uid: userUid } = other.viewer ?? { uid: '' }
  const byStaff = (await launchAndFetch(staff, { moduleVersionUid: next.versionUid, userUid })).token
  const foreign = await aContext(db, { site: 'ns' })
  expect(await endLaunchesOfPerson(foreign, job)).toBe(0)
  expect(await endLaunchesOfPerson(ctx, job)).toBe(1)
  expect(await endLaunchesOfPerson(ctx, job)).toBe(0)
  expect(await endLaunchesOfPerson(ctx, { ...job, userUid: staff.viewer?.uid ?? '' })).toBe(1)
  const isEnded = async (token: string) => (await findUnitSession(ctx, { token }))?.isEnded
  const ended = [await isEnded(before), await isEnded(byStaff), await isEnded(theirs), await isEnded(after)]
  expect(ended).toEqual([true, true, false, false])
})

test.each([
  ['an ended plan', false],
  ['a closed account', true],
])(
  '%s ends the launch at once: its token, its page and its fetch address; a job abandons it',
  async (_what, isClosed) => {
    const module = await aModule(ctx)
    const learner = await aLearner()
    const { id } = learner.viewer ?? { id: 0 }
    const {
      uid: auLaunchSessionUid,
      token,
      session,
    } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
    await send(learner, session, statementOf(session, 'initialized'))
    const stranger = await aLearner()
    const theirs = await launchAndFetch(stranger, { moduleVersionUid: module.versionUid })
    const end = (isOver: boolean) =>
      isClosed
        ? db.updateTable('users').set({ is_active: !isOver }).where('id', '=', id).execute()
        : db
            .updateTable('subscriptions')
            .set({ valid_to: isOver ? new Date(ctx.now.getTime() - 1000) : null })
            .where('user_id', '=', id)
            .execute()
    await end(true)
    const late = await findUnitSession(ctx, { token })
    if (isClosed) expect(late).toBeNull()
    else {
      expect(late?.isEnded).toBe(true)
      const sending = recordAuStatements(ctx, {
        session: late as NonNullable<typeof late>,
        statements: [statementOf(session, 'completed')],
        version: '1.0.3',
      })
      await expect(sending).rejects.toThrow('The session has ended')
      expect(await checkLaunchSession(learner, { auLaunchSessionUid })).toMatchObject({ status: false })
      expect(await getLaunch(learner, { auLaunchSessionUid })).toMatchObject({ status: 'abandoned', launchUrl: null })
    }
    expect((await findUnitSession(ctx, { token: theirs.token }))?.isEnded).toBe(false)
    expect(await endIdleLaunches(ctx)).toBe(1)
    const [registration] = await registrationsOf(learner)
    const story = await storyOf(db, registration?.uid ?? '')
    expect(story.map(({ verb }) => verb)).toEqual(['launched', 'initialized', 'abandoned'])
    // A launch whose token was not fetched yet does not get one either.
    await end(false)
    const again = await launchUnit(learner, { moduleVersionUid: module.versionUid })
    await end(true)
    const secret = await fetchSecretOf(db, again.auLaunchSessionUid)
    expect(await fetchToken(learner, { secret })).toMatchObject({ errorCode: '1' })
    expect(await endIdleLaunches(ctx)).toBe(1)
  },
)

test('staff need no plan, and may open the attempt of a learner whose plan has ended', async () => {
  const module = await aModule(ctx)
  const author = await aLearner({ groups: ['authors'], plan: null })
  const own = await launchAndFetch(author, { moduleVersionUid: module.versionUid })
  expect((await findUnitSession(ctx, { token: own.token }))?.isEnded).toBe(false)
  const learner = await aLearner()
  await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  const [registration] = await registrationsOf(learner)
  await db
    .deleteFrom('subscriptions')
    .where('user_id', '=', learner.viewer?.id ?? 0)
    .execute()
  const opened = await launchAndFetch(author, {
    moduleVersionUid: module.versionUid,
    registrationUid: registration?.uid ?? '',
    mode: 'Review',
  })
  expect((await findUnitSession(ctx, { token: opened.token }))?.isEnded).toBe(false)
})

test('a late request of its unit does not revive an idle session', async () => {
  const module = await aModule(ctx)
  const then = new Date(Date.now() - (env().LAUNCH_IDLE_HOURS * 60 + 1) * 60_000)
  const learner = await aLearner({ now: then })
  const { token } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  const late = await findUnitSession(ctx, { token })
  expect(late?.isEnded).toBe(true)
  if (late) await touchUnitSession(ctx, late)
  expect(await findUnitSession(ctx, { token })).toMatchObject({ isEnded: true, lastSeenAt: then })
})

test('reading files keeps the learner’s own launches of that package alive, and no others', async () => {
  const module = await aModule(ctx)
  const other = await aModule(ctx)
  const start = Date.now()
  const at = (hours: number) => new Date(start + hours * 3_600_000)
  const [learner, stranger] = [await aLearner(), await aLearner()]
  const { contentKey } = await db
    .selectFrom('cmi5_packages')
    .select('content_key as contentKey')
    .where('module_version_id', '=', module.versionId)
    .executeTakeFirstOrThrow()
  const launched = await launchUnit(learner, { moduleVersionUid: module.versionUid })
  const elsewhere = await launchUnit(learner, { moduleVersionUid: other.versionUid })
  const theirs = await launchUnit(stranger, { moduleVersionUid: module.versionUid })
  await touchLaunchesOfPackage({ db, now: at(11) }, { contentKey, userUid: learner.viewer?.uid ?? '' })
  const isOpen = async (who: Ctx, launch: { auLaunchSessionUid: string }) =>
    (await getLaunch({ ...who, now: at(13) }, launch)).status === 'open'
  expect(await isOpen(learner, launched)).toBe(true)
  expect(await isOpen(learner, elsewhere)).toBe(false)
  expect(await isOpen(stranger, theirs)).toBe(false)
  await touchLaunchesOfPackage({ db, now: at(30) }, { contentKey, userUid: learner.viewer?.uid ?? '' })
  expect((await getLaunch({ ...learner, now: at(31) }, launched)).status).toBe('abandoned')
})

test('the last viewed module is the one launched last; previews do not count', async () => {
  const [first, second] = [await aModule(ctx), await aModule(ctx)]
  const staff = await aLearner({ groups: ['authors'] })
  const lastViewed = async () => (await getUser(staff, { userUid: staff.viewer?.uid ?? '' })).lastViewedModuleUid
  await launchUnit(staff, { moduleVersionUid: first.versionUid })
  expect(await lastViewed()).toBe(first.uid)
  await launchUnit(staff, { moduleVersionUid: second.versionUid, preview: true })
  expect(await lastViewed()).toBe(first.uid)
  await launchUnit(staff, { moduleVersionUid: second.versionUid })
  expect(await lastViewed()).toBe(second.uid)
  const foreign = await aLearner({ site: 'ns' })
  await recordViewedModule(foreign, { userUid: foreign.viewer?.uid ?? '', moduleUid: first.uid })
  expect((await getUser(foreign, { userUid: foreign.viewer?.uid ?? '' })).lastViewedModuleUid).toBeNull()
})

test('the close-out menu offers the next module of the chapter that the learner may open', async () => {
  const chapter = await db
    .selectFrom('chapters')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .executeTakeFirstOrThrow()
  const [first, hidden, soon, last] = [
    await aModule(ctx),
    await aModule(ctx, { plan: null }),
    await aModule(ctx, { comingSoon: true }),
    await aModule(ctx, { name: 'The one after' }),
  ]
  for (const [position, module] of [first, hidden, soon, last].entries()) {
    await db
      .insertInto('module_chapters')
      .values({ site_id: ctx.site.id, module_id: module.id, chapter_id: chapter.id, position })
      .execute()
  }
  const learner = await aLearner()
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: first.versionUid })
  const { nextModule } = await getLaunch(learner, { auLaunchSessionUid })
  expect(nextModule).toEqual({ uid: last.uid, name: 'The one after', versionUid: last.versionUid })
})

describe('a launch that continues another one, because the page of a unit was loaded again', () => {
  const sessionsOf = (learner: Ctx) =>
    db
      .selectFrom('launch_sessions as s')
      .innerJoin('registrations as r', 'r.id', 's.registration_id')
      .select(['s.uid', 's.unit_id as unitId', 's.abandoned_at as abandonedAt', 'r.uid as registrationUid', 'r.number'])
      .where('r.user_id', '=', learner.viewer?.id ?? 0)
      .orderBy('s.id')
      .execute()
  const refused = 'This module has been opened again since'

  test('opens a new session of the same unit and attempt, and abandons the old one (cmi5 9.3.6)', async () => {
    const module = await aModule(ctx, { units: [{}, {}, {}] })
    const learner = await aLearner()
    const first = await launchAndFetch(learner, { moduleVersionUid: module.versionUid, unitIndex: 1 })
    await send(learner, first.session, statementOf(first.session, 'initialized'))
    const unitUid = (await getLaunch(learner, { auLaunchSessionUid: first.uid })).units[1]?.uid
    const again = { moduleVersionUid: module.versionUid, unitUid, continuesUid: first.uid }
    const { auLaunchSessionUid } = await launchUnit(learner, again)
    const [one, two, ...rest] = await sessionsOf(learner)
    expect(rest).toEqual([])
    expect(one).toMatchObject({ uid: first.uid, abandonedAt: expect.any(Date), number: 1 })
    expect(two).toMatchObject({ uid: auLaunchSessionUid, abandonedAt: null, registrationUid: one?.registrationUid })
    expect(two?.unitId).toBe(one?.unitId)
    const story = await storyOf(db, one?.registrationUid ?? '')
    expect(story.map(({ verb }) => verb)).toEqual(['launched', 'initialized', 'abandoned', 'launched'])
    // The viewer behind a unit's own window knows the first session only.
    const check = { auLaunchSessionUid: first.uid }
    expect(await checkLaunchSession(learner, check)).toMatchObject({ status: false })
    expect(await checkLaunchSession(learner, { ...check, isFollowed: true })).toEqual({ status: true, error: null })
    expect((await checkLaunchSession(learner, check)).status).toBe(false)
  })

  test('done ten times at once opens one session, and one that has ended is continued as well', async () => {
    const module = await aModule(ctx)
    const learner = await aLearner()
    const { session, uid } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
    await send(learner, session, statementOf(session, 'initialized'))
    await send(learner, session, statementOf(session, 'terminated'))
    const again = { moduleVersionUid: module.versionUid, continuesUid: uid }
    const opened = await Promise.all(Array.from({ length: 10 }, () => launchUnit(learner, again)))
    expect(new Set(opened.map(({ auLaunchSessionUid }) => auLaunchSessionUid)).size).toBe(1)
    expect(await sessionsOf(learner)).toMatchObject([{ uid }, { abandonedAt: null }])
    expect(await registrationsOf(learner)).toHaveLength(1)
  })

  test('is refused if another window has opened the module since, which stays open (cmi5 9.3.6)', async () => {
    const module = await aModule(ctx)
    const learner = await aLearner()
    const { auLaunchSessionUid: first } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
    const { auLaunchSessionUid: elsewhere } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
    const again = { moduleVersionUid: module.versionUid, continuesUid: first }
    await expect(launchUnit(learner, again)).rejects.toThrow(refused)
    expect(await checkLaunchSession(learner, { auLaunchSessionUid: elsewhere })).toMatchObject({ status: true })
    expect(
      await checkLaunchSession(learner, { auLaunchSessionUid: first, isFollowed: true }),
      'a window that was opened is no continuation',
    ).toMatchObject({ status: false })
    expect(await sessionsOf(learner)).toHaveLength(2)
  })

  test('of somebody else, of another attempt or module, or of the other site is refused', async () => {
    const [module, other] = [await aModule(ctx), await aModule(ctx)]
    const [learner, stranger] = [await aLearner(), await aLearner()]
    const { auLaunchSessionUid: theirs } = await launchUnit(stranger, { moduleVersionUid: module.versionUid })
    const { auLaunchSessionUid: ofOther } = await launchUnit(learner, { moduleVersionUid: other.versionUid })
    const { auLaunchSessionUid: own } = await launchUnit(learner, { moduleVersionUid: module.versionUid })
    for (const continuesUid of [theirs, ofOther, 'x']) {
      const again = { moduleVersionUid: module.versionUid, continuesUid }
      await expect(launchUnit(learner, again)).rejects.toThrow(refused)
    }
    const again = { moduleVersionUid: module.versionUid, continuesUid: own }
    await expect(launchUnit(await aLearner({ site: 'ns' }), again)).rejects.toThrow(NotFound)
    await expect(launchUnit(ctx, again)).rejects.toThrow('Login required.')
    const check = { auLaunchSessionUid: own, isFollowed: true }
    expect(await checkLaunchSession(stranger, check)).toMatchObject({ status: false })
    expect(await sessionsOf(stranger)).toMatchObject([{ uid: theirs, abandonedAt: null }])
    expect((await sessionsOf(learner)).filter(({ abandonedAt }) => abandonedAt === null)).toHaveLength(2)
  })
})
