/**
 * Splits the browser's code into files: few for learners, who often use phones, and without the code that only the
 * console needs.
 */
import type { Rollup } from 'vite'

const framework =
  /\/node_modules\/(react|react-dom|scheduler|react-router|react-router-dom|@remix-run|turbo-stream)\/|^\0commonjsHelpers/
const learnerRoute = /\/app\/routes\/(_learn|_public|_auth|viewer)\..*\?/
/** Pages that hardly anybody opens. They do not decide how the files of the others are split, and share one file. */
const rareRoute = /\/app\/routes\/_auth\.(confirm-address|keep-address|stop-viewing)\./
/** Modules that every page loads, or nearly every one. */
const everyPage = /\/app\/(root|entry\.client|routes\/_learn)\.tsx/
/** A module that so many learner routes need is in the file that every page loads. */
const mostRoutes = 16
/** A module that so many learner routes need is in one file for all of them: what lists of modules and courses need. */
const manyRoutes = 9

type Info = Pick<Rollup.PluginContext, 'getModuleInfo' | 'getModuleIds'>

/**
 * For Rollup's `manualChunks`. Modules that the same learner routes need share a file. So no learner page loads what
 * only other pages need, which Rollup would add to make its files larger (`experimentalMinChunkSize`).
 */
export function chunkOf(): (id: string, info: Info) => string | undefined {
  let chunks: Map<string, string> | undefined
  return (id, info) => {
    if (framework.test(id)) return 'framework'
    chunks ??= chunksOfLearners(info)
    return chunks.get(id)
  }
}

function chunksOfLearners(info: Info): Map<string, string> {
  const users = learnerRoutesByModule(info)
  const keyOf = (routes: Set<string>) => [...routes].sort().join()
  const groups = [...new Set([...users.values()].map(keyOf))].sort()
  const nameOf = (routes: Set<string>) => {
    if (routes.size >= mostRoutes || [...routes].some((route) => everyPage.test(route))) return 'learner'
    // Short names, because files name all files that they import.
    return routes.size >= manyRoutes ? 'lists' : `l${groups.indexOf(keyOf(routes))}`
  }
  return new Map([...users].map(([id, routes]) => [id, nameOf(routes)]))
}

/** The learners' routes, and the modules of every page, that import each module directly or through others. */
function learnerRoutesByModule(info: Info): Map<string, Set<string>> {
  const routes = new Map<string, Set<string>>()
  for (const start of info.getModuleIds()) {
    if ((!learnerRoute.test(start) || rareRoute.test(start)) && !everyPage.test(start)) continue
    for (const id of reachedFrom(start, info)) routes.set(id, (routes.get(id) ?? new Set()).add(start))
  }
  for (const start of [...info.getModuleIds()].filter((id) => learnerRoute.test(id) && rareRoute.test(id))) {
    for (const id of reachedFrom(start, info)) if (!routes.has(id)) routes.set(id, new Set(['rare']))
  }
  return routes
}

function reachedFrom(start: string, info: Info): Set<string> {
  const reached = new Set<string>()
  reach(start, info, reached)
  return reached
}

function reach(id: string, info: Info, reached: Set<string>): void {
  if (reached.has(id)) return
  reached.add(id)
  for (const next of info.getModuleInfo(id)?.importedIds ?? []) reach(next, info, reached)
}
