/** Previews as learners of a plan, and preview links. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { mostPreviewLinks } from '~/forms/previews.ts'
import { isFilmPlayable } from '~/services/access/parts.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { getCaptionsToServe } from '~/services/films/watch-media.server.ts'
import {
  createPreviewLink,
  deleteExpiredPreviewLinks,
  getItemToPreview,
  listPreviewLinks,
  revokePreviewLink,
  withPreviews,
} from '~/services/previews/preview-links.server.ts'
import { getPreview, openPreviewLink, type Preview } from '~/services/previews/previews.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, planOf } from '../support/context.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { ctx, db, expectGuarded, site } from '../support/test.ts'

let author: Ctx
let learner: Ctx
const plans: Record<string, string> = {}
const planUid = (name = 'Full Access') => plans[name] ?? ''
const day = 86_400_000

beforeAll(async () => {
  author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], plan: null, firstName: 'Ana' }) })
  learner = await aContext(db, { viewer: await aUser(db, { plan: null }) })
  for (const name of ['Full Access', 'Free Access']) {
    const id = await planOf(db, site.id, name)
    plans[name] = (await db.selectFrom('access_plans').select('uid').where('id', '=', id).executeTakeFirstOrThrow()).uid
  }
})

async function aDraftCourse() {
  const modules = {
    open: await aModule(author, { name: 'Open one' }),
    draft: await aModule(author, { name: 'Secret draft', isPublished: false }),
    closed: await aModule(author, { name: 'Closed one', plan: 'Free Access' }),
    announced: await aModule(author, { name: 'Announced one', isPublished: false, comingSoon: true }),
  }
  const moduleUids = Object.values(modules).map(({ uid }) => uid)
  const course = await createCourse(author, {
    name: `Course ${randomUUID()}`,
    sections: [{ name: 'Section', description: '', chapters: [{ name: 'Chapter', description: '', moduleUids }] }],
    accessPlanUids: [planUid()],
  })
  return { course, modules }
}

const modulesOf = ({ shown }: Preview) =>
  shown.kind === 'course' ? [...shown.modules.values()].map(({ name, access }) => `${name}: ${access}`).sort() : []

const aLink = async (kind: 'course' | 'lecture' | 'video', itemUid: string, uid?: string) =>
  createPreviewLink(author, { kind, itemUid, planUid: planUid(), ...(uid && { uid }) })

const aDraft = () => aVideo(db, { status: 'draft', videoUrl: `/films/${randomUUID()}.mp4` })

describe('preview as', () => {
  test('a course shows its saved modules, and what the plan opens', async () => {
    const { course } = await aDraftCourse()
    const preview = await getPreview(author, { kind: 'course', itemUid: course.uid, planUid: planUid() })
    expect(preview).toMatchObject({ plan: { name: 'Full Access' }, isPublished: false, isInPlan: true })
    expect(modulesOf(preview)).toEqual([
      'Announced one: announced',
      'Closed one: closed',
      'Open one: open',
      'Secret draft: draft',
    ])
    const other = await getPreview(author, { kind: 'course', itemUid: course.uid, planUid: planUid('Free Access') })
    expect(other.isInPlan).toBe(false)
    expect(modulesOf(other)).toContain('Open one: closed')
    expect(modulesOf(other)).toContain('Closed one: open')
  })

  test('a film shows what is saved', async () => {
    const lecture = await aLecture(db, { status: 'draft', plans: ['Free Access'] })
    const preview = await getPreview(author, {
      kind: 'lecture',
      itemUid: lecture.uid.toUpperCase(),
      planUid: planUid(),
    })
    expect(preview).toMatchObject({
      name: lecture.name,
      isPublished: false,
      isInPlan: false,
      shown: { kind: 'lecture', uid: lecture.uid, state: { questionsMarkdown: '1. Why?' }, tracks: [] },
    })
  })

  test('only staff of the site preview, and only what exists', async () => {
    const { uid } = await aDraft()
    const input = { kind: 'video' as const, itemUid: uid, planUid: planUid() }
    await expectGuarded(getPreview, input, { by: ['authors', 'admins'] })
    await expectGuarded(getItemToPreview, input, { by: ['authors', 'admins'] })
    await expect(getPreview(author, { ...input, planUid: randomUUID() })).rejects.toThrow(NotFound)
    await expect(getPreview(author, { ...input, itemUid: 'nothing' })).rejects.toThrow(NotFound)
    const gone = await aVideo(db, { deleted: true })
    await expect(getPreview(author, { ...input, itemUid: gone.uid })).rejects.toThrow(NotFound)
  })

  test('nothing is written', async () => {
    const { course } = await aDraftCourse()
    const { token } = await aLink('course', course.uid)
    const counts = async () => {
      const tables = [
        'course_progress',
        'module_progress',
        'video_progress',
        'video_plays',
        'favorites',
        'events',
        'visits',
      ] as const
      return Promise.all(
        tables.map(async (table) => {
          const query = db.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'))
          return (await query.executeTakeFirstOrThrow()).count
        }),
      )
    }
    const before = await counts()
    await getPreview(author, { kind: 'course', itemUid: course.uid, planUid: planUid() })
    await openPreviewLink(learner, { token })
    expect(await counts()).toEqual(before)
  })
})

describe('preview links', () => {
  test('a colleague without the plan sees the draft, but no other draft', async () => {
    const { course } = await aDraftCourse()
    const { token, expiresAt } = await aLink('course', course.uid)
    expect(expiresAt.getTime() - author.now.getTime()).toBe(7 * day)
    const preview = await openPreviewLink(learner, { token })
    expect(preview).toMatchObject({ name: course.name, plan: { name: 'Full Access' } })
    expect(modulesOf(preview)).toContain('A module that is not published yet: draft')
    expect(JSON.stringify([preview, modulesOf(preview)])).not.toContain('Secret')
    expect(modulesOf(await openPreviewLink(author, { token }))).toContain('Secret draft: draft')
  })

  test('it is listed with who made it and until when, and in the history of changes', async () => {
    const { uid } = await aDraft()
    const link = await aLink('video', uid)
    expect(await listPreviewLinks(author, { kind: 'video', itemUid: uid })).toEqual([
      { uid: link.uid, planName: 'Full Access', expiresAt: link.expiresAt, createdBy: expect.stringMatching(/^Ana/) },
    ])
    await revokePreviewLink(author, { linkUid: link.uid })
    const actions = (await listAuditEntries(author, { entity: 'video', entityUid: uid })).map(({ action }) => action)
    expect(actions.sort()).toEqual(['video.preview_link_created', 'video.preview_link_revoked'])
    const stored = JSON.stringify(await db.selectFrom('preview_links').selectAll().execute())
    const entries = JSON.stringify(await db.selectFrom('audit_entries').selectAll().execute())
    expect(stored + entries).not.toContain(link.token)
  })

  test('it ends after seven days, when it is revoked, and when the content is removed', async () => {
    const { uid } = await aDraft()
    const { token, uid: linkUid } = await aLink('video', uid)
    const at = (ms: number) => ({ ...learner, now: new Date(learner.now.getTime() + ms) })
    await openPreviewLink(at(6.9 * day), { token })
    await expect(openPreviewLink(at(7.1 * day), { token })).rejects.toThrow(NotFound)
    await db.updateTable('videos').set({ deleted_at: new Date() }).where('uid', '=', uid).execute()
    await expect(openPreviewLink(learner, { token })).rejects.toThrow(NotFound)
    await db.updateTable('videos').set({ deleted_at: null }).where('uid', '=', uid).execute()
    await revokePreviewLink(author, { linkUid })
    await expect(openPreviewLink(learner, { token })).rejects.toThrow(NotFound)
    expect(await listPreviewLinks(author, { kind: 'video', itemUid: uid })).toEqual([])
    await expect(aLink('video', uid, linkUid)).rejects.toThrow(Conflict)
  })

  test('it opens for nobody who is signed out or of another site, and no other token opens anything', async () => {
    const { uid } = await aDraft()
    const { token } = await aLink('video', uid)
    await expect(openPreviewLink(ctx, { token })).rejects.toThrow('Login required.')
    const stranger = await aUser(db, { site: 'ns' })
    const strangers = [await aContext(db, { viewer: stranger }), await aContext(db, { viewer: stranger, site: 'ns' })]
    for (const one of strangers) await expect(openPreviewLink(one, { token })).rejects.toThrow(NotFound)
    for (const wrong of ['', `${token}x`, token.toUpperCase(), `${token}\0`]) {
      await expect(openPreviewLink(learner, { token: wrong })).rejects.toThrow(NotFound)
    }
  })

  test('the film of a link plays, and no other', async () => {
    const [film, other] = [await aDraft(), await aDraft()]
    const { token, uid } = await aLink('video', film.uid)
    const addressOf = async ({ id }: { id: number }) =>
      (await db.selectFrom('videos').select('video_url').where('id', '=', id).executeTakeFirstOrThrow()).video_url
    const plays = async (ctx: Ctx, which: { id: number }) => isFilmPlayable(ctx, { address: await addressOf(which) })
    expect(await plays(learner, film)).toBe(false)
    const previewing = await withPreviews(learner, { tokens: [token, 'nonsense'] })
    expect(await plays(previewing, film)).toBe(true)
    expect(await plays(previewing, other)).toBe(false)
    const captionsOfOther = getCaptionsToServe(previewing, { kind: 'video', uid: other.uid, language: null })
    await expect(captionsOfOther).rejects.toThrow(NotFound)
    const late = { ...learner, now: new Date(learner.now.getTime() + 7.1 * day) }
    expect(await plays(await withPreviews(late, { tokens: [token] }), film)).toBe(false)
    const stranger = await aContext(db, { viewer: await aUser(db, { site: 'ns' }) })
    expect(await plays(await withPreviews(stranger, { tokens: [token] }), film)).toBe(false)
    expect(await plays(await withPreviews(ctx, { tokens: [token] }), film)).toBe(false)
    await revokePreviewLink(author, { linkUid: uid })
    expect(await plays(await withPreviews(learner, { tokens: [token] }), film)).toBe(false)
  })

  test('only staff of the site make, list and revoke links', async () => {
    const { uid } = await aDraft()
    const item = { kind: 'video' as const, itemUid: uid }
    await expectGuarded(createPreviewLink, { ...item, planUid: planUid() }, { by: ['authors', 'admins'] })
    const link = await aLink('video', uid)
    await expectGuarded(revokePreviewLink, { linkUid: link.uid }, { by: ['authors', 'admins'] })
    await expectGuarded(listPreviewLinks, item, { by: ['authors', 'admins'], elsewhere: null })
    await expect(listPreviewLinks(learner, item)).rejects.toThrow(Forbidden)
    await expect(createPreviewLink(author, { ...item, planUid: '' })).rejects.toThrow(Invalid)
    await expect(createPreviewLink(author, { ...item, itemUid: randomUUID(), planUid: planUid() })).rejects.toThrow(
      NotFound,
    )
  })

  test('ten at once make one link, and revoke it once', async () => {
    const { uid: itemUid } = await aDraft()
    const uid = randomUUID()
    const made = await Promise.all(Array.from({ length: 10 }, () => aLink('video', itemUid, uid)))
    expect(await listPreviewLinks(author, { kind: 'video', itemUid })).toHaveLength(1)
    const opened = await Promise.allSettled(made.map(({ token }) => openPreviewLink(learner, { token })))
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await Promise.all(Array.from({ length: 10 }, () => revokePreviewLink(author, { linkUid: uid })))
    const entries = await listAuditEntries(author, { entity: 'video', entityUid: itemUid })
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'video.preview_link_created',
      'video.preview_link_revoked',
    ])
  })

  test('the uid of a link cannot be taken over by somebody else', async () => {
    const { uid: itemUid } = await aDraft()
    const { uid, token } = await aLink('video', itemUid)
    const other = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
    const input = { kind: 'video' as const, itemUid, planUid: planUid(), uid }
    await expect(createPreviewLink(other, input)).rejects.toThrow(Conflict)
    await openPreviewLink(learner, { token })
  })

  test('a content has at most twenty links, also when they are made at once', async () => {
    const { uid: itemUid } = await aDraft()
    const all = await Promise.allSettled(Array.from({ length: mostPreviewLinks + 3 }, () => aLink('video', itemUid)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(mostPreviewLinks)
    await deleteExpiredPreviewLinks({ ...ctx, now: new Date(ctx.now.getTime() + 8 * day) })
    expect(await db.selectFrom('preview_links').select('id').execute()).toEqual([])
  })
})
