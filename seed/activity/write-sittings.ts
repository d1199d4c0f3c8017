/** Writes what the demo's people do on the site, one stay after the other. */
import { brands } from '../../app/config/brands.ts'
import { env } from '../../app/config/env.server.ts'
import { videoEvents } from '../../app/forms/video-events.ts'
import { addPart, writePlayed } from '../../app/lib/played.ts'
import { recordSignIn } from '../../app/services/accounts/sign-ins.server.ts'
import {
  fetchToken,
  findUnitSession,
  launchUnit,
  recordAuStatements,
  type UnitSession,
  writeUnitDocument,
} from '../../app/services/cmi5/cmi5.server.ts'
import { fetchSecretOf } from '../../app/services/cmi5/secrets.server.ts'
import type { Ctx, Viewer } from '../../app/services/context.ts'
import { Conflict, ServiceError } from '../../app/services/errors.ts'
import { recordEvent, recordSearch } from '../../app/services/events/events.server.ts'
import { setFavorite } from '../../app/services/favorites/favorites.server.ts'
import { getModule } from '../../app/services/modules/modules.server.ts'
import { recordFilmProgress } from '../../app/services/progress/films.server.ts'
import { recordVisit } from '../../app/services/sessions/sessions.server.ts'
import { deactivateUser } from '../../app/services/users/deactivate-user.server.ts'
import { resolveTerms } from '../../app/services/xapi/xapi.server.ts'
import { inTransaction } from '../../db/transaction.server.ts'
import { uidOf } from '../demo-parts.ts'
import { type DemoFilm, lectures, videos } from '../film-library.ts'
import { bookmarkId } from '../player/recorder.ts'
import { type DemoSite, dayBefore, minuteMs, viewerAt } from './demo-site.ts'
import { type Sitting, sittingsOf, sittingsOfAda, type Visit, type Watched } from './plan.ts'
import { randomOf } from './random.ts'
import { bookmarkOf, questionIris, statementsOfVisit, unitVerbs } from './unit-visit.ts'

/** Returns false if it was stopped before everything was written. */
export async function writeSittingsOfAda(demo: DemoSite): Promise<boolean> {
  const ada = demo.accounts.get('learner')
  return !ada || writeSittings(demo, ada, sittingsOfAda(demo.sources, demo.today))
}

/** Returns false if it was stopped before everything was written. */
export async function writeSittingsOfPeople(demo: DemoSite): Promise<boolean> {
  for (const person of demo.people) {
    const userUid = demo.accounts.get(person.name)
    if (!userUid || person.lastSeen === null) continue
    if (!(await writeSittings(demo, userUid, sittingsOf(person, demo.sources, demo.today)))) return false
    if (person.state !== 'deactivated') continue
    const now = dayBefore(demo, Math.max(1, person.lastSeen - 20), 10)
    await deactivateUser({ ...demo.ctx, now }, { userUid })
  }
  return true
}

/** Continues after the last stay that was written. */
async function writeSittings(demo: DemoSite, userUid: string, sittings: Sitting[]): Promise<boolean> {
  const lastAt = demo.lastSignIns.get(userUid)
  for (const sitting of sittings) {
    if (lastAt && sitting.at <= lastAt) continue
    if (demo.signal.aborted) return false
    const ctx = await viewerAt(demo.ctx, userUid, sitting.at)
    if (!ctx) return true
    if (!(await openAndWrite(demo, ctx, sitting))) return false
  }
  return true
}

const mostLaunches = 3
const launchHasEnded = ['cmi5.ended', 'launch.ended']

/**
 * The worker may end the launch before the visit is written, because to it a launch of the past is idle. Then the unit
 * is launched again. Returns false if it was stopped.
 */
async function openAndWrite(demo: DemoSite, ctx: Ctx & { viewer: Viewer }, sitting: Sitting): Promise<boolean> {
  for (let launches = 1; ; launches++) {
    try {
      const session = sitting.visit && (await openUnit(ctx, sitting.visit))
      if (demo.signal.aborted) return false
      await inTransaction(ctx, (ctx) => writeSitting(demo, ctx, sitting, session))
      return true
    } catch (error) {
      const isEnded = error instanceof ServiceError && launchHasEnded.includes(error.code)
      if (!isEnded || launches === mostLaunches) throw error
    }
  }
}

/** Returns the moment a minute after the sign-in, when the person opens the unit. */
function openedAt(ctx: Ctx): Date {
  return new Date(ctx.now.getTime() + minuteMs)
}

/**
 * Opens a unit before the transaction of the stay, because launching has one of its own. A start that was cut off
 * leaves a launch without a visit. The worker may have ended it since, so the next start always launches again, and
 * launching ends what is still open.
 */
async function openUnit(ctx: Ctx & { viewer: Viewer }, visit: Visit): Promise<UnitSession> {
  const atLaunch = { ...ctx, now: openedAt(ctx) }
  const { publishedVersionUid } = await getModule(ctx, { moduleUid: uidOf(ctx, 'module', visit.module) })
  const { auLaunchSessionUid } = await launchUnit(atLaunch, {
    moduleVersionUid: publishedVersionUid ?? '',
    unitIndex: visit.unitIndex,
    retake: visit.isRetake,
    courseUid: visit.courseSlug === null ? null : uidOf(ctx, 'course', visit.courseSlug),
  })
  const answer = await fetchToken(atLaunch, { secret: await fetchSecretOf(ctx.db, auLaunchSessionUid) })
  const session = 'token' in answer ? await findUnitSession(atLaunch, { token: answer.token }) : null
  if (!session) throw new Conflict('launch.ended', `The launch of "${visit.module}" opens nothing`)
  await resolveTerms(ctx, { agents: [], verbs: unitVerbs, activities: questionIris(session.unitIri, visit) })
  return session
}

