/** The operations of 05b: units, launch modes, and what staff may do with attempts. */
import { print } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Viewer } from '~/services/context.ts'
import { aModule, launchAndFetch, type TestModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { databaseUrl, db } from '../support/test.ts'
import { operations } from './contract.ts'

let graphql: Awaited<ReturnType<typeof startGraphql>>
let learner: Viewer
let author: Viewer
let admin: Viewer
let module: TestModule

beforeAll(async () => {
  graphql = await startGraphql(databaseUrl)
  learner = await aUser(db)
  author = await aUser(db, { groups: ['authors'] })
  admin = await aUser(db, { groups: ['admins'], plan: null })
  module = await aModule(await aContext(db), {
    units: [{ moveOn: 'Completed' }, { moveOn: 'Passed', masteryScore: 0.5 }],
  })
})
afterAll(() => graphql.close())

function runOperation(client: GraphqlClient, name: string, variables: object) {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  return client.run(print(operation.document), variables)
}

test('ModuleLaunchInfoOfUnit opens a unit by index or uid; staff can also give a mode, an attempt and a learner', async () => {
  const { versionUid, units } = module
  const person = await aUser(db)
  const own = await graphql.clientFor(db, person)
  const launch = async (client: GraphqlClient, variables: object) =>
    (await runOperation(client, 'ModuleLaunchInfoOfUnit', { moduleVersionUid: versionUid, ...variables })).body.data
      .moduleLaunchInfo
  const byIndex = await launch(own, { unitIndex: 1 })
  const address = new URL(byIndex.launchUrl)
  expect(address.searchParams.get('activityId')).toBe(units[1]?.iri)
  const registration = address.searchParams.get('registration')
  const forbidden = 'You do not have permission to perform this action.'
  expect(await launch(own, { registration })).toMatchObject({ error: forbidden, launchUrl: null })
  expect(await launch(own, { launchMode: 'review' })).toMatchObject({ error: forbidden })
  expect(await launch(own, { userUid: author.uid })).toMatchObject({ error: forbidden })
  const staff = await graphql.clientFor(db, author)
  const asked = { unitUid: units[0]?.uid, launchMode: 'review', registration, userUid: person.uid }
  const reviewed = await launch(staff, asked)
  expect(reviewed.error).toBeNull()
  const params = new URL(reviewed.launchUrl).searchParams
  expect(params.get('activityId')).toBe(units[0]?.iri)
  expect(params.get('registration')).toBe(registration)
  expect(JSON.parse(params.get('actor') ?? '').account.name).toBe(person.uid)
  expect(await launch(staff, { registration, launchMode: 'x' })).toMatchObject({
    error: 'The mode must be normal, browse or review.',
  })
  expect(await launch(staff, { registration, userUid: learner.uid })).toMatchObject({ error: 'Not found.' })
})

test('AbandonLaunchSession and WaiveModuleUnit answer with a status, and a refusal has a message', async () => {
  const { versionUid, units } = await aModule(await aContext(db), { units: [{}, { moveOn: 'Passed' }] })
  const person = await aUser(db)
  const { uid, session } = await launchAndFetch(await aContext(db, { viewer: person }), {
    moduleVersionUid: versionUid,
  })
  const registration = session.registrationUid
  const [own, other, staff, foreign] = [
    await graphql.clientFor(db, person),
    await graphql.clientFor(db, learner),
    await graphql.clientFor(db, admin),
    await graphql.clientFor(db, await aUser(db, { site: 'ns', groups: ['admins'] }), 'ns'),
  ]
  const abandon = async (client: GraphqlClient, auLaunchSessionUid = uid) =>
    (await runOperation(client, 'AbandonLaunchSession', { auLaunchSessionUid })).body
  const waive = async (client: GraphqlClient, changes: object = {}) =>
    (
      await runOperation(client, 'WaiveModuleUnit', {
        ...{ registration, unitUid: units[1]?.uid, reason: 'Administrative' },
        ...changes,
      })
    ).body
  expect((await abandon(other)).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  expect((await abandon(foreign)).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  expect((await abandon(graphql.client())).errors?.[0]?.message).toBe('Login required.')
  expect((await abandon(own)).data.abandonLaunchSession).toEqual({ status: true, msg: null })
  const again = await Promise.all(Array.from({ length: 10 }, () => abandon(staff)))
  for (const { data } of again) {
    expect(data.abandonLaunchSession).toEqual({ status: false, msg: 'This session has already ended.' })
  }
  expect((await waive(own)).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  expect((await waive(foreign)).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  expect((await waive(staff, { unitUid: module.units[1]?.uid })).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  expect((await waive(staff, { reason: 'Because' })).data.waiveModuleUnit).toEqual({
    status: false,
    msg: 'The reason must be one of: Tested Out, Equivalent AU, Equivalent Outside Activity, Administrative.',
  })
  const answers = (await Promise.all(Array.from({ length: 10 }, () => waive(staff)))).map(
    ({ data }) => data.waiveModuleUnit,
  )
  expect(answers.filter(({ status }) => status)).toHaveLength(1)
  expect(answers.filter(({ msg }) => msg === 'This unit is waived already.')).toHaveLength(9)
})
