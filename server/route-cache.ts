/**
 * React Router flattens, ranks and compiles all routes for every match, and Remix rebuilds its tree of routes for every
 * page: a seventh of a page's processor time. The routes of a build never change on the server, so these build-time
 * changes cache the results. tests/lib/route-cache.test.ts checks them against the installed versions; decision 025 has
 * the figures.
 *
 * They apply to the server only. In the browser, Remix adds routes to the same arrays as it discovers them.
 */
import type { Plugin } from 'vite'

type Change = { file: string; from: string; to: string; and: string }

const changes: Change[] = [
  {
    file: '@remix-run/router/dist/router.js',
    from: '  let branches = flattenRoutes(routes);\n  rankRouteBranches(branches);\n',
    to: '  let branches = rankedBranches(routes);\n',
    and: `
const branchesOfRoutes = new WeakMap();
function rankedBranches(routes) {
  let branches = branchesOfRoutes.get(routes);
  if (!branches) {
    branches = flattenRoutes(routes);
    rankRouteBranches(branches);
    branchesOfRoutes.set(routes, branches);
  }
  return branches;
}
`,
  },
  {
    file: '@remix-run/router/dist/router.js',
    from: 'function compilePath(path, caseSensitive, end) {',
    to: 'function compilePathAnew(path, caseSensitive, end) {',
    // Only route patterns come here, so the number of entries is that of the build.
    and: `
const compiledPaths = new Map();
function compilePath(path, caseSensitive = false, end = true) {
  const key = (caseSensitive ? "c" : "i") + (end ? "$" : "/") + path;
  let compiled = compiledPaths.get(key);
  if (!compiled) {
    compiled = compilePathAnew(path, caseSensitive, end);
    compiledPaths.set(key, compiled);
  }
  return compiled;
}
`,
  },
  {
    file: '@remix-run/react/dist/esm/server.js',
    from: 'let routes = createServerRoutes(manifest.routes, routeModules, context.future, context.isSpaMode);',
    to: 'let routes = serverRoutesOf(manifest.routes, routeModules, context);',
    and: `
const serverRoutes = new WeakMap();
function serverRoutesOf(manifestRoutes, routeModules, context) {
  let routes = serverRoutes.get(manifestRoutes);
  if (!routes) {
    routes = createServerRoutes(manifestRoutes, routeModules, context.future, context.isSpaMode);
    serverRoutes.set(manifestRoutes, routes);
  }
  return routes;
}
`,
  },
  {
    file: 'react-router-dom/server.mjs',
    from: `  let manifest = {};
  let dataRoutes = UNSAFE_convertRoutesToDataRoutes(routes, UNSAFE_mapRouteProperties, undefined, manifest);

  // Because our context matches`,
    to: `  let { manifest, dataRoutes } = dataRoutesOf(routes);

  // Because our context matches`,
    and: `
const dataRoutesOfRoutes = new WeakMap();
function dataRoutesOf(routes) {
  let known = dataRoutesOfRoutes.get(routes);
  if (!known) {
    let manifest = {};
    let dataRoutes = UNSAFE_convertRoutesToDataRoutes(routes, UNSAFE_mapRouteProperties, undefined, manifest);
    known = { manifest, dataRoutes };
    dataRoutesOfRoutes.set(routes, known);
  }
  return known;
}
`,
  },
  {
    // An absolute address does not depend on the routes around a link, and a page has about a hundred links.
    file: 'react-router/dist/index.js',
    from: '  let routePathnamesJson = JSON.stringify(UNSAFE_getResolveToMatches(matches, future.v7_relativeSplatPath));\n  return React.useMemo(() => resolveTo(',
    to: `  if (typeof to === "string" && to[0] === "/") return resolveTo(to, noPathnames, locationPathname);
  let routePathnamesJson = JSON.stringify(UNSAFE_getResolveToMatches(matches, future.v7_relativeSplatPath));
  return React.useMemo(() => resolveTo(`,
    and: `
const noPathnames = [];
`,
  },
]

/** Returns the changed code, or null if the file stays as it is. Throws if a change no longer fits. */
export function withRouteCache(file: string, code: string): string | null {
  const own = changes.filter((change) => file.endsWith(`/node_modules/${change.file}`))
  if (own.length === 0) return null
  return own.reduce((changed, { from, to, and }) => {
    if (changed.split(from).length !== 2)
      throw new Error(`${file} has changed: see docs/decisions/025-pages-twice-as-fast.md.`)
    return changed.replace(from, () => to) + and
  }, code)
}

export function routeCache(): Plugin {
  return {
    name: 'route-cache',
    apply: 'build',
    transform(code, id, options) {
      const changed = options?.ssr ? withRouteCache(id.split('?', 1)[0] ?? id, code) : null
      return changed === null ? null : { code: changed, map: null }
    },
  }
}
