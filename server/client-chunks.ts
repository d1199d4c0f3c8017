/**
 * Splits the browser's code into files: few for learners, who often use phones, and without the code that only the
 * console needs.
 */
import type { Rollup } from 'vite'

const framework =
  /\/node_modules\/(react|react-dom|scheduler|react-router|react-router-dom|@remix-run|turbo-stream)\/|^\0commonjsHelpers/
const learnerRoute = /\/app\/routes\/(_learn|_public|_auth|viewer)\..*\?/
/** Modules that every page loads. */
const everyPage = /\/app\/(root|entry\.client)\.tsx/
/** A module that at least this many learner routes need is loaded with the first of them. */
const shared = 9

type Info = Pick<Rollup.PluginContext, 'getModuleInfo' | 'getModuleIds'>

/** For Rollup's `manualChunks`. */
export function chunkOf(): (id: string, info: Info) => string | undefined {
  let uses: Map<string, number> | undefined
  return (id, info) => {
    if (framework.test(id)) return 'framework'
    uses ??= countUses(info)
    return (uses.get(id) ?? 0) >= shared ? 'learner' : undefined
  }
}

/** How many of the learners' routes import each module, directly or through others. */
function countUses(info: Info): Map<string, number> {
  const uses = new Map<string, number>()
  for (const start of info.getModuleIds()) {
    if (!learnerRoute.test(start) && !everyPage.test(start)) continue
    const reached = new Set<string>()
    reach(start, info, reached)
    for (const id of reached) uses.set(id, (uses.get(id) ?? 0) + (everyPage.test(start) ? shared : 1))
  }
  return uses
}

function reach(id: string, info: Info, reached: Set<string>): void {
  if (reached.has(id)) return
  reached.add(id)
  for (const next of info.getModuleInfo(id)?.importedIds ?? []) reach(next, info, reached)
}
