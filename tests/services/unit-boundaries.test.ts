/**
 * What the token of a unit reaches: activities of its own module, and no more room than its attempt has. Packages may be
 * hostile to each other, and their learner opens all of them.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import {
  deleteUnitDocument,
  deleteUnitState,
  getUnitDocument,
  listUnitDocumentIds,
  type UnitSession,
  writeUnitDocument,
} from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, NotFound, TooLarge } from '~/services/errors.ts'
import { parsePackage } from '~/services/packages/packages.server.ts'
import { diskStorage } from '~/services/storage/disk.server.ts'
import { setStorage } from '~/services/storage/storage.server.ts'
import {
  type DocumentKey,
  declareActivities,
  definitionsOf,
  listStatementsOfRegistration,
  mergeDefinitions,
} from '~/services/xapi/xapi.server.ts'
import { aModule, launchAndFetch, send, statementOf } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { importPackage } from '../support/imports.ts'
import { auXml, courseXml, packageZip } from '../support/packages.ts'
import { ctx, db } from '../support/test.ts'

setStorage(diskStorage(mkdtempSync(path.join(tmpdir(), 'unit-boundaries-'))))

const aLearner = async () => aContext(db, { viewer: await aUser(db) })

/** A launch of a module of its own, which has begun. */
async function aUnit(learner?: Ctx): Promise<{ learner: Ctx; session: UnitSession; uid: string }> {
  const who = learner ?? (await aLearner())
  const { versionUid, uid } = await aModule(ctx)
  const { session } = await launchAndFetch(who, { moduleVersionUid: versionUid })
  await send(who, session, statementOf(session, 'initialized'))
  return { learner: who, session, uid }
}

const question = (id: string, name: string) => ({ objectType: 'Activity', id, definition: { name: { en: name } } })
const nameOf = async (iri: string) => (await definitionsOf(ctx, [iri])).get(iri)?.name?.en

let ids = 0
const anId = () => `https://questions.example/${++ids}`

async function ask({ learner, session }: { learner: Ctx; session: UnitSession }, object: object): Promise<void> {
  await send(learner, session, statementOf(session, 'experienced', { object }))
}

test('a unit defines activities of its own module, and those that nobody has defined', async () => {
  const [own, other] = [await aUnit(), await aUnit()]
  const id = anId()
  await ask(own, question(id, 'What is a half-life?'))
  await ask(own, question(`${own.session.unitIri}/q1`, 'Below its own id'))
  expect([await nameOf(id), await nameOf(`${own.session.unitIri}/q1`)]).toEqual([
    'What is a half-life?',
    'Below its own id',
  ])
  await ask(own, question(id, 'What is a half-life? (second edition)'))
  expect(await nameOf(id)).toBe('What is a half-life? (second edition)')

  await ask(other, question(id, 'Changed by another module'))
  await ask(other, question(own.session.unitIri, 'Changed by another module'))
  await ask(other, question(`${own.session.unitIri}/q1`, 'Changed by another module'))
  await ask(other, question(`${own.session.unitIri}/new`, 'Placed below the id of another module'))
  expect(await nameOf(id)).toBe('What is a half-life? (second edition)')
  expect(await nameOf(own.session.unitIri)).not.toBe('Changed by another module')
  expect(await nameOf(`${own.session.unitIri}/q1`)).toBe('Below its own id')
  expect(await nameOf(`${own.session.unitIri}/new`)).toBeUndefined()
})

test('what a key has defined, units leave as it is, and keys change every definition', async () => {
  const id = anId()
  const byKey = (name: string) => mergeDefinitions(ctx, [{ object: question(id, name) as never }])
  await byKey('By a key')
  const unit = await aUnit()
  await ask(unit, question(id, 'By a unit'))
  expect(await nameOf(id)).toBe('By a key')
  const own = anId()
  await ask(unit, question(own, 'By a unit'))
  await mergeDefinitions(ctx, [{ object: question(own, 'Corrected by a key') as never }])
  expect(await nameOf(own)).toBe('Corrected by a key')
})

test('ten units that define a new activity at once: one of them owns it', async () => {
  const units = await Promise.all(Array.from({ length: 10 }, () => aUnit()))
  const id = anId()
  await Promise.all(units.map((unit, index) => ask(unit, question(id, `By ${index}`))))
  const first = await nameOf(id)
  await Promise.all(units.map((unit, index) => ask(unit, question(id, `Again by ${index}`))))
  expect(await nameOf(id)).toBe(`Again ${first?.replace('By', 'by')}`)
})

test('staff see what the statement said, not what another module says about the activity', async () => {
  const [first, second] = [await aUnit(), await aUnit()]
  const id = anId()
  await ask(first, question(id, 'Placed by the first'))
  await ask(second, question(id, 'Said by the second'))
  const third = anId()
  await ask(first, question(third, 'Placed by the first'))
  await ask(second, { objectType: 'Activity', id: third })
  const { items } = await listStatementsOfRegistration(ctx, {
    registration: second.session.registrationUid,
    first: 10,
    languages: ['en'],
  })
  expect(JSON.stringify(items.map(({ statement }) => statement.object))).toContain('Said by the second')
  expect(JSON.stringify(items.map(({ statement }) => statement.object))).not.toContain('Placed by the first')
})

