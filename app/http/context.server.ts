import { redirect } from '@remix-run/node'
import { isDataPath } from '~/browser/remix-internals.ts'
import { brands } from '~/config/brands.ts'
import { env } from '~/config/env.server.ts'
import { loginAddress, questionnaireAddress, safeNext } from '~/lib/next-address.ts'
import { stopViewingPath } from '~/lib/viewing.ts'
import { type Ctx, isAdmin, isStaff, type SessionPort, type Viewer } from '~/services/context.ts'
import { outageOf } from '~/services/errors.ts'
import {
  onCommit,
  openRequestContext,
  openSiteContext,
  openTokenContext,
  type TokenContext,
} from '~/services/runtime.server.ts'
import { createSession, deleteSession } from '~/services/sessions/sessions.server.ts'
import { siteKeyOfHost } from '~/services/sites/sites.server.ts'
import { doAfterwards } from './afterwards.server.ts'
import type { Exchange } from './exchange.server.ts'
import { keptFormPage } from './signed-out.server.ts'

type RouteArgs = { request: Request; context: { exchange: Exchange } }

/**
 * The context of this request, made once for all its loaders and its action. During an outage, throws the page that says
 * so.
 */
export function contextFor(args: Pick<RouteArgs, 'context'>): Promise<Ctx> {
  const { exchange } = args.context
  return contextOf(exchange).catch((error: unknown) => {
    const outage = outageOf(error)
    if (!outage) throw error
    if (!exchange.memo.has('outage')) exchange.log.error({ err: error }, 'a page could not be served')
    exchange.memo.set('outage', true)
    exchange.setHeader('Retry-After', String(outage.retryAfter))
    throw new Response(null, { status: 503, statusText: 'Service Unavailable' })
  })
}

/**
 * The context of whose session it is. It differs from `contextOf` only while an admin views the site as somebody else,
 * and is for ending that.
 */
export async function ownContextOf(exchange: Exchange): Promise<Ctx> {
  const ctx = await contextOf(exchange)
  return (exchange.memo.get('own-ctx') as Ctx | undefined) ?? ctx
}

export function contextOf(exchange: Exchange): Promise<Ctx> {
  const known = exchange.memo.get('ctx') as Promise<Ctx> | undefined
  if (known) return known
  const made = makeContext(exchange)
  exchange.memo.set('ctx', made)
  return made
}

/** The context of a request that no cookie may authenticate: xAPI, the fetch address of a launch. */
export function anonymousContextOf(exchange: Exchange): Promise<Ctx> {
  return openSiteContext(siteKeyOf(exchange), {
    now: exchange.startedAt,
    log: exchange.log,
    address: exchange.address,
  })
}

/** The token of `Authorization: Bearer`, valid or not; null without one. Other schemes are ignored. */
export function bearerOf(exchange: Exchange): string | null {
  const match = /^Bearer(?: +(.*))?$/i.exec(exchange.header('authorization') ?? '')
  return match ? (match[1] ?? '').trim() : null
}

/**
 * The context of a program with a bearer token. From here on the request has no other context, and its cookies are not
 * read.
 */
export async function tokenContextOf(exchange: Exchange, token: string): Promise<TokenContext | null> {
  const opened = await openTokenContext(siteKeyOf(exchange), token, {
    now: exchange.startedAt,
    log: exchange.log,
    address: exchange.address,
  })
  if (!opened) return null
  exchange.memo.set('ctx', Promise.resolve(opened.ctx))
  const { lastUsedAt } = opened
  if (!lastUsedAt || exchange.startedAt.getTime() - lastUsedAt.getTime() > 60_000) {
    doAfterwards(exchange, opened.touch)
  }
  return opened
}

async function makeContext(exchange: Exchange): Promise<Ctx> {
  const sessionId = exchange.cookie('session')
  const { ctx, ownCtx, seenAt, isQuestionnaireDue, touch } = await openRequestContext(
    {
      siteKey: siteKeyOf(exchange),
      sessionId,
      now: exchange.startedAt,
      log: exchange.log,
      address: exchange.address,
    },
    (uid) => webSession(exchange, uid),
  )
  exchange.memo.set('own-ctx', ownCtx)
  exchange.memo.set('is-viewing', ctx.viewAs !== undefined)
  exchange.memo.set('questionnaire-due', isQuestionnaireDue)
  if (seenAt && exchange.startedAt.getTime() - seenAt.getTime() > 60_000) {
    doAfterwards(exchange, touch)
    // The cookie is renewed together with the row.
    exchange.setCookie('session', sessionId ?? '', { maxAge: env().SESSION_DAYS * 86_400 })
  }
  return ctx
}

