/**
 * Everything at the edge that is not a page. The server mounts it before helmet, compression and Remix. entry.server
 * exports it, so that in a web process one bundle, one pool and one module graph serve everything.
 */
import { buildNumber } from '~/config/build.server.ts'
import { contentProblem, contentSources, isContentHost } from '~/config/content.server.ts'
import { env } from '~/config/env.server.ts'
import { logger } from '~/config/log.server.ts'
import { bearerOf } from '~/http/context.server.ts'
import { beginExchange, beginExchangeOf, type Exchange, routeOf } from '~/http/exchange.server.ts'
import { isKnownHost } from '~/http/known-hosts.ts'
import { isCrossSite } from '~/http/origin.server.ts'
import { outageOf } from '~/services/errors.ts'
import { closeDatabase, countQueries, isDatabaseStuck } from '~/services/runtime.server.ts'
import { handleClientError } from './client-error.server.ts'
import { handleContentFile } from './content.server.ts'
import { handleEvent } from './event.server.ts'
import { handleCaptions, handleFile, handleFilmFile, handleImage, mayFetchFilm } from './files.server.ts'
import { handleGraphql } from './graphql.server.ts'
import { announceStop, handleHealth, handleReadiness, isStopping } from './health.server.ts'
import { handleLaunchFetch } from './launch-fetch.server.ts'
import { handleMailEvent } from './mail-events.server.ts'
import { handleReport, isReport } from './reports.server.ts'
import { handleTrackedMail } from './tracked-mail.server.ts'
import { handleUnsubscribe } from './unsubscribe.server.ts'
import { handleUploads } from './uploads.server.ts'
import { handleXapi } from './xapi.server.ts'

/** True for a GraphQL request with a bearer token. No cookie is read for it, so another site cannot forge it. */
function isTokenRequest(exchange: Exchange): boolean {
  return /^\/graphql\/?($|\?)/i.test(exchange.url) && bearerOf(exchange) !== null
}

export type Edge = typeof edge

export const edge = {
  env,
  buildNumber,
  beginExchange,
  beginExchangeOf,
  routeOf,
  logger,
  isCrossSite: (exchange: Exchange) =>
    !isTokenRequest(exchange) && isCrossSite(exchange, [env().SITE_ORIGIN, env().NS_SITE_ORIGIN]),
  isKnownHost: (exchange: Exchange) => isKnownHost(exchange.host, env()),
  contentProblem,
  contentSources,
  isContentHost,
  isReport,
  handleCaptions,
  handleClientError,
  handleContentFile,
  handleEvent,
  handleFile,
  handleFilmFile,
  handleGraphql,
  handleHealth,
  handleImage,
  handleLaunchFetch,
  handleMailEvent,
  handleReadiness,
  handleReport,
  handleTrackedMail,
  handleUnsubscribe,
  handleUploads,
  handleXapi,
  countQueries,
  outageOf,
  announceStop,
  isStopping,
  isDatabaseStuck,
  mayFetchFilm,
  disconnect: closeDatabase,
}