test('a merged definition has at most 100 KB; the statement keeps what it said', async () => {
  const unit = await aUnit()
  const id = anId()
  const part = (key: string) => ({
    ...question(id, 'Large'),
    definition: { name: { en: 'Large' }, extensions: { [`https://e.example/${key}`]: 'x'.repeat(60_000) } },
  })
  await ask(unit, part('a'))
  await ask(unit, part('b'))
  expect(Object.keys((await definitionsOf(ctx, [id])).get(id)?.extensions ?? {})).toEqual(['https://e.example/a'])
})

test('a package declares its activities at import, the first one keeps them, and a deleted module gives them free', async () => {
  const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
  const au = 'https://publisher.example/declared/au'
  const importOne = async (title: string) => {
    const zip = packageZip(courseXml(auXml({ id: au, title })))
    const { imported } = await importPackage(author, { bytes: zip })
    expect(await parsePackage(ctx, imported)).toMatchObject({ status: 'parsed' })
    return imported.moduleUid
  }
  // A unit that was there first does not keep an id that a package declares.
  await ask(await aUnit(), question(au, 'Placed before the import'))
  const moduleUid = await importOne('The first package')
  expect(await nameOf(au)).toBe('The first package')
  await importOne('A copy with another title')
  expect(await nameOf(au)).toBe('The first package')
  await ask(await aUnit(), question(au, 'Changed by another module'))
  expect(await nameOf(au)).toBe('The first package')
  await db.updateTable('modules').set({ deleted_at: new Date() }).where('uid', '=', moduleUid).execute()
  await importOne('Imported again')
  expect(await nameOf(au)).toBe('Imported again')
})

const document = (text: string) => ({ content: Buffer.from(text), contentType: 'text/plain' })

function stateOf(session: UnitSession, activityIri: string, registration: string | null = null) {
  return { kind: 'state', activityIri, agent: session.actor, registration, documentId: 'bookmark' } as const
}

test('a unit does not read, change or delete state of another module’s activities, with or without a registration', async () => {
  const learner = await aLearner()
  const [own, other] = [await aUnit(learner), await aUnit(learner)]
  const write = (session: UnitSession, key: ReturnType<typeof stateOf>, text: string) =>
    writeUnitDocument(learner, { session, key, method: 'put', document: document(text), preconditions: {} })
  const declared = anId()
  await declareActivities(ctx, {
    siteId: ctx.site.id,
    ownerUid: own.uid,
    activities: [{ iri: declared, definition: { name: { en: 'Declared' } } }],
  })
  for (const activity of [own.session.unitIri, declared]) {
    await write(own.session, stateOf(own.session, activity), 'page 7')
    for (const registration of [null, other.session.registrationUid]) {
      const key = stateOf(other.session, activity, registration)
      const access = { session: other.session, key }
      await expect(getUnitDocument(learner, access)).rejects.toThrow(Forbidden)
      await expect(write(other.session, key, 'stolen')).rejects.toThrow('activities of its own module')
      await expect(deleteUnitDocument(learner, { ...access, preconditions: {} })).rejects.toThrow(Forbidden)
      await expect(deleteUnitState(learner, { session: other.session, owner: key })).rejects.toThrow(Forbidden)
    }
    const kept = await getUnitDocument(learner, { session: own.session, key: stateOf(own.session, activity) })
    expect(kept.content.toString()).toBe('page 7')
  }
})

test('documents that no module’s activity protects belong to the module that wrote them, and block nobody else', async () => {
  const learner = await aLearner()
  const [own, other] = [await aUnit(learner), await aUnit(learner)]
  const sub = anId()
  const profile = { kind: 'agent_profile', agent: own.session.actor, documentId: 'settings' } as const
  const write = (who: Ctx, session: UnitSession, key: DocumentKey, text: string) =>
    writeUnitDocument(who, { session, key, method: 'put', document: document(text), preconditions: {} })
  for (const key of [stateOf(own.session, sub), profile]) {
    await write(learner, own.session, key, 'page 7')
    const access = { session: other.session, key }
    await expect(getUnitDocument(learner, access)).rejects.toThrow(NotFound)
    expect((await listUnitDocumentIds(learner, { session: other.session, owner: key })).ids).toEqual([])
    await expect(write(learner, other.session, key, 'stolen')).rejects.toThrow('belongs to another module')
    await deleteUnitDocument(learner, { ...access, preconditions: {} })
    if (key.kind === 'state') await deleteUnitState(learner, { session: other.session, owner: key })
    const kept = await getUnitDocument(learner, { session: own.session, key })
    expect(kept.content.toString()).toBe('page 7')
  }
  // The same id in another registration, or of another learner, is not taken.
  await write(learner, other.session, stateOf(other.session, sub, other.session.registrationUid), 'mine')
  const stranger = await aUnit()
  await write(stranger.learner, stranger.session, stateOf(stranger.session, sub), 'mine')
  // Learner preferences are for all units (cmi5 11).
  const preferences = { ...profile, documentId: 'cmi5LearnerPreferences' }
  const value = JSON.stringify({ languagePreference: 'en', audioPreference: 'on' })
  await writeUnitDocument(learner, {
    session: own.session,
    key: preferences,
    method: 'put',
    document: { content: Buffer.from(value), contentType: 'application/json' },
    preconditions: {},
  })
  expect((await getUnitDocument(learner, { session: other.session, key: preferences })).content.toString()).toBe(value)
})

