/**
 * `npm run preview`: serves only the pages, with @remix-run/serve. That server gives loaders no context, so this build
 * makes the exchange from each Request and adds its headers, which hold the cookies, to the answer. Everything that is
 * not a page (GraphQL, xAPI, uploads, modules) needs `npm start`.
 */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type {
  ActionFunctionArgs,
  AppLoadContext,
  HandleDataRequestFunction,
  HandleDocumentRequestFunction,
  LoaderFunctionArgs,
  ServerBuild,
} from '@remix-run/node'
import type { Edge } from '../app/edge/index.server.ts'

type AppModule = ServerBuild['entry']['module'] & { edge: Edge }

const build = (await import(pathToFileURL(path.resolve('build/server/index.js')).href)) as ServerBuild
const { edge, ...entryModule } = build.entry.module as AppModule

const headersOf = new WeakMap<AppLoadContext, Headers>()

/** Remix calls all loaders of a request with one context, which is empty here. The first one fills it. */
function withExchange<Args extends LoaderFunctionArgs | ActionFunctionArgs, Answer>(
  handle: ((args: Args) => Answer) | undefined,
) {
  if (!handle) return undefined
  return async (args: Args): Promise<Awaited<Answer>> => {
    fill(args.context, args.request)
    try {
      const answer = await handle(args)
      if (answer instanceof Response) addHeaders(answer.headers, args.context)
      return answer
    } catch (thrown) {
      if (thrown instanceof Response) addHeaders(thrown.headers, args.context)
      throw thrown
    }
  }
}

function fill(context: AppLoadContext, request: Request): void {
  if (context.exchange) return
  const { exchange, headers } = edge.beginExchangeOf(request)
  context.exchange = exchange
  headersOf.set(context, headers)
}

function addHeaders(headers: Headers, context: AppLoadContext): void {
  const own = headersOf.get(context)
  if (!own) return
  headers.delete('Set-Cookie')
  for (const [name, value] of own) headers.append(name, value)
}

const handleDocument: HandleDocumentRequestFunction = async (request, status, headers, remixContext, context) => {
  fill(context, request)
  const answer = (await entryModule.default(request, status, headers, remixContext, context)) as Response
  addHeaders(answer.headers, context)
  return answer
}

const handleData: HandleDataRequestFunction = async (response, args) => {
  const answer = entryModule.handleDataRequest ? await entryModule.handleDataRequest(response, args) : response
  addHeaders(answer.headers, args.context)
  return answer
}

export const { assets, assetsBuildDirectory, basename, future, isSpaMode, mode, publicPath } = build

export const entry = { module: { ...entryModule, default: handleDocument, handleDataRequest: handleData } }

export const routes: ServerBuild['routes'] = Object.fromEntries(
  Object.entries(build.routes).map(([id, route]) => {
    if (!route) return [id, route]
    const { loader, action, ...module } = route.module
    const wrapped = {
      ...module,
      ...(loader && { loader: withExchange(loader) }),
      ...(action && { action: withExchange(action) }),
    }
    return [id, { ...route, module: wrapped }]
  }),
)
