/**
 * Checks each item of app/browser/remix-internals.ts against the installed Remix and its own copies of its packages. If
 * one fails after an upgrade, decision 023 says what the item is for.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createRequestHandler, type ServerBuild } from '@remix-run/node'
import { afterEach, expect, test, vi } from 'vitest'
import {
  cancelNavigation,
  currentNavigation,
  hasClientAction,
  inlineRemixSettings,
  isRemixResponse,
  isRouterPath,
  manifestPath,
  pagePathsOf,
  reportLostRoutes,
  routeModulesFile,
  shownLocation,
} from '~/browser/remix-internals.ts'
import remixConfig from '../../remix.config.js'

const folder = path.resolve('node_modules/@remix-run/react')
const require = createRequire(path.join(folder, 'package.json'))
const { createMemoryHistory, createRouter } = require('@remix-run/router')
const { singleFetchUrl } = require('./dist/single-fetch.js')
const source = (file: string) => readFileSync(path.join(folder, 'dist', file), 'utf8')

afterEach(() => vi.unstubAllGlobals())

/** Makes a router as Remix does in the browser, on /here, with a page whose loader never answers. */
function startRouter() {
  const calls = { here: 0 }
  const router = createRouter({
    history: createMemoryHistory({ initialEntries: ['/here'] }),
    routes: [
      {
        id: 'here',
        path: '/here',
        loader: () => {
          calls.here += 1
          return null
        },
      },
      { id: 'there', path: '/there', loader: () => new Promise(() => {}) },
    ],
    hydrationData: { loaderData: { here: null } },
  }).initialize()
  vi.stubGlobal('window', {
    __remixRouter: router,
    __remixManifest: { routes: { here: { hasClientAction: true }, there: { hasClientAction: false } } },
  })
  return { router, calls }
}

test('1: Remix keeps its router in window.__remixRouter', () => {
  expect(source('browser.js')).toMatch(/window\.__remixRouter = router/)
})

test('1: a navigation that has started can be canceled, and then reloads nothing', async () => {
  const { router, calls } = startRouter()
  router.navigate('/there')
  expect(currentNavigation()).toMatchObject({ state: 'loading', location: { pathname: '/there' } })
  await cancelNavigation()
  expect(currentNavigation().state).toBe('idle')
  expect(shownLocation().pathname).toBe('/here')
  expect(calls.here).toBe(0)
  await router.revalidate()
  expect(calls.here).toBe(1)
})

test('2: the manifest says which routes have a clientAction', () => {
  startRouter()
  expect(source('routes.js')).toContain('route.hasClientAction')
  expect(hasClientAction('/here')).toBe(true)
  expect(hasClientAction('/there')).toBe(false)
  expect(hasClientAction('/nowhere')).toBe(false)
})

test.each([
  ['/', '/'],
  ['/modules/', '/modules'],
  ['/modules/6f/', '/modules/6f'],
])('3: the address of the data of %s tells the page', (page, known) => {
  const url = singleFetchUrl(`http://localhost${page}`) as URL
  expect(isRouterPath(url.pathname)).toBe(true)
  expect(pagePathsOf(url).map((one) => one.replace(/(.)\/$/, '$1'))).toEqual([known])
})

test('3: routes are discovered at /__manifest, by the pages that link to them', () => {
  expect(source('fog-of-war.js')).toContain(manifestPath)
  expect(source('fog-of-war.js')).toContain('searchParams.append("p", path)')
  const url = new URL(`http://localhost${manifestPath}?p=/modules&p=/home&version=1`)
  expect(pagePathsOf(url)).toEqual(['/modules', '/home'])
  expect(isRouterPath('/graphql/csrf/')).toBe(false)
})

test('4: Remix marks its own answers', async () => {
  const build: Partial<ServerBuild> = {
    entry: { module: { default: () => new Response() } },
    routes: { root: { id: 'root', path: '', module: { default: () => null, loader: () => 'data' } } },
    assets: { version: '', url: '', entry: { module: '', imports: [] }, routes: {} },
    future: { v3_singleFetch: true } as ServerBuild['future'],
    publicPath: '/',
    isSpaMode: false,
  }
  const answer = await createRequestHandler(
    build as ServerBuild,
    'production',
  )(new Request('http://localhost/_root.data'))
  expect(answer.status).toBe(200)
  expect(isRemixResponse(answer)).toBe(true)
  expect(isRemixResponse(new Response('Bad gateway', { status: 502 }))).toBe(false)
})

test('5: RemixBrowser throws a promise until it has decoded the data of the page', () => {
  expect(source('browser.js')).toContain('throw stateDecodingPromise;')
})

test('6: Remix writes its scripts in the form that holdScripts looks for', () => {
  const scripts = source('components.js')
  expect(scripts).toContain('rel: "modulepreload"')
  expect(scripts).toMatch(/type: "module",\s+async: true/)
})

test('7: the loading of route chunks can be changed at build time', () => {
  const file = readFileSync(path.resolve('node_modules', routeModulesFile), 'utf8')
  const changed = reportLostRoutes(file)
  expect(changed).toContain('vite:preloadError')
  expect(changed).not.toContain('window.location.reload()')
  expect(reportLostRoutes('export {}')).toBeNull()
})

test('8: the settings of Remix can be made constant at build time', () => {
  const future = remixConfig.future ?? {}
  const esm = path.join(folder, 'dist/esm')
  const files = Object.fromEntries(
    readdirSync(esm).flatMap((file) => {
      const code = file.endsWith('.js') ? readFileSync(path.join(esm, file), 'utf8') : ''
      return code ? [[file, { code, inlined: inlineRemixSettings(code, future) }]] : []
    }),
  )
  const changed = Object.keys(files).filter((file) => files[file]?.code !== files[file]?.inlined)
  expect(changed).toEqual(
    expect.arrayContaining(['browser.js', 'components.js', 'fog-of-war.js', 'links.js', 'routes.js']),
  )
  const all = Object.values(files)
    .map(({ inlined }) => inlined)
    .join()
  expect(all).not.toMatch(/\bfuture\.v3_|__remixContext\.(future\.v3_|isSpaMode)|\.(true|false)\b/)
  expect(files['browser.js']?.inlined).toContain('v7_fetcherPersist: true,')
  // A route asks the server itself only where Remix passes no function for it. It passes one to each handler.
  expect(files['routes.js']?.code.split('typeof singleFetch === "function"')).toHaveLength(2)
  expect(files['routes.js']?.inlined).not.toContain('typeof singleFetch')
  const handlers = files['single-fetch.js']?.code.match(/\bhandler\(.*/g) ?? []
  expect(handlers).toHaveLength(3)
  for (const handler of handlers) expect(handler).toMatch(/^handler\(async \(\) => \{$/)
})

test('8: settings that are off stay questions to Remix', () => {
  const code = 'if (future.v3_singleFetch && typeof singleFetch === "function") a(future.v3_other)'
  expect(inlineRemixSettings(code, { v3_singleFetch: false })).toBe(
    'if (false && typeof singleFetch === "function") a(future.v3_other)',
  )
})