function siteKeyOf(exchange: Exchange) {
  return siteKeyOfHost(exchange.host, env().NS_HOST_SUFFIXES)
}

function webSession(exchange: Exchange, uid: string | null): SessionPort {
  return {
    uid,
    browser: {
      marks: exchange.cookie('browser'),
      // Stays when the person logs out: it says nothing about a session.
      remember: (marks) => exchange.setCookie('browser', marks, { maxAge: 365 * 86_400 }),
    },
    begin: async (ctx, userUid) => {
      const before = exchange.cookie('session')
      const { id } = await createSession(ctx, { userUid, agent: exchange.agent })
      if (before) await deleteSession(ctx, { id: before })
      onCommit(() => {
        exchange.setCookie('session', id, { maxAge: env().SESSION_DAYS * 86_400 })
        exchange.clearCookie('form')
        exchange.memo.delete('ctx')
      })
    },
    end: async (ctx) => {
      const id = exchange.cookie('session')
      if (id) await deleteSession(ctx, { id })
      onCommit(() => {
        exchange.clearCookie('session')
        // Not "cookies", which would sign the person out of a site on a neighboring name, and not "cache", which takes
        // seconds in some browsers: it has nothing private that may be shown without asking us.
        exchange.setHeader('Clear-Site-Data', '"storage"')
        exchange.memo.delete('ctx')
      })
    },
  }
}

export type SignedIn = Ctx & { viewer: Viewer }

/**
 * Lets any signed-in person in and redirects everybody else to /login/ and back. A person who has not answered the
 * questionnaire goes there first and then back, unless the route opts out with `{ isGated: false }`.
 */
export async function requireLearner(args: RouteArgs, { isGated = true } = {}): Promise<SignedIn> {
  const ctx = await contextFor(args)
  const { viewer } = ctx
  const { method, url } = args.request
  // Only signed-in people see these forms, so the session has ended since, perhaps in another tab.
  const isEnded = method !== 'GET'
  const isDoubled = args.context.exchange.isDoubled('session')
  if (!viewer) throw redirect(loginAddress(currentPage(args.request), { isEnded, isDoubled }))
  if (isGated && method === 'GET' && args.context.exchange.memo.get('questionnaire-due')) {
    throw redirect(questionnaireAddress(new URL(url)))
  }
  return { ...ctx, viewer }
}

/** The path of the page on which the form of this request is. */
export function pageOf({ request }: Pick<RouteArgs, 'request'>): string {
  const { pathname, search } = currentPage(request)
  return pathname + search
}

/** The page to return to. A post has no page of its own, so this is the page with its form. */
function currentPage(request: Request): URL {
  const url = new URL(request.url)
  const referer = request.headers.get('Referer')
  if (request.method === 'GET' || !referer || !URL.canParse(referer)) return url
  const page = new URL(referer)
  return safeNext(page.pathname + page.search) ? page : url
}

/** True if the browser posted the form itself, without our JavaScript. The answer must then be a whole page. */
export function isDocumentPost(args: Pick<RouteArgs, 'context'>): boolean {
  return !isDataPath(args.context.exchange.url.split('?', 1)[0] ?? '')
}

/**
 * Lets admins and authors in. A visitor is redirected to sign-in; if the browser itself posted a form, the answer is a
 * page that still holds its values. Other signed-in people get the Access Error page, and admins who view the site as
 * somebody else the page on which they stop that.
 */
export async function requireConsole(args: RouteArgs): Promise<SignedIn> {
  const { request } = args
  if (request.method === 'POST' && isDocumentPost(args) && !(await contextFor(args)).viewer) {
    throw await keptFormPage(request, loginAddress(currentPage(request)))
  }
  const ctx = await requireLearner(args)
  // Not an error page: the admin has to know that this browser views the site as somebody else.
  if (ctx.viewAs) throw redirect(stopViewingPath)
  if (!isStaff(ctx.viewer)) throw new Response(null, { status: 403, statusText: 'Access Error' })
  return ctx
}

/** For the console's admin-only sections. Authors see that they have no access to the page. */
export async function requireAdmin(args: RouteArgs): Promise<SignedIn> {
  const ctx = await requireConsole(args)
  if (!isAdmin(ctx.viewer)) throw new Response(null, { status: 403, statusText: 'No Access' })
  return ctx
}

export function brandOf(ctx: Pick<Ctx, 'site'>) {
  return brands[ctx.site.key]
}

/** The first page after sign-in: the console for admins, home for everybody else. */
export function landingOf(groups: string[]): string {
  return groups.includes('admins') ? '/dashboard/' : '/home/'
}
