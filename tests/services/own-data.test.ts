/** The file of all that is kept about a person: theirs, whole, and nothing that proves who they are. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { videoEvents } from '~/lib/video-events.ts'
import { createAccessToken } from '~/services/accounts/access-tokens.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { recordEvent, recordSearch } from '~/services/events/events.server.ts'
import { setFavourite } from '~/services/favourites/favourites.server.ts'
import { readOwnData } from '~/services/read/own-data.server.ts'
import type { Database } from '~db/client.server.ts'
import { aModule, visit } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { aVideo } from '../support/films.ts'

let db: Database
let close: () => Promise<void>

beforeAll(async () => {
  ;({ db, close } = await openTestDatabase(await freshDatabase()))
})
afterAll(() => close())

async function live(viewer: Viewer, name: string): Promise<Ctx & { viewer: Viewer }> {
  const ctx = { ...(await aContext(db, { viewer })), viewer }
  const module = await aModule(await aContext(db), { name })
  await visit(ctx, { moduleVersionUid: module.versionUid }, 'completed')
  const video = await aVideo(db, { name: `Film of ${name}` })
  const properties = { video_uid: video.uid, video_percent: 0.5, video_title: 'x' }
  await recordEvent(ctx, { event: { event: videoEvents.started, properties }, perMinute: 100 })
  await setFavourite(ctx, { action: 'ADD', studyUnitType: 'video', uid: video.uid })
  await recordSearch(ctx, { query: `search for ${name}`, type: 'all', results: 1 })
  const session = { ...ctx.session, uid: randomUUID() }
  await createAccessToken(
    { ...ctx, session },
    { uid: randomUUID(), name: `Token of ${name}`, scope: 'read', days: '30' },
  )
  return ctx
}

test('has every part of one\u2019s own, and nothing of others or of proofs', async () => {
  const ada = await live(await aUser(db, { firstName: 'Ada' }), 'Assays')
  await live(await aUser(db, { firstName: 'Eve' }), 'Biopsies')
  const parts: Record<string, unknown> = {}
  for await (const { name, value } of readOwnData(ada)) parts[name] = value
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
  const text = JSON.stringify(parts)
  expect(text).not.toContain('Biopsies')
  expect(text).not.toMatch(/hash|password/i)
})