test('two modules from one package keep their own state under the publisher’s id, each in its registration', async () => {
  const learner = await aLearner()
  const [first, second] = [await aUnit(learner), await aUnit(learner)]
  expect(first.session.publisherId).toBe(second.session.publisherId)
  for (const { session } of [first, second]) {
    const key = stateOf(session, session.publisherId, session.registrationUid)
    await writeUnitDocument(learner, {
      session,
      key,
      method: 'put',
      document: document(session.uid),
      preconditions: {},
    })
  }
  for (const { session } of [first, second]) {
    const key = stateOf(session, session.publisherId, session.registrationUid)
    expect((await getUnitDocument(learner, { session, key })).content.toString()).toBe(session.uid)
  }
  const shared = { session: second.session, key: stateOf(second.session, second.session.publisherId) }
  await writeUnitDocument(learner, {
    session: first.session,
    key: stateOf(first.session, first.session.publisherId),
    method: 'put',
    document: document('of the first'),
    preconditions: {},
  })
  await expect(getUnitDocument(learner, shared)).rejects.toThrow(NotFound)
})

test('the units of an attempt store at most XAPI_ATTEMPT_MB, and deleting makes room', async () => {
  const limit = env().XAPI_ATTEMPT_MB
  env().XAPI_ATTEMPT_MB = 1
  onTestFinished(() => {
    env().XAPI_ATTEMPT_MB = limit
  })
  const { learner, session } = await aUnit()
  const key = stateOf(session, session.unitIri, session.registrationUid)
  const put = (documentId: string, size: number) =>
    writeUnitDocument(learner, {
      session,
      key: { ...key, documentId },
      method: 'put',
      document: document('x'.repeat(size)),
      preconditions: {},
    })
  await put('a', 600_000)
  await expect(put('b', 600_000)).rejects.toThrow(TooLarge)
  await expect(put('b', 600_000)).rejects.toThrow('more than 1 MB')
  await expect(getUnitDocument(learner, { session, key: { ...key, documentId: 'b' } })).rejects.toThrow(NotFound)
  // A change counts by what it adds, and a statement counts as well.
  await put('a', 900_000)
  const long = { object: { id: session.unitIri, definition: { name: { en: 'x'.repeat(200_000) } } } }
  await expect(send(learner, session, statementOf(session, 'experienced', long))).rejects.toThrow(TooLarge)
  await deleteUnitDocument(learner, { session, key: { ...key, documentId: 'a' }, preconditions: {} })
  await send(learner, session, statementOf(session, 'experienced', long))
  await put('b', 600_000)
  await deleteUnitState(learner, { session, owner: key })
  await put('b', 700_000)
  // An empty document takes room as well, for its ids.
  await deleteUnitState(learner, { session, owner: key })
  let count = 0
  await expect(
    (async () => {
      for (; count < 2000; count++) await put(`empty-${count}`, 0)
    })(),
  ).rejects.toThrow(TooLarge)
  expect(count).toBeLessThan(1100)
})

test('all attempts of a learner at a module store at most four times as much', async () => {
  const learner = await aLearner()
  const { versionUid, id } = await aModule(ctx)
  const { session } = await launchAndFetch(learner, { moduleVersionUid: versionUid })
  await send(learner, session, statementOf(session, 'initialized'))
  const earlier = {
    site_id: ctx.site.id,
    user_id: learner.viewer?.id ?? 0,
    module_id: id,
    module_version_id: (
      await db.selectFrom('module_versions').select('id').where('uid', '=', versionUid).executeTakeFirstOrThrow()
    ).id,
    closed_at: new Date(),
    is_preview: false,
  }
  for (const number of [7, 8, 9, 10]) {
    await db
      .insertInto('registrations')
      .values({ ...earlier, number, stored_bytes: env().XAPI_ATTEMPT_MB * 1024 * 1024 })
      .execute()
  }
  await expect(send(learner, session, statementOf(session, 'completed'))).rejects.toThrow('more than 200 MB')
})

test('with CMI5_STRICT_PREFERENCES a statement after terminated is refused even if it is stored already', async () => {
  const { learner, session } = await aUnit()
  const done = statementOf(session, 'completed')
  await send(learner, session, done)
  await send(learner, session, statementOf(session, 'terminated'))
  expect(await send(learner, session, done)).toEqual([done.id])
  env().CMI5_STRICT_PREFERENCES = true
  onTestFinished(() => {
    env().CMI5_STRICT_PREFERENCES = false
  })
  await expect(send(learner, session, done)).rejects.toThrow('The session has ended (cmi5 9.3.8).')
})
