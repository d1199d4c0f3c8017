/**
 * Splits the browser's code into files: few for learners, who often use phones, and without the code that only the
 * console needs.
 */
import { createHash } from 'node:crypto'
import type { Rollup } from 'vite'

const framework =
  /\/node_modules\/(react|react-dom|scheduler|react-router|react-router-dom|@remix-run|turbo-stream)\/|^\0commonjsHelpers/
const learnerRoute = /\/app\/routes\/(_learn|_public|_auth|viewer)\..*\?/
/** Modules that every page loads. */
const everyPage = /\/app\/(root|entry\.client)\.tsx/
/** A module that at least this many learner routes need is loaded with the first of them. */
const shared = 9

type Info = Pick<Rollup.PluginContext, 'getModuleInfo' | 'getModuleIds'>

/**
 * For Rollup's `manualChunks`. Modules that the same learner routes need share a file. So no learner page loads what
 * only others need, which Rollup would add to make its files larger (`experimentalMinChunkSize`).
 */
export function chunkOf(): (id: string, info: Info) => string | undefined {
  let routes: Map<string, Set<string>> | undefined
  return (id, info) => {
    if (framework.test(id)) return 'framework'
    routes ??= learnerRoutesByModule(info)
    const users = routes.get(id)
    if (!users) return undefined
    if (users.size >= shared || [...users].some((user) => everyPage.test(user))) return 'learner'
    return `learner-${createHash('sha256').update([...users].sort().join()).digest('hex').slice(0, 8)}`
  }
}

/** The learners' routes, and the modules of every page, that import each module directly or through others. */
function learnerRoutesByModule(info: Info): Map<string, Set<string>> {
  const routes = new Map<string, Set<string>>()
  for (const start of info.getModuleIds()) {
    if (!learnerRoute.test(start) && !everyPage.test(start)) continue
    const reached = new Set<string>()
    reach(start, info, reached)
    for (const id of reached) routes.set(id, (routes.get(id) ?? new Set()).add(start))
  }
  return routes
}

function reach(id: string, info: Info, reached: Set<string>): void {
  if (reached.has(id)) return
  reached.add(id)
  for (const next of info.getModuleInfo(id)?.importedIds ?? []) reach(next, info, reached)
}
