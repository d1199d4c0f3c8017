/**
 * Everything that this product knows about private parts of Remix 2.17 and React Router 6.30. Nothing outside this file
 * may use them. tests/lib/remix-internals.test.ts checks each item against the installed version and says what to check
 * after an upgrade; docs/decisions/023-remix-internals.md says why each is worth its price.
 */
import { createPath, type Location, matchRoutes, type Navigation, RemixBrowser } from '@remix-run/react'

// 1. The router of the page: `window.__remixRouter`.

/** The navigation that is under way, as the router knows it now. React components may hear of it a moment later. */
export function currentNavigation(): Navigation {
  return window.__remixRouter.state.navigation
}

/** The page that the router shows. During Back or Forward the browser's address is already the next one. */
export function shownLocation(): Location {
  return window.__remixRouter.state.location
}

/**
 * Cancels the navigation that is under way, so that the page stays with everything that was typed. The router has no
 * such call. A navigation to the current location, for which no loader runs, has the same effect.
 */
export async function cancelNavigation(): Promise<void> {
  const router = window.__remixRouter
  const { location, matches } = router.state
  const routes = matches.map(({ route }) => ({ route, own: route.shouldRevalidate }))
  for (const { route } of routes) route.shouldRevalidate = () => false
  try {
    await router.navigate(createPath(location), { replace: true, preventScrollReset: true, state: location.state })
  } finally {
    for (const { route, own } of routes) route.shouldRevalidate = own
  }
}

// 2. The manifest of the build: `window.__remixManifest`.

/** True where the route at this path has a `clientAction`, which explains a failed post beside its form. */
export function hasClientAction(pathname: string): boolean {
  const leaf = matchRoutes(window.__remixRouter.routes, pathname)?.at(-1)
  return leaf?.route.id !== undefined && window.__remixManifest.routes[leaf.route.id]?.hasClientAction === true
}

// 3. The addresses of single fetch and of route discovery.

export const manifestPath = '/__manifest'

/** True for requests that the router makes itself: the data of a page, a posted form, or the discovery of routes. */
export function isRouterPath(pathname: string): boolean {
  return isDataPath(pathname) || pathname === manifestPath
}

export function isDataPath(pathname: string): boolean {
  return pathname.endsWith('.data')
}

/** The pages that a router's request is about. Discovery can ask for several. */
export function pagePathsOf(url: URL): string[] {
  if (url.pathname === manifestPath) return url.searchParams.getAll('p')
  return [url.pathname === '/_root.data' ? '/' : url.pathname.replace(/\.data$/, '')]
}

// 4. The headers of its answers.

/** True for an answer that Remix made, and false for one of a proxy in front of it. */
export function isRemixResponse({ headers }: Response): boolean {
  return headers.has('X-Remix-Response')
}

/** Where an answer redirects to; null where it does not. */
export function redirectTarget({ headers }: Response): string | null {
  return headers.get('Location') ?? headers.get('X-Remix-Redirect')
}

// 5. The start of hydration.

/**
 * Waits until the page's data is decoded. Until then RemixBrowser throws a promise. Inside a root that is being
 * hydrated, a click at that moment would make React give up on the document ("Root did not complete").
 */
export async function whenDataIsDecoded(): Promise<void> {
  try {
    RemixBrowser({})
  } catch (decoding) {
    await decoding
  }
}

// 6. The document's scripts.

/**
 * Renames Remix's script and its preload links, so that the browser ignores them until late-scripts.tsx starts them.
 */
export function holdScripts(document: string): string {
  return document
    .replaceAll('<link rel="modulepreload" href="', '<link rel="late" fetchpriority="low" href="')
    .replace(/(<script[^>]*) type="module" async="">/, '$1 type="late">')
}

// 7. The loading of route chunks, changed at build time (vite.config.ts).

export const routeModulesFile = '@remix-run/react/dist/esm/routeModules.js'

/**
 * Remix reloads the page when a route's chunk cannot be fetched, which leaves an offline person with the browser's
 * error page. This replaces the reload with the `vite:preloadError` event that Vite fires for other chunks
 * (lost-chunks.ts listens). Returns null where the code is no longer as expected; the build then fails.
 */
export function reportLostRoutes(code: string): string | null {
  const load = 'import( /* webpackIgnore: true */route.module)'
  const reload = /window\.location\.reload\(\);\s*return new Promise\(\(\) => \{[^}]*\}\);/
  if (!reload.test(code) || !code.includes(load)) return null
  const report = `
        losses.set(route.module, (losses.get(route.module) ?? 0) + 1);
        const lost = new Event("vite:preloadError", { cancelable: true });
        lost.payload = error;
        lost.before = arguments[2];
        // Single fetch would swallow an error thrown here and show an empty page. Thrown by the page, it reaches the
        // error boundary.
        if (window.dispatchEvent(lost)) return { default() { throw error; } };
        await (lost.until ?? new Promise(() => {}));
        return loadRouteModule(route, routeModulesCache, lost);`
  // Most browsers never fetch an address again whose import failed once.
  const loadAgain = `
        import(losses.has(route.module) ? route.module + "?again=" + losses.get(route.module) : route.module)`
  return `const losses = new Map();\n${code.replace(load, () => loadAgain).replace(reload, () => report)}`
}

// 8. The settings in remix.config.js, made constant at build time (vite.config.ts).

export const remixClientFiles = /\/node_modules\/@remix-run\/react\/dist\/esm\/[\w-]+\.js$/

/**
 * Remix asks for its settings while it runs, so the browser would also load the code for what is switched off: about
 * 2 KB. This replaces each question by its answer, and the build drops what cannot run. With single fetch, every route
 * gets its data by the function that Remix passes to it.
 */
export function inlineRemixSettings(code: string, future: object): string {
  const answers = new Map(Object.entries(future))
  const inlined = code
    .replace(/(?:[\w.]+\.)?\bfuture\.(v3_\w+)/g, (question, name) => String(answers.get(name) ?? question))
    .replaceAll('window.__remixContext.isSpaMode', 'false')
  return answers.get('v3_singleFetch') ? inlined.replace('typeof singleFetch === "function"', 'true') : inlined
}
