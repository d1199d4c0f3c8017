/** The file with all data about a person: only theirs, complete, and without secrets of the account. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { videoEvents } from '~/forms/video-events.ts'
import { createAccessToken } from '~/services/accounts/access-tokens.server.ts'
import { actorOf } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { recordEvent, recordSearch } from '~/services/events/events.server.ts'
import { setFavorite } from '~/services/favorites/favorites.server.ts'
import { readOwnData } from '~/services/read/own-data.server.ts'
import { putDocument, recordStatements } from '~/services/xapi/xapi.server.ts'
import { aModule, visit } from '../support/cmi5.ts'
import { aContext, aUser, testPassword } from '../support/context.ts'
import { aVideo } from '../support/films.ts'
import { db } from '../support/test.ts'

async function live(viewer: Viewer, name: string): Promise<Ctx & { viewer: Viewer }> {
  const ctx = { ...(await aContext(db, { viewer })), viewer }
  const module = await aModule(await aContext(db), { name })
  await visit(ctx, { moduleVersionUid: module.versionUid }, 'completed')
  const agent = await actorOf(db, viewer.uid)
  const state = { kind: 'state' as const, activityIri: `https://units.example/${name}`, agent, registration: null }
  const bookmark = { content: Buffer.from('{"page":2}'), contentType: 'application/json' }
  await putDocument(ctx, { ...state, documentId: 'bookmark' }, bookmark)
  const video = await aVideo(db, { name: `Film of ${name}` })
  const properties = { video_uid: video.uid, video_percent: 0.5, video_title: 'x' }
  await recordEvent(ctx, { event: { event: videoEvents.started, properties }, perMinute: 100 })
  await setFavorite(ctx, { action: 'ADD', studyUnitType: 'video', uid: video.uid })
  await recordSearch(ctx, { query: `search for ${name}`, type: 'all', results: 1 })
  const session = { ...ctx.session, uid: randomUUID() }
  await createAccessToken(
    { ...ctx, session },
    { uid: randomUUID(), name: `Token of ${name}`, scope: 'read', days: '30', currentPassword: testPassword },
  )
  return ctx
}

async function textsOf(items: AsyncIterable<string>): Promise<string[]> {
  const texts: string[] = []
  for await (const text of items) texts.push(text)
  return texts
}

test('has every part of the person’s data, and nothing of other people or of account secrets', async () => {
  const ada = await live(await aUser(db, { firstName: 'Ada' }), 'Assays')
  await live(await aUser(db, { firstName: 'Eve' }), 'Biopsies')
  const parts: Record<string, unknown> = {}
  for await (const part of readOwnData(ada)) {
    if ('value' in part) parts[part.name] = part.value
    else parts[part.name] = (await textsOf(part.items)).map((text) => JSON.parse(text))
  }
  expect(parts).toMatchObject({
    profile: { firstName: 'Ada' },
    modules: [{ name: 'Assays', progressPercent: 100 }],
    attempts: [{ module: 'Assays', progressPercent: 100 }],
    films: [{ title: 'Film of Assays' }],
    favorites: [{ name: 'Film of Assays' }],
    searches: [{ query: 'search for Assays' }],
    accessTokens: [{ name: 'Token of Assays', scope: 'read' }],
    pageViews: [{ name: videoEvents.started }],
  })
  expect((parts.statements as { verb: { id: string } }[]).map(({ verb }) => verb.id)).toContain(
    'http://adlnet.gov/expapi/verbs/completed',
  )
  expect(parts.states).toMatchObject([{ name: 'bookmark', contentType: 'application/json', content: '{"page":2}' }])
  const text = JSON.stringify(parts)
  expect(text).not.toContain('Biopsies')
  expect(text).not.toMatch(/hash|password/i)
})

test('statements come in pages, however many and large they are: each once, newest first', async () => {
  const viewer = await aUser(db, { firstName: 'Noor' })
  const ctx = { ...(await aContext(db, { viewer })), viewer }
  const module = await aModule(await aContext(db), { name: 'Large' })
  await visit(ctx, { moduleVersionUid: module.versionUid }, 'completed')
  const { uid: registration } = await db
    .selectFrom('registrations')
    .select('uid')
    .where('user_id', '=', viewer.id)
    .executeTakeFirstOrThrow()
  const statementOf = (n: number, text: string) => ({
    actor: { mbox: 'mailto:large@example.org' },
    verb: { id: 'https://verbs.example/said' },
    object: { id: `https://activities.example/${n}` },
    result: { response: text },
    context: { registration },
  })
  const authority = { mbox: 'mailto:lrs@example.org' }
  const small = Array.from({ length: 700 }, (_, n) => statementOf(n, 'x'))
  await recordStatements(ctx, { statements: small, authority, version: '1.0.3' })
  for (const n of [701, 702, 703]) {
    await recordStatements(ctx, { statements: statementOf(n, 'x'.repeat(1_500_000)), authority, version: '1.0.3' })
  }
  for await (const part of readOwnData(ctx)) {
    if (part.name !== 'statements' || !('items' in part)) continue
    const stored = (await textsOf(part.items)).map((text) => JSON.parse(text) as { id: string; stored: string })
    expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length)
    expect(stored.length).toBeGreaterThan(703)
    const moments = stored.map((one) => one.stored)
    expect(moments).toEqual([...moments].sort().reverse())
  }
})

test('states come in pages, however large they are: each once', async () => {
  const viewer = await aUser(db, { firstName: 'Ines' })
  const ctx = { ...(await aContext(db, { viewer })), viewer }
  const agent = await actorOf(db, viewer.uid)
  const owner = { kind: 'state' as const, activityIri: 'https://units.example/large', agent, registration: null }
  for (const documentId of ['a', 'b', 'c', 'd']) {
    const content = Buffer.alloc(documentId === 'd' ? 3 : 1_500_000, documentId)
    await putDocument(
      ctx,
      { ...owner, documentId },
      { content, contentType: documentId === 'd' ? 'image/png' : 'text/plain' },
    )
  }
  for await (const part of readOwnData(ctx)) {
    if (part.name !== 'states' || !('items' in part)) continue
    const kept = (await textsOf(part.items)).map((text) => JSON.parse(text) as { name: string; base64?: string })
    expect(kept.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
    expect(kept[3]?.base64).toBe(Buffer.from('ddd').toString('base64'))
  }
})