async function writeSitting(
  demo: DemoSite,
  ctx: Ctx & { viewer: Viewer },
  { visit, film, search, saved }: Sitting,
  session: UnitSession | null,
): Promise<void> {
  const { viewer } = ctx
  let { now } = ctx
  const later = (minutes: number) => {
    now = new Date(now.getTime() + Math.round(minutes * minuteMs))
    return { ...ctx, now }
  }
  await recordVisit(ctx.db, { viewer, now })
  await recordSignIn(ctx, { userUid: viewer.uid })
  await sendPageView(demo, ctx, 'Home', '/home/')
  if (visit && session) {
    const atLaunch = { ...ctx, now: openedAt(ctx) }
    await sendPageView(demo, atLaunch, 'Module', `/modules/${uidOf(ctx, 'module', visit.module)}/`)
    await visitUnit(atLaunch, visit, session)
    now = new Date(openedAt(ctx).getTime() + visit.minutes * minuteMs)
    await recordVisit(ctx.db, { viewer, now })
  }
  if (search) {
    await sendPageView(demo, later(1), 'Search', '/search/')
    await recordSearch({ ...ctx, now }, { ...search, type: 'all' })
  }
  if (film) {
    await sendPageView(demo, later(1), film.kind === 'lecture' ? 'Lectures' : 'Videos', `/${film.kind}s/`)
    now = await watch(demo, later(0.2), film)
  }
  for (const { type, slug } of saved) {
    const kind = type === 'lecture' || type === 'video' ? 'film' : type
    await setFavorite(later(0.5), { action: 'ADD', studyUnitType: type, uid: uidOf(ctx, kind, slug) })
  }
  await sendPageView(demo, later(0.5), 'My Learning', '/my-learning/in-progress/')
  await recordVisit(ctx.db, { viewer, now })
}

async function visitUnit(ctx: Ctx & { viewer: Viewer }, visit: Visit, session: UnitSession): Promise<void> {
  const { uid, unitIri, registrationUid, actor } = session
  const idOf = (n: number) => uidOf(ctx, 'statement', `${uid}|${n}`)
  const [initialized, ...others] = statementsOfVisit(session, visit, ctx.now, idOf)
  const version = '1.0.3'
  await recordAuStatements({ ...ctx, viewer: null }, { session, statements: [initialized], version })
  const atEnd = { ...ctx, viewer: null, now: new Date(ctx.now.getTime() + visit.minutes * minuteMs) }
  await writeUnitDocument(atEnd, {
    session,
    method: 'put',
    key: { kind: 'state', activityIri: unitIri, agent: actor, registration: registrationUid, documentId: bookmarkId },
    document: { content: Buffer.from(JSON.stringify(bookmarkOf(visit))), contentType: 'application/json' },
    preconditions: {},
  })
  await recordAuStatements(atEnd, { session, statements: others, version })
}

async function sendPageView(demo: DemoSite, ctx: Ctx, name: string, address: string): Promise<void> {
  await sendEvent(demo, ctx, `View Page ${name}`, { path: address })
}

/** Leaves out events that are older than events are kept. */
async function sendEvent({ today }: DemoSite, ctx: Ctx, event: string, properties: object): Promise<void> {
  const oldest = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - env().EVENT_MONTHS + 1, 1)
  if (ctx.now.getTime() < oldest) return
  const screen = randomOf(ctx.viewer?.uid ?? '').pick([
    { width: 1440, height: 900 },
    { width: 1920, height: 1080 },
    { width: 390, height: 844 },
  ])
  await recordEvent(ctx, { event: { event, properties, screen }, perMinute: Number.MAX_SAFE_INTEGER })
}

/** Sends the events that a player sends (use-film-tracking.ts). Returns when the film was over. */
async function watch(demo: DemoSite, ctx: Ctx, { kind, slug, percent }: Watched): Promise<Date> {
  const film = filmOf(slug)
  const uid = uidOf(ctx, 'film', slug)
  const until = (film.seconds * percent) / 100
  const at = (seconds: number) => ({ ...ctx, now: new Date(ctx.now.getTime() + Math.round(seconds * 1000)) })
  const send = (event: string, seconds: number) =>
    sendEvent(demo, at(seconds), event, {
      video_uid: uid,
      video_asset_id: `/films/${slug}-${brands[ctx.site.key].palette}.mp4`,
      video_player: 'native',
      video_percent: Number((seconds / film.seconds).toFixed(4)),
      video_position: Number(seconds.toFixed(2)),
      video_title: film.name,
      video_total_length: film.seconds,
    })
  await send(videoEvents.started, 0)
  for (let seconds = 10; seconds < until; seconds += 10) await send(videoEvents.playing, seconds)
  await send(percent === 100 ? videoEvents.completed : videoEvents.paused, until)
  const played = writePlayed(addPart([], 0, until))
  const positionSeconds = percent === 100 ? 0 : until
  await recordFilmProgress(at(until), { kind, uid, played, durationSeconds: film.seconds, positionSeconds })
  return at(until).now
}

function filmOf(slug: string): DemoFilm {
  const film = [...lectures, ...videos].find((one) => one.slug === slug)
  if (!film) throw new Error(`There is no demo film "${slug}"`)
  return film
}
